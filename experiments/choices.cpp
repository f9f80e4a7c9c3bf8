#include "choices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "learned/stored_shape.hpp"
#include "project.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/features/luna.hpp"
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
    std::filesystem::path file = from.at("file").text();
    if (file.is_absolute() || std::filesystem::exists(file)) return file;
    const std::filesystem::path from_project = project() / file;
    return std::filesystem::exists(from_project) ? from_project : file;
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

/// A variable at one place, over what the parameter varies over. Throws std::invalid_argument where that leaves an axis
/// with several labels.
std::vector<double> list_from(const store::Dataset& data, const features::ParameterInfo& parameter,
                              const report::Fixed& fixed) {
    std::vector<std::string> order;
    for (const store::Axis& axis : report::slice(data, parameter.name, fixed).axes) {
        if (std::find(parameter.axes.begin(), parameter.axes.end(), axis.name) != parameter.axes.end()) continue;
        if (axis.size() > 1)
            throw std::invalid_argument("'" + parameter.name + "' also varies over '" + axis.name + "': say at which");
        order.push_back(axis.name);
    }
    order.insert(order.end(), parameter.axes.begin(), parameter.axes.end());
    return report::slice(data, parameter.name, fixed, order).values;
}

features::Settings read_settings(const features::MechanismInfo& info, const config::Value& from) {
    const store::Dataset data = store::read(file_of(from));
    report::Fixed fixed;
    for (const std::string& key : from.keys())
        if (key != "file") fixed.emplace_back(key, label(data.axis(key), from.at(key)));
    features::Settings settings;
    for (const features::ParameterInfo& parameter : info.parameters)
        if (!parameter.axes.empty()) settings.emplace(parameter.name, list_from(data, parameter, fixed));
    if (settings.empty()) throw std::invalid_argument("'" + info.name + "' has no parameters that training stores");
    if (info.name == features::luna().name)
        settings.merge(
            stored_shape(data, from.has("method") ? from.at("method").text() : report::words(data, "method").front()));
    features::fit(info, {}, settings);
    return settings;
}

features::Settings settings_from(const features::MechanismInfo& info, const config::Value& from) {
    try {
        return read_settings(info, from);
    } catch (const config::Error&) {
        throw;
    } catch (const std::exception& error) {
        from.refuse(error.what());
    }
}

/// Fits the mechanism to a pair of points, of as many coordinates as lists have entries, so that values it does not
/// take are refused here and not cell by cell.
void require_accepted(const features::MechanismInfo& info, const features::Settings& settings,
                      const config::Value& set) {
    for (const features::ParameterInfo& parameter : info.parameters)
        if (!parameter.axes.empty()) return;  // points and their weights have a shape of their own
    Index dimension = 1;
    for (const auto& [name, value] : settings)
        if (const auto* list = std::get_if<std::vector<double>>(&value)) dimension = static_cast<Index>(list->size());
    const Points probe = Points::Constant(1, dimension, 0.5);
    try {
        features::fit(info, features::statistics(probe, probe, info.poisson_moments), settings);
    } catch (const std::invalid_argument& error) {
        (set.keys().size() == 1 ? set.at(set.keys().front()) : set).refuse(error.what());
    }
}

features::Settings settings_set(const features::MechanismInfo& info, const config::Value& set) {
    features::Settings settings;
    for (const std::string& key : set.keys()) {
        const config::Value& value = set.at(key);
        try {
            settings.insert(features::parse_setting(info, key + "=" + value.text()));
        } catch (const std::invalid_argument& error) {
            value.refuse(error.what());
        }
    }
    require_accepted(info, settings, set);
    return settings;
}

MechanismChoice choice(const config::Value& entry) {
    if (entry.kind() == config::Kind::text) return {entry.text(), &features::find(entry.text()), {}, {}};
    MechanismChoice result;
    result.info = &features::find(entry.at("name").text());
    result.label = entry.has("label") ? entry.at("label").text() : result.info->name;
    if (entry.has("count")) result.count = static_cast<Index>(entry.at("count").integer());
    result.settings = mechanism_settings(*result.info, entry);
    return result;
}

/// Calls visit(from) for every map {file: ...} under a key `from`, from the top down.
template <class Visit>
void for_each_from(const config::Value& value, Visit visit) {
    if (value.kind() == config::Kind::list)
        for (const config::Value& item : value.items()) for_each_from(item, visit);
    if (value.kind() != config::Kind::map) return;
    for (const std::string& key : value.keys())
        if (key == "from" && value.at(key).kind() == config::Kind::map)
            visit(value.at(key));
        else
            for_each_from(value.at(key), visit);
}

}  // namespace

std::unique_ptr<features::Mechanism> trained_mechanism(const features::MechanismInfo& info,
                                                       const features::Settings& settings) {
    const auto stored = [](const features::ParameterInfo& parameter) { return !parameter.axes.empty(); };
    if (std::none_of(info.parameters.begin(), info.parameters.end(), stored)) return nullptr;
    auto mechanism = features::fit(info, {}, settings);
    return mechanism->dimension() ? std::move(mechanism) : nullptr;
}

void require_dimension(const config::Value& entry, const features::MechanismInfo& info,
                       const features::Settings& settings, Index dimension) {
    const auto trained = trained_mechanism(info, settings);
    if (trained && *trained->dimension() != dimension)
        entry.refuse("'" + info.name + "' was trained for rows of dimension " + std::to_string(*trained->dimension()) +
                     "; here they have " + std::to_string(dimension));
}

void require_dimension(const config::Value& list, const std::vector<MechanismChoice>& choices, Index dimension) {
    for (std::size_t i = 0; i < choices.size(); ++i)
        require_dimension(list.items()[i], *choices[i].info, choices[i].settings, dimension);
}

std::vector<config::KeyRule> parameter_keys() {
    using namespace config;
    return {optional("set", map_of(text()),
                     "parameters that are not to be fitted, e.g. {A: -0.1}; a list as one text: {shift: '0.5,-1'}"),
            optional("from", map_of(text()),
                     "a result file with parameters of 'learned' or 'luna', and where in it, e.g. {file: "
                     "results/dof/learned.h5, layer: 1, head: 2, method: learned-softmax} or {file: "
                     "results/learned/match.h5, scale: 1, method: 'learned, elu+1', sample: 0}")};
}

features::Settings mechanism_settings(const features::MechanismInfo& info, const config::Value& entry) {
    features::Settings settings;
    if (entry.has("set")) settings = settings_set(info, entry.at("set"));
    if (entry.has("from"))
        for (auto& [name, value] : settings_from(info, entry.at("from")))
            if (!settings.emplace(name, value).second)
                entry.at("set").at(name).refuse("'" + name + "' is read from the file that 'from' names");
    return settings;
}

config::Schema mechanisms_schema() {
    using namespace config;
    std::vector<KeyRule> keys{
        required("name", one_of(mechanism_names()), "the mechanism"),
        optional("label", text(), "its name in results and figures, when it is listed twice"),
        optional("count", integer(1, 1'000'000), "draws M of omega; by default what the study's cost allows"),
    };
    for (KeyRule& key : parameter_keys()) keys.push_back(std::move(key));
    const Schema full = object(std::move(keys));
    return list_of(any_of({one_of(mechanism_names()), full}));
}

void require(Need need, const config::Value& entry, const features::MechanismInfo& info) {
    if (need == Need::moments && !info.has_moments)
        entry.refuse("'" + info.name + "' states no mean or variance of a feature, which this study is about");
    if (need != Need::features && !info.estimates_kernel)
        entry.refuse("'" + info.name + "' is no estimate of the kernel, which this study measures the error of");
}

std::vector<MechanismChoice> mechanisms(const config::Value& list, Need need) {
    std::vector<MechanismChoice> result;
    for (const config::Value& entry : list.items()) {
        const MechanismChoice next = choice(entry);
        require(need, entry, *next.info);
        for (const MechanismChoice& earlier : result)
            if (earlier.label == next.label)
                entry.refuse("the label '" + next.label + "' is taken by an earlier mechanism; give this one another");
        result.push_back(next);
    }
    return result;
}

std::vector<MechanismChoice> mechanisms(const config::Value& list, Need need, const std::string& sweep) {
    for (const config::Value& entry : list.items())
        if (entry.kind() != config::Kind::text && entry.has("count"))
            entry.at("count").refuse("this study sweeps the number of draws: see its key '" + sweep + "'");
    return mechanisms(list, need);
}

std::string mechanism_files_hash(const config::Value& configuration) {
    std::string hashes;
    for_each_from(configuration, [&](const config::Value& from) { hashes += store::sha256_file(file_of(from)); });
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
