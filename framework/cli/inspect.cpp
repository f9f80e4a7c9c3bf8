// rfbench inspect: one mechanism at one pair (or two sets), everything it knows, as JSON. This is how people check us
// against their own code.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "parameters_json.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/text/counted.hpp"
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

/// Sums over all pairs of two sets.
struct PairSums {
    double logs = 0, squares = 0, kernels = 0, estimators = 0;
    std::int64_t zeros = 0;
    bool closed = true;  ///< whether the estimator's variance has a closed form
};

/// By strips of all pairs, which do not fit into memory where the sets are large; in the order of rows of x, then of y.
PairSums sum_over_pairs(const MechanismWithMoments& mechanism, const Points& x, const Points& y,
                        const sampling::Scheme& scheme, Index count) {
    constexpr Index pairs_at_once = Index{1} << 17;
    const Index width = std::min(y.rows(), pairs_at_once), height = std::max<Index>(1, pairs_at_once / width);
    PairSums sums;
    Points logs;
    for (Index first = 0; first < x.rows(); first += height)
        for (Index from = 0; from < y.rows(); from += width) {
            const auto rows = x.middleRows(first, std::min(height, x.rows() - first));
            const auto columns = y.middleRows(from, std::min(width, y.rows() - from));
            logs.resize(rows.rows(), columns.rows());
            mechanism.log_variances(rows, columns, logs);
            for (Index i = 0; i < rows.rows(); ++i)
                for (Index j = 0; j < columns.rows(); ++j) {
                    const Pair pair(rows.row(i).data(), columns.row(j).data(), x.cols());
                    sums.kernels += pair.log_kernel();
                    // A variance of zero has no logarithm: such pairs are counted, and left out of the means.
                    if (logs(i, j) == -std::numeric_limits<double>::infinity()) {
                        ++sums.zeros;
                        continue;
                    }
                    sums.logs += logs(i, j);
                    sums.squares += logs(i, j) * logs(i, j);
                    const auto estimator =
                        sums.closed ? estimator_log_variance(mechanism, pair, scheme, count) : std::optional<double>{};
                    sums.closed = estimator.has_value();
                    sums.estimators += estimator.value_or(0);
                }
        }
    return sums;
}

Json inspect_sets(const MechanismInfo& info, const InspectOptions& options) {
    const Points x = datasets::read_points(options.x_file);
    const Points y = datasets::read_points(options.y_file);
    if (x.cols() != y.cols())
        throw InputError(fmt::format("{} has {} and {} has {}; they must have the same dimension", options.x_file,
                                     counted(static_cast<std::size_t>(x.cols()), "column"), options.y_file, y.cols()));
    const sampling::Scheme& scheme = sampling::find(options.sampling);
    require_drawable(info, scheme);
    const Index count = static_cast<Index>(options.count.value_or(1));
    if (!info.has_moments())
        throw InputError("the variance of '" + info.name +
                         "' has no closed form, so there is none to average; --x and --y show its features");
    const auto mechanism = fitted(fit_with_moments, info, x, y, options);
    const PairSums sums = sum_over_pairs(*mechanism, x, y, scheme, count);
    const double pairs = static_cast<double>(x.rows()) * static_cast<double>(y.rows());
    const double finite = pairs - static_cast<double>(sums.zeros);
    const double mean = sums.logs / finite, spread = sums.squares / finite - mean * mean;
    const auto averaged = [&](double value) { return finite > 0 ? Json(value) : Json(); };
    return {{"mechanism", info.name},
            {"dimension", x.cols()},
            {"x_rows", x.rows()},
            {"y_rows", y.rows()},
            {"mean_log_kernel", sums.kernels / pairs},
            {"parameters", parameters_json(*mechanism)},
            {"mean_log_variance", averaged(mean)},
            {"sd_log_variance", averaged(std::sqrt(spread < 0 ? 0 : spread))},
            {"zero_variance_pairs", sums.zeros},
            {"sampling", options.sampling},
            {"count", count},
            {"mean_estimator_log_variance", sums.closed ? averaged(sums.estimators / finite) : Json()}};
}

}  // namespace

int inspect(const InspectOptions& options) {
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
    const Json found = pair ? inspect_pair(info, options) : inspect_sets(info, options);
    std::cout << json_lines(with_infinities(found)) << '\n';
    return success;
}

}  // namespace rfbench::cli
