#include "choices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "project.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::experiments {
std::vector<std::string> mechanism_names() {
    std::vector<std::string> names;
    for (const features::MechanismInfo& info : features::catalogue()) names.push_back(info.name);
    return names;
}

namespace {

/// The file of a `from`; a relative path counts from here or, when there is nothing there, from the project.
std::filesystem::path file_of(const config::Value& from) {
    if (!from.has("file")) from.refuse("'file' is missing: the result file that the parameters are in");
    const std::filesystem::path file = from.at("file").text();
    return file.is_relative() && !std::filesystem::exists(file) ? project() / file : file;
}

/// A label as it is written: that of an axis of numbers is one.
report::Label label(const store::Axis& axis, const config::Value& value) {
    if (std::holds_alternative<std::vector<std::string>>(axis.labels)) return value.text();
    double number = 0;
    const char* const end = value.text().data() + value.text().size();
    if (std::from_chars(value.text().data(), end, number).ptr != end)
        value.refuse("'" + value.text() + "' is not a number, which labels of '" + axis.name + "' are");
    return number;
}

/// The lists among a mechanism's parameters, from the variables of the same names. What varies over two axes (points:
/// coordinate, feature) is listed column by column.
features::Settings settings_from(const features::MechanismInfo& info, const config::Value& from) {
    features::Settings settings;
    try {
        const store::Dataset data = store::read(file_of(from));
        report::Fixed fixed;
        for (const std::string& key : from.keys())
            if (key != "file") fixed.emplace_back(key, label(data.axis(key), from.at(key)));
        for (const features::ParameterInfo& parameter : info.parameters) {
            if (parameter.type != features::ParameterInfo::Type::list) continue;
            std::vector<std::string> order;  // those with more than one label backwards, then the others
            std::size_t varying = 0;
            for (const store::Axis& axis : report::slice(data, parameter.name, fixed).axes) {
                order.insert(axis.size() > 1 ? order.begin() : order.end(), axis.name);
                varying += axis.size() > 1;
            }
            if (varying > 2)
                from.refuse("'" + parameter.name + "' also varies over '" + order[varying - 1] + "': say at which");
            settings.emplace(parameter.name, report::slice(data, parameter.name, fixed, order).values);
        }
    } catch (const config::Error&) {
        throw;
    } catch (const std::exception& error) {
        from.refuse(error.what());
    }
    return settings;
}

MechanismChoice choice(const config::Value& entry) {
    if (entry.kind() == config::Kind::text) return {entry.text(), &features::find(entry.text()), {}, {}};
    MechanismChoice result;
    result.info = &features::find(entry.at("name").text());
    result.label = entry.has("label") ? entry.at("label").text() : result.info->name;
    if (entry.has("count")) result.count = static_cast<Index>(entry.at("count").integer());
    if (entry.has("set")) result.settings = mechanism_settings(*result.info, entry.at("set"));
    if (entry.has("from")) result.settings.merge(settings_from(*result.info, entry.at("from")));
    return result;
}

}  // namespace

features::Settings mechanism_settings(const features::MechanismInfo& info, const config::Value& set) {
    features::Settings settings;
    for (const std::string& key : set.keys()) {
        const config::Value& value = set.at(key);
        try {
            settings.insert(features::parse_setting(info, key + "=" + value.text()));
        } catch (const std::invalid_argument& error) {
            value.refuse(error.what());
        }
    }
    return settings;
}

config::Schema mechanisms_schema() {
    using namespace config;
    const Schema full = object({
        required("name", one_of(mechanism_names()), "the mechanism"),
        optional("label", text(), "its name in results and figures, when it is listed twice"),
        optional("count", integer(1, 1'000'000), "draws M of omega; by default what the study's cost allows"),
        optional("set", map_of(text()), "parameters that are not to be fitted, e.g. {A: -0.1}"),
        optional("from", map_of(text()), "a result file with such parameters, and where in it, e.g. {file: "
                                         "results/dof/learned.h5, layer: 1, head: 2, method: learned-softmax}"),
    });
    return list_of(any_of({one_of(mechanism_names()), full}));
}

std::vector<MechanismChoice> mechanisms(const config::Value& list) {
    std::vector<MechanismChoice> result;
    for (const config::Value& entry : list.items()) {
        const MechanismChoice next = choice(entry);
        for (const MechanismChoice& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier mechanism; give this one another");
        result.push_back(next);
    }
    return result;
}

std::string mechanism_files_hash(const config::Value& configuration) {
    const auto keys = configuration.keys();
    if (std::find(keys.begin(), keys.end(), "mechanisms") == keys.end()) return {};
    std::string hashes;
    for (const config::Value& entry : configuration.at("mechanisms").items())
        if (entry.kind() == config::Kind::map && entry.has("from"))
            hashes += store::sha256_file(file_of(entry.at("from")));
    return hashes.empty() ? hashes : store::sha256(hashes);
}

store::Axis mechanism_axis(const std::vector<MechanismChoice>& choices) {
    std::vector<std::string> labels;
    for (const MechanismChoice& choice : choices) labels.push_back(choice.label);
    return {"mechanism", labels, "", "random-feature mechanism"};
}

config::Schema samplings_schema() {
    std::vector<std::string> names;
    for (const sampling::Scheme& scheme : sampling::catalogue()) names.push_back(scheme.name);
    return config::one_or_more(config::one_of(names));
}

std::vector<const sampling::Scheme*> samplings(const config::Value& list) {
    std::vector<const sampling::Scheme*> result;
    for (const std::string& name : list.texts()) result.push_back(&sampling::find(name));
    return result;
}

store::Axis sampling_axis(const std::vector<const sampling::Scheme*>& schemes) {
    std::vector<std::string> labels;
    for (const sampling::Scheme* scheme : schemes) labels.push_back(scheme->name);
    return {"sampling", labels, "", "how the projections are drawn"};
}

bool drawable(const features::MechanismInfo& mechanism, const sampling::Scheme& scheme) {
    return !mechanism.discrete || scheme.uniforms;
}

Index count_for_cost(const features::Mechanism& mechanism, Index real_columns) {
    return std::max<Index>(1, real_columns / mechanism.columns(1));
}

}  // namespace rfbench::experiments
