// rfbench inspect: one mechanism at one pair (or two sets), everything it knows, as JSON. This is how people check us
// against their own code.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "parameters_json.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/engine/how_far.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/pair_averages.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/text/counted.hpp"
#include "study/known_names.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

using namespace features;
using Json = nlohmann::ordered_json;

/// "0.5,-0.25" as numbers. Throws with the option, the position and what stands there.
std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
    std::vector<double> values;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        double value = 0;
        const char* const comma = std::find(at, end, ',');
        const auto [stop, error] = std::from_chars(at + (at < comma && *at == '+' ? 1 : 0), comma, value);
        if (error != std::errc{} || stop != comma || !std::isfinite(value))
            throw InputError(
                fmt::format("{}: number {} is '{}'; finite numbers separated by commas are needed, "
                            "as in 0.5,-0.25",
                            option, values.size() + 1, std::string(at, comma)));
        values.push_back(value);
        if (comma == end) return values;
        at = comma + 1;
    }
}

Vector to_vector(const std::vector<double>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

/// Infinite where it leaves the range of double.
double value_of(double log_value) { return std::exp(log_value); }

/// The draw that --omega names: d numbers for every omega of one draw, or d numbers for each of them.
Draw given_draw(const MechanismInfo& info, const Mechanism& mechanism, Index dimension, const std::string& text) {
    const std::vector<Index> groups = mechanism.groups(1);
    const Index total = std::accumulate(groups.begin(), groups.end(), Index{0});
    const std::vector<double> values = parse_numbers("--omega", text);
    const Index size = static_cast<Index>(values.size());
    if (size != dimension && size != dimension * total)
        throw InputError(
            fmt::format("--omega has {}; {} {} needed{}", counted(values.size(), "number"), dimension,
                        dimension == 1 ? "is" : "are",
                        total > 1 ? fmt::format(", or {} for {} different omegas", dimension * total, total) : ""));
    Draw draw;
    draw.omega.resize(dimension, total);
    for (Index m = 0; m < total; ++m)
        for (Index l = 0; l < dimension; ++l) {
            const double value = values[static_cast<std::size_t>(size == dimension ? l : m * dimension + l)];
            if (info.discrete && (value < 0 || value != std::floor(value)))
                throw InputError(
                    fmt::format("--omega: {} is not allowed; this mechanism's omega has integers from 0 on", value));
            draw.omega(l, m) = value;
        }
    const auto parameters = mechanism.parameters();
    const auto phase = parameters.find("phase");
    draw.phase = Vector::Constant(total, phase == parameters.end() ? 0 : std::get<double>(phase->second));
    return draw;
}

/// Features of one draw as complex numbers: one where there is one, else lists.
struct Values {
    std::vector<double> re, im;
};
Values feature_values(const FeatureBlock<double>& block, bool complex, bool conjugated) {
    const double scale = std::exp(block.log_scale[0]);
    Values result;
    const Index n = complex ? block.values.cols() / 2 : block.values.cols();
    for (Index m = 0; m < n; ++m) {
        result.re.push_back(scale * block.values(0, m));
        // The keys hold the minus sign of Re(f1 f2).
        const double imaginary = complex ? scale * block.values(0, n + m) : 0;
        result.im.push_back(conjugated && imaginary != 0 ? -imaginary : imaginary);
    }
    return result;
}

Json values_json(const Values& values) {
    if (values.re.size() == 1) return complex_json(values.re[0], values.im[0]);
    return {{"re", values.re}, {"im", values.im}};
}

void add_feature_values(Json& out, const MechanismInfo& info, const Mechanism& mechanism, const Vector& x,
                        const Vector& y, const std::string& omega) {
    // The keys are there in any case, so that every answer has the same ones.
    for (const char* key : {"query", "key", "product"}) out[key] = nullptr;
    if (omega.empty()) return;
    const auto map = mechanism.map(given_draw(info, mechanism, x.size(), omega));
    FeatureBlock<double> query, key;
    map->evaluate(Side::query, Points(x.transpose()), query);
    map->evaluate(Side::key, Points(y.transpose()), key);
    // One complex feature a draw is two real columns; the hybrid's unit is shown as its real columns.
    const bool complex = map->columns() == 2 && mechanism.groups(1).size() == 1;
    const LogMatrix product = estimate(query, key);
    out["query"] = values_json(feature_values(query, complex, false));
    out["key"] = values_json(feature_values(key, complex, true));
    out["product"] = product.sign(0, 0) * std::exp(product.log_abs(0, 0));
}

/// Those of one feature: null where it has no closed form.
void add_moments(Json& out, const std::optional<Moments>& moments) {
    const auto number = [&](double value) { return moments ? Json(value) : Json(); };
    const Moments own = moments.value_or(Moments{});
    out["mean"] = number(value_of(own.log_mean));
    out["log_second_moment"] = number(own.log_second_moment);
    out["variance"] = number(value_of(own.log_variance));
    out["log_variance"] = number(own.log_variance);
}

void add_estimator(Json& out, std::optional<double> log_variance, const InspectOptions& options) {
    out["sampling"] = options.sampling;
    out["count"] = options.count.value_or(1);
    out["estimator_variance"] = log_variance ? Json(value_of(*log_variance)) : Json();
    out["estimator_log_variance"] = log_variance ? Json(*log_variance) : Json();
}

Settings settings_of(const MechanismInfo& info, const InspectOptions& options) {
    Settings settings;
    for (const std::string& text : options.settings) {
        auto [name, value] = parse_setting(info, text);
        if (!settings.emplace(name, value).second)
            throw InputError("--set: the parameter '" + name + "' is given twice");
    }
    return settings;
}

/// By `fit` or fit_with_moments().
template <class Fit>
auto fitted(Fit fit, const MechanismInfo& info, const PointsView& x, const PointsView& y,
            const InspectOptions& options) {
    const Settings settings = settings_of(info, options);
    try {
        return fit(info, features::statistics(x, y, info.poisson_moments), settings);
    } catch (const std::invalid_argument& error) {  // of points and parameters that are all the user's
        throw InputError(error.what());
    }
}

void require_drawable(const MechanismInfo& info, const sampling::Scheme& scheme) {
    if (!info.discrete || scheme.uniforms) return;
    std::string names;
    for (const sampling::Scheme& other : sampling::catalogue())
        if (other.uniforms) names += (names.empty() ? "" : ", ") + other.name;
    throw InputError("--sampling " + scheme.name + " needs directions, and omega of '" + info.name +
                     "' is discrete; it can be drawn by " + names);
}

Json inspect_pair(const MechanismInfo& info, const InspectOptions& options) {
    const Vector x = to_vector(parse_numbers("--x", options.x));
    const Vector y = to_vector(parse_numbers("--y", options.y));
    if (x.size() != y.size())
        throw InputError(fmt::format("--x has {} and --y has {}; they must have the same dimension",
                                     counted(static_cast<std::size_t>(x.size()), "number"), y.size()));
    const sampling::Scheme& scheme = sampling::find(options.sampling);
    require_drawable(info, scheme);
    const auto mechanism = fitted(fit, info, x.transpose(), y.transpose(), options);
    const auto* const with_moments = dynamic_cast<const MechanismWithMoments*>(mechanism.get());
    const Pair pair(x, y);
    Json out = {{"mechanism", info.name},
                {"dimension", x.size()},
                {"kernel", std::exp(pair.log_kernel())},
                {"log_kernel", pair.log_kernel() + 0.0},  // 0 and not -0
                {"parameters", parameters_json(*mechanism)}};
    add_feature_values(out, info, *mechanism, x, y, options.omega);
    add_moments(out, with_moments ? std::optional(with_moments->moments(pair)) : std::nullopt);
    const auto count = static_cast<Index>(options.count.value_or(1));
    add_estimator(out, with_moments ? estimator_log_variance(*with_moments, pair, scheme, count) : std::nullopt,
                  options);
    return out;
}

/// The points of a file, which is named first where it takes long to read.
Points points_of(const std::string& where) {
    constexpr double long_to_read = 1 << 26;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(datasets::file_of_points(where), unknown);
    if (const double bytes = static_cast<double>(size); !unknown && bytes > long_to_read)
        std::cerr << fmt::format("inspect: reads {} ({:.0f} MB)\n", where, bytes / 1e6);
    return datasets::read_points(where);
}

/// Averages over all pairs as long as these take seconds, else over a sample, which takes about as long.
PairAverages averaged(const MechanismWithMoments& mechanism, const Points& x, const Points& y,
                      const InspectOptions& options) {
    constexpr double max_pairs = 1 << 24;
    constexpr Index sampled_blocks = 1024;
    const sampling::Scheme& scheme = sampling::find(options.sampling);
    const auto count = static_cast<Index>(options.count.value_or(1));
    const double pairs = static_cast<double>(x.rows()) * static_cast<double>(y.rows());
    const engine::HowFar how_far(std::cerr, "inspect");
    if (pairs <= max_pairs || options.all_pairs) return average_pairs(mechanism, x, y, scheme, count);
    const PairAverages sampled =
        average_drawn_pairs(mechanism, x, y, scheme, count, sampled_blocks, Stream(1).child("inspect"));
    std::cerr << fmt::format(
        "note: averages are over {} random pairs of {:.0f}, with standard errors; --all-pairs takes all\n",
        sampled.pairs, pairs);
    return sampled;
}

Json inspect_sets(const MechanismInfo& info, const InspectOptions& options) {
    const Points x = points_of(options.x_file);
    const bool same = options.y_file == options.x_file;
    const Points own_y = same ? Points() : points_of(options.y_file);
    const Points& y = same ? x : own_y;
    if (x.cols() != y.cols())
        throw InputError(fmt::format("{} has {} and {} has {}; they must have the same dimension", options.x_file,
                                     counted(static_cast<std::size_t>(x.cols()), "column"), options.y_file, y.cols()));
    require_drawable(info, sampling::find(options.sampling));
    if (!info.has_moments())
        throw InputError("the variance of '" + info.name +
                         "' has no closed form, so there is none to average; --x and --y show its features");
    if (constexpr Index long_to_fit = 1 << 23; x.size() + y.size() > long_to_fit)
        std::cerr << fmt::format("inspect: fits {} to {} and {} rows of {} numbers\n", info.name, x.rows(), y.rows(),
                                 x.cols());
    const auto mechanism = fitted(fit_with_moments, info, x, y, options);
    const PairAverages means = averaged(*mechanism, x, y, options);
    const auto if_any = [&](double value) { return means.pairs > means.zeros ? Json(value) : Json(); };
    const auto estimator = [&](double PairAverages::Mean::*number) {
        return means.estimator ? if_any((*means.estimator).*number) : Json();
    };
    return {{"mechanism", info.name},
            {"dimension", x.cols()},
            {"x_rows", x.rows()},
            {"y_rows", y.rows()},
            {"mean_log_kernel", mean_log_kernel(x, y) + 0.0},  // 0 and not -0
            {"parameters", parameters_json(*mechanism)},
            {"averaged_pairs", means.pairs},
            {"mean_log_variance", if_any(means.log_variance.value)},
            {"standard_error", if_any(means.log_variance.standard_error)},
            {"sd_log_variance", if_any(means.log_variance_sd)},
            {"zero_variance_pairs", means.zeros},
            {"sampling", options.sampling},
            {"count", options.count.value_or(1)},
            {"mean_estimator_log_variance", estimator(&PairAverages::Mean::value)},
            {"estimator_standard_error", estimator(&PairAverages::Mean::standard_error)}};
}

}  // namespace

int inspect(const InspectOptions& options) {
    const auto has_name = [&](const MechanismInfo& one) { return one.name == options.mechanism; };
    const auto* known = experiments::known_name(options.mechanism);
    if (known != nullptr && std::none_of(catalogue().begin(), catalogue().end(), has_name))
        throw InputError(fmt::format(
            "inspect: {} stands for {}; give the mechanism, {}{}", known->alias.name, known->alias.yaml, known->method,
            known->alias.yaml.find("sampling") == std::string::npos ? "" : ", and --sampling"));
    const MechanismInfo& info = features::find(options.mechanism);
    if (options.count && *options.count < 1)
        throw InputError(fmt::format("--count is {}; at least 1 is needed", *options.count));
    const bool any_pair = !options.x.empty() || !options.y.empty();
    const bool any_set = !options.x_file.empty() || !options.y_file.empty();
    const bool pair = !options.x.empty() && !options.y.empty() && !any_set;
    const bool sets = !options.x_file.empty() && !options.y_file.empty() && !any_pair;
    if (!pair && !sets) throw InputError("inspect needs either --x and --y, or --x-file and --y-file");
    if (sets && !options.omega.empty())
        throw InputError("--omega shows the features of one pair; it does not go with --x-file");
    if (pair && options.all_pairs)
        throw InputError("--all-pairs is for the pairs of two sets; it does not go with --x and --y");
    const Json found = pair ? inspect_pair(info, options) : inspect_sets(info, options);
    std::cout << json_lines(with_infinities(found)) << '\n';
    return success;
}

}  // namespace rfbench::cli
