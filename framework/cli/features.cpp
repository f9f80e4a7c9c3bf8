// rfbench features: the features of a user's points, to be used elsewhere, with all that is needed to draw them again.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

#include "method_list.hpp"
#include "methods/mechanism.hpp"
#include "parameters_json.hpp"
#include "provenance.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/counted.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

using namespace rfbench::features;
using experiments::Ability;
using experiments::MethodChoice;

const experiments::MethodKey methods_taken{.abilities = {Ability::kernel, Ability::rows},
                                           .sampling = experiments::EntrySampling::drawn};

/// The entry of a list of methods that the command line stands for.
std::string entry_text(const FeaturesOptions& options) {
    const std::string& method = options.method;
    const bool map = method.starts_with('{') && method.ends_with('}');
    std::string text = map ? method.substr(1, method.size() - 2) : "use: " + method;
    for (const std::string& setting : options.settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            throw InputError("--set: '" + setting + "' is not PARAMETER=VALUE, as in A=-0.1");
        text += ", " + setting.substr(0, equals) + ": " + setting.substr(equals + 1);
    }
    if (!options.sampling.empty()) text += ", sampling: " + options.sampling;
    return "{" + text + "}";
}

/// What is wrong with the entry, in words of the command line, on which it has neither lines nor a list around it:
/// "{use: positve}:1:17: methods.0.use: must be ..." is said of METHOD.
std::string in_words_of_the_command_line(std::string message, const std::string& entry, const FeaturesOptions& given) {
    if (message.starts_with(entry)) message.erase(0, entry.size());
    const std::size_t place = message.find(": ");  // behind ":1:17"
    if (place != std::string::npos) message.erase(0, place + 2);
    const std::string element = "methods.0";
    if (!message.starts_with(element)) message = "METHOD: " + message;
    if (message.starts_with(element)) {
        message.erase(0, element.size());
        const std::size_t colon = message.find(": ");
        const std::string key = message.starts_with('.') ? message.substr(1, colon - 1) : "";
        const bool set = std::any_of(given.settings.begin(), given.settings.end(),
                                     [&](const std::string& setting) { return setting.starts_with(key + "="); });
        const std::string what = key.empty() || key == "use"                    ? "METHOD"
                                 : key == "sampling" && !given.sampling.empty() ? "--sampling"
                                 : set                                          ? "--set " + key
                                                                                : "METHOD: " + key;
        message = what + message.substr(colon);
    }
    const auto say = [&](const std::string& said_of_studies, const std::string& here) {
        const std::size_t at = message.find(said_of_studies);
        if (at != std::string::npos) message.replace(at, said_of_studies.size(), here);
    };
    // What lacks all that is asked for has nothing to be written.
    say(lack_of(Ability::kernel) + " and " + lack_of(Ability::rows), "has no features that could be written");
    say(", which this study needs", "; 'rfbench list mechanisms' shows what has some");
    return "features: " + message;
}

MethodChoice method_of(const FeaturesOptions& options, const std::string& entry) {
    // Read as a configuration, with the same checks and defaults.
    try {
        const auto config =
            config::parse("methods: [" + entry + "]\n", entry, config::object(experiments::method_keys(methods_taken)));
        return experiments::methods(config, methods_taken).front();
    } catch (const config::Error& error) {
        throw InputError(in_words_of_the_command_line(error.what(), entry, options));
    }
}

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

store::Dataset dataset(const FeatureBlock<double>& queries, const FeatureBlock<double>& keys, const Draw& draw) {
    store::Dataset data;
    data.axes = {numbered("query", queries.values.rows(), "row of x"), numbered("key", keys.values.rows(), "row of y"),
                 numbered("column", queries.values.cols(), "real feature column"),
                 numbered("coordinate", draw.omega.rows(), "of a point"), numbered("draw", draw.omega.cols(), "omega")};
    data.variables = {
        {"queries", {"query", "column"}, entries(queries.values), "", "features of x, over exp(query_log_scale)"},
        {"query_log_scale", {"query"}, entries(queries.log_scale), "", "log of what a row of queries is multiplied by"},
        {"keys", {"key", "column"}, entries(keys.values), "", "features of y, over exp(key_log_scale)"},
        {"key_log_scale", {"key"}, entries(keys.log_scale), "", "log of what a row of keys is multiplied by"},
        {"omega", {"coordinate", "draw"}, entries(Rows<double>(draw.omega)), "", "what was drawn"}};
    if (draw.phase.size() > 0) data.variables.push_back({"phase", {"draw"}, entries(draw.phase), "", "drawn as well"});
    return data;
}

/// features.npy stands for features.queries.npy and so on, and features.json, which says the rest.
void write_arrays(const std::filesystem::path& out, const store::Dataset& data) {
    const auto beside = [&](const std::string& ending) { return std::filesystem::path(out).replace_extension(ending); };
    for (const store::Variable& variable : data.variables) {
        std::vector<std::size_t> shape;
        for (const std::string& axis : variable.axes) shape.push_back(data.axis(axis).size());
        store::write_file(beside(variable.name + ".npy"), datasets::npy_text(shape, variable.values));
        fmt::print("{}\n", beside(variable.name + ".npy").string());
    }
    store::write_file(beside("json"), json_lines(Json(data.attributes)) + "\n");
    fmt::print("{}\n", beside("json").string());
}

}  // namespace

int features(const FeaturesOptions& options) {
    const std::string ending = options.out.extension().string();
    if (ending != ".h5" && ending != ".npy")
        throw InputError("--out " + options.out.string() + ": the name must end in .h5 or .npy");
    const std::string entry = entry_text(options);
    const MethodChoice choice = method_of(options, entry);
    const Points x = datasets::read_points(options.x);
    const Points y = options.y.empty() ? x : datasets::read_points(options.y);
    if (x.cols() != y.cols())
        throw InputError(fmt::format("{} has {} and {} has {}; they must have the same dimension", options.x,
                                     counted(static_cast<std::size_t>(x.cols()), "column"), options.y, y.cols()));
    choice.require_dimension(x.cols());
    const auto& scheme = choice.scheme(sampling::find("iid"));
    try {
        const auto mechanism = choice->fit(statistics(x, y, choice->poisson_moments()));
        const Json parameters = parameters_json(*mechanism);
        require_finite(parameters);
        const Index columns = choice.columns_within(options.columns);
        const Index count = experiments::draws_within(*mechanism, columns);
        const Draw draw =
            features::draw(*mechanism, x.cols(), count, scheme, Stream(static_cast<std::uint64_t>(options.seed)));
        const auto map = mechanism->map(draw);
        FeatureBlock<double> queries, keys;
        map->evaluate(Side::query, x, queries);
        map->evaluate(Side::key, y, keys);
        require_finite(queries, x, options.x);
        require_finite(keys, y, options.y.empty() ? options.x : options.y);
        store::Dataset data = dataset(queries, keys, draw);
        data.attributes = provenance();
        data.attributes["method"] = entry;
        data.attributes["parameters"] = parameters.dump();
        data.attributes["sampling"] = scheme.name;
        data.attributes["seed"] = fmt::format("{}", options.seed);
        data.attributes["draws"] = fmt::format("{}", count);
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
        say_columns(queries.values.cols(), columns, mechanism->columns(1));
    } catch (const std::invalid_argument& error) {  // of points and parameters that are all the user's
        throw InputError(error.what());
    }
    return success;
}

}  // namespace rfbench::cli
