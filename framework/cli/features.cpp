// rfbench features: the features of a user's points, to be used elsewhere, with all that is needed to draw them again.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "kept_map.hpp"
#include "method_option.hpp"
#include "methods/mechanism.hpp"
#include "parameters_json.hpp"
#include "provenance.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/counted.hpp"
#include "rfbench/version.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

using namespace rfbench::features;
using experiments::MethodChoice;

/// Features of such a mechanism are none: points are so large that their squares leave the range of double.
void require_finite(const Json& parameters) {
    for (const auto& [name, value] : parameters.items())
        if (const Json shown = with_infinities(value); shown != value)
            throw InputError(
                fmt::format("the parameter '{}' that is fitted to these points is {}; points whose squares "
                            "are within the range of double have finite ones",
                            name, shown.dump()));
}

/// Features of points that a mechanism cannot take, such as those far from each other for its parameters.
void require_finite(const FeatureBlock<double>& block, const Points& points, const std::string& file) {
    for (Index row = 0; row < block.values.rows(); ++row)
        if (!block.values.row(row).allFinite() || !std::isfinite(block.log_scale[row]))
            throw InputError(
                fmt::format("the features of point {} of {} are not finite: its length, {:.3g}, is beyond what "
                            "this method can take",
                            row + 1, file, points.row(row).norm()));
}

/// Draws are whole, so that the columns need not be as many as are asked for.
void say_columns(Index written, Index asked, Index of_a_draw) {
    if (written == asked) return;
    std::cerr << fmt::format("note: one draw takes {}, so that {} {} written, not {}\n",
                             counted(static_cast<std::size_t>(of_a_draw), "column"), written,
                             written == 1 ? "is" : "are", asked);
}

/// Rows as one array after another.
std::vector<double> entries(const Rows<double>& rows) { return {rows.data(), rows.data() + rows.size()}; }
std::vector<double> entries(const Vector& numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

store::Axis numbered(const char* name, Index size, const char* description) {
    std::vector<double> labels(static_cast<std::size_t>(size));
    std::iota(labels.begin(), labels.end(), 0.0);
    return {name, labels, "", description};
}

store::Dataset features_of(const FeatureMap& map, const Points& x, const Points& y, const FeaturesOptions& options) {
    FeatureBlock<double> queries, keys;
    map.evaluate(Side::query, x, queries);
    map.evaluate(Side::key, y, keys);
    require_finite(queries, x, options.x);
    require_finite(keys, y, options.y.empty() ? options.x : options.y);
    store::Dataset data;
    data.axes = {numbered("query", queries.values.rows(), "row of x"), numbered("key", keys.values.rows(), "row of y"),
                 numbered("column", queries.values.cols(), "real feature column")};
    data.variables = {
        {"queries", {"query", "column"}, entries(queries.values), "", "features of x, over exp(query_log_scale)"},
        {"query_log_scale", {"query"}, entries(queries.log_scale), "", "log of what a row of queries is multiplied by"},
        {"keys", {"key", "column"}, entries(keys.values), "", "features of y, over exp(key_log_scale)"},
        {"key_log_scale", {"key"}, entries(keys.log_scale), "", "log of what a row of keys is multiplied by"}};
    return data;
}

/// True for variables of the map, which .npy leaves out: they are for `--map`, which reads .h5.
bool is_of_map(const store::Variable& variable) {
    return variable.name.starts_with("x_") || variable.name.starts_with("y_");
}

/// features.npy stands for features.queries.npy and so on, and features.json, which says the rest.
void write_arrays(const std::filesystem::path& out, const store::Dataset& data) {
    const auto beside = [&](const std::string& ending) { return std::filesystem::path(out).replace_extension(ending); };
    for (const store::Variable& variable : data.variables) {
        if (is_of_map(variable)) continue;
        std::vector<std::size_t> shape;
        for (const std::string& axis : variable.axes) shape.push_back(data.axis(axis).size());
        store::write_file(beside(variable.name + ".npy"), datasets::npy_text(shape, variable.values));
        fmt::print("{}\n", beside(variable.name + ".npy").string());
    }
    store::write_file(beside("json"), json_lines(Json(data.attributes)) + "\n");
    fmt::print("{}\n", beside("json").string());
}

/// Parameters of a trained map, as an attribute of a file has them.
Settings trained_settings(const std::string& parameters) {
    Settings settings;
    const Json all = Json::parse(parameters);
    for (const auto& [name, value] : all.items())
        if (value.is_array())
            settings.emplace(name, value.get<std::vector<double>>());
        else if (value.is_boolean())
            settings.emplace(name, value.get<bool>());
        else if (value.is_string())
            settings.emplace(name, value.get<std::string>());
        else
            settings.emplace(name, value.get<double>());
    return settings;
}

/// A map, and what a file says of it beside: fitted to points and drawn, or read from a file.
struct Made {
    KeptMap map;
    std::unique_ptr<Mechanism> mechanism;
    std::map<std::string, std::string> attributes;
};

Made fitted_map(const FeaturesOptions& options, const Points& x, const Points& y) {
    const MethodOption option{options.method, options.settings, options.sampling};
    Made made;
    made.map.entry = entry_text(option);
    const MethodChoice choice = method_of(option, made.map.entry);
    choice.require_dimension(x.cols());
    const auto& scheme = choice.scheme(sampling::find("iid"));
    const std::int64_t seed = options.seed.value_or(1);
    made.map.statistics = statistics(x, y, choice->mechanism()->info.poisson_moments);
    made.mechanism = choice->mechanism()->fit(made.map.statistics);
    const Json parameters = parameters_json(*made.mechanism);
    require_finite(parameters);
    const Index columns = choice.columns_within(options.columns.value_or(64));
    const Index count = experiments::draws_within(*made.mechanism, columns);
    made.map.draw = features::draw(*made.mechanism, x.cols(), count, scheme, Stream(static_cast<std::uint64_t>(seed)));
    say_columns(made.mechanism->columns(count), columns, made.mechanism->columns(1));
    made.attributes = {{"parameters", parameters.dump()},
                       {"sampling", scheme.name},
                       {"seed", std::to_string(seed)},
                       {"draws", std::to_string(count)},
                       {"mechanism", choice->mechanism()->info.name},
                       {"trained", choice->dimension() ? "true" : "false"},
                       {"code", choice.info->code}};
    return made;
}

/// Throws FileError where the file holds no map.
Made map_in_file(const std::filesystem::path& file, Index dimension) {
    const store::Dataset data = store::read(file);
    Made made{kept_map(data, file), nullptr, {}};
    if (made.map.draw.omega.rows() != dimension)
        throw InputError(fmt::format("the map in {} is for points of {}; these have {}", file.string(),
                                     counted(static_cast<std::size_t>(made.map.draw.omega.rows()), "coordinate"),
                                     dimension));
    for (const char* name : {"parameters", "sampling", "seed", "draws", "mechanism", "trained", "code"})
        made.attributes[name] = data.attributes.at(name);
    // A training's own file may be gone: its parameters are here.
    if (made.attributes["trained"] == "true") {
        const MechanismInfo& info = features::find(made.attributes["mechanism"]);
        made.mechanism = features::fit(info, made.map.statistics, trained_settings(made.attributes["parameters"]));
    } else {
        const MethodChoice choice = method_of({made.map.entry, {}, {}}, made.map.entry);
        made.mechanism = choice->mechanism()->fit(made.map.statistics);
        // A map that the Python package wrote has no code: the version alone says whether it may be another's.
        const std::string& code = made.attributes["code"];
        if (code.empty() ? data.attributes.at("version") != version : code != choice.info->code)
            std::cerr << fmt::format(
                "note: {} was written by a version of rfbench in which '{}' had other code; its features may differ "
                "from those in the file\n",
                file.string(), choice.info->name);
    }
    made.attributes["map"] = file.string();
    made.attributes["map_sha256"] = store::sha256_file(file);
    return made;
}

/// A map is read or made, not both.
void require_one_map(const FeaturesOptions& options) {
    if (options.map.empty() && options.method.empty())
        throw InputError("features: METHOD is missing: a mechanism by name, or --map FILE, a map written before");
    if (options.map.empty()) return;
    const std::pair<bool, const char*> others[] = {{!options.method.empty(), "METHOD"},
                                                   {!options.settings.empty(), "--set"},
                                                   {!options.sampling.empty(), "--sampling"},
                                                   {options.columns.has_value(), "--columns"},
                                                   {options.seed.has_value(), "--seed"}};
    for (const auto& [given, name] : others)
        if (given) throw InputError(fmt::format("features: --map holds a whole map, so that {} has no effect", name));
}

}  // namespace

int features(const FeaturesOptions& options) {
    const std::string ending = options.out.extension().string();
    if (ending != ".h5" && ending != ".npy")
        throw InputError("--out " + options.out.string() + ": the name must end in .h5 or .npy");
    require_one_map(options);
    // Mistakes in the method are told before points are read.
    if (options.map.empty()) {
        const MethodOption option{options.method, options.settings, options.sampling};
        method_of(option, entry_text(option));
    }
    const Points x = datasets::read_points(options.x);
    const Points y = options.y.empty() ? x : datasets::read_points(options.y);
    if (x.cols() != y.cols())
        throw InputError(fmt::format("{} has {} and {} has {}; they must have the same dimension", options.x,
                                     counted(static_cast<std::size_t>(x.cols()), "column"), options.y, y.cols()));
    try {
        const Made made = options.map.empty() ? fitted_map(options, x, y) : map_in_file(options.map, x.cols());
        store::Dataset data = features_of(*made.mechanism->map(made.map.draw), x, y, options);
        add_map(data, made.map);
        data.attributes.merge(provenance());
        for (const auto& [name, value] : made.attributes) data.attributes[name] = value;
        data.attributes["x"] = options.x;
        data.attributes["x_sha256"] = store::sha256_file(datasets::file_of_points(options.x));
        data.attributes["y"] = options.y.empty() ? options.x : options.y;
        data.attributes["y_sha256"] = store::sha256_file(datasets::file_of_points(data.attributes["y"]));
        store::remove_temporaries_beside(options.out);
        if (ending == ".npy") {
            write_arrays(options.out, data);
        } else {
            store::write(options.out, data);
            fmt::print("{}\n", options.out.string());
        }
    } catch (const std::invalid_argument& error) {  // of points and parameters that are all the user's
        throw InputError(error.what());
    }
    return success;
}

}  // namespace rfbench::cli
