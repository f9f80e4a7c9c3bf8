#include "methods/stored_map.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "rfbench/config/error.hpp"
#include "rfbench/config/file_path.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

/// The file of a `from`: a path that is relative to the folder of its configuration or to the working folder, or, when
/// there is nothing there, to the project.
std::filesystem::path file_of(const config::Value& from) {
    if (!from.has("file")) from.refuse("'file' is missing: the result file that the parameters are in");
    const std::filesystem::path file = config::file_path(from.at("file")), from_project = project() / file;
    for (const auto& path : {file, from_project})
        if (std::filesystem::exists(path)) return path;
    return config::existing_path(from.at("file"));
}

/// A label as it is written: that of an axis of numbers is one.
report::Label label(const store::Axis& axis, const config::Value& value) {
    if (std::holds_alternative<std::vector<std::string>>(axis.labels)) return value.text();
    // Labels are compared as numbers: 1 and 1.0 are one label.
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
    // Axes that the parameter is a list over come last, in its order; of all others one label must be left.
    for (const store::Axis& axis : report::slice(data, parameter.name, fixed).axes) {
        if (std::find(parameter.axes.begin(), parameter.axes.end(), axis.name) != parameter.axes.end()) continue;
        if (axis.size() > 1)
            throw std::invalid_argument("'" + parameter.name + "' also varies over '" + axis.name + "': say at which");
        order.push_back(axis.name);
    }
    order.insert(order.end(), parameter.axes.begin(), parameter.axes.end());
    return report::slice(data, parameter.name, fixed, order).values;
}

/// The shape of the map of that label, where the file keeps shapes of maps.
features::Settings shape_from(const store::Dataset& data, const config::Value& from) {
    const auto stored = data.attributes.find("trained_maps");
    if (stored == data.attributes.end()) return {};
    // Without a name there is only one method: list_from() has refused several.
    const std::string method = from.has("method") ? from.at("method").text() : report::words(data, "method").front();
    const auto shapes = nlohmann::json::parse(stored->second, nullptr, false);
    if (!shapes.is_object()) throw std::invalid_argument("its attribute 'trained_maps' is no JSON object");
    if (!shapes.contains(method)) throw std::invalid_argument("'" + method + "' has no trained map in this file");
    features::Settings settings;
    for (const auto& [name, value] : shapes[method].items())
        settings[name] = value.is_number()    ? features::ParameterValue(value.get<double>())
                         : value.is_boolean() ? features::ParameterValue(value.get<bool>())
                                              : features::ParameterValue(value.get<std::string>());
    return settings;
}

/// Every key of `from` but the file fixes an axis of it.
report::Fixed fixed_by(const store::Dataset& data, const config::Value& from) {
    report::Fixed fixed;
    for (const std::string& key : from.keys())
        if (key != "file") fixed.emplace_back(key, label(data.axis(key), from.at(key)));
    return fixed;
}

/// Labels of an axis that `from` leaves open; none where there is no such axis.
std::vector<double> open_labels(const store::Dataset& data, const config::Value& from, const std::string& name) {
    if (from.has(name)) return {};
    for (const store::Axis& axis : data.axes)
        if (const auto* numbers = std::get_if<std::vector<double>>(&axis.labels); numbers && axis.name == name)
            return *numbers;
    return {};
}

/// At these labels what is left of a variable is the parameter of that name.
features::Settings settings_at(const features::MechanismInfo& info, const store::Dataset& data,
                               const report::Fixed& fixed, const config::Value& from) {
    features::Settings settings;
    for (const features::ParameterInfo& parameter : info.parameters)
        if (!parameter.axes.empty()) settings.emplace(parameter.name, list_from(data, parameter, fixed));
    settings.merge(shape_from(data, from));
    // For what it throws: numbers that are no map are refused where their file is named, and not by the first cell.
    features::fit(info, {}, settings);
    return settings;
}

/// Calls read(). An exception gets the place of `from`, unless it has one within it already.
template <class Read>
auto placed(const config::Value& from, Read read) -> decltype(read()) {
    try {
        return read();
    } catch (const config::Error&) {
        throw;
    } catch (const std::exception& error) {
        from.refuse(error.what());
    }
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

std::string shapes_text(const std::map<std::string, features::Settings>& shapes) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [label, shape] : shapes)
        for (const auto& [name, value] : shape)
            if (const auto* number = std::get_if<double>(&value))
                all[label][name] = *number;
            else if (const auto* truth = std::get_if<bool>(&value))
                all[label][name] = *truth;
            else
                all[label][name] = std::get<std::string>(value);
    return all.dump();
}

config::KeyRule from_key(const char* example) {
    return config::optional("from", config::map_of(config::text()),
                            std::string("the result file of a training, and where in it, e.g. ") + example);
}

features::Settings settings_from(const features::MechanismInfo& info, const config::Value& from) {
    return placed(from, [&] {
        const store::Dataset data = store::read(file_of(from));
        return settings_at(info, data, fixed_by(data, from), from);
    });
}

std::map<Head, features::Settings> settings_by_head(const features::MechanismInfo& info, const config::Value& from) {
    return placed(from, [&] {
        const store::Dataset data = store::read(file_of(from));
        std::map<Head, features::Settings> all;
        const auto layers = open_labels(data, from, "layer"), heads = open_labels(data, from, "head");
        for (std::size_t layer = 0; layer < layers.size(); ++layer)
            for (std::size_t head = 0; head < heads.size(); ++head) {
                report::Fixed fixed = fixed_by(data, from);
                fixed.emplace_back("layer", layers[layer]);
                fixed.emplace_back("head", heads[head]);
                all.emplace(Head{static_cast<Index>(layer), static_cast<Index>(head)},
                            settings_at(info, data, fixed, from));
            }
        return all;
    });
}

std::string files_hash(const config::Value& configuration) {
    std::string hashes;
    for_each_from(configuration, [&](const config::Value& from) { hashes += store::sha256_file(file_of(from)); });
    return hashes.empty() ? hashes : store::sha256(hashes);
}

}  // namespace rfbench::experiments
