// Every mechanism with every sampling that can draw it: empirical mean and variance of drawn estimators against the
// stated ones, as z-scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sources/normal_points.hpp"
#include "study/map_bytes.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

/// Fitted on two clouds of the size of the norm.
const MethodKey taken{.abilities = {Ability::moments}, .samplings = true};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(2, 1024), "d"),
        defaulted("norm", real(above(0).at_most(2)), "0.5",
                  "largest norm of the points: small enough for fourth moments to be estimated well"),
        defaulted("blocks", integer(1, 64), "2", "M / d; one draw is added so that the last block is partial"),
        required("repeats", integer(100, 100'000'000), "drawn estimators a pair"),
    };
}

struct NamedPair {
    const char* name;
    Vector x, y;
};

/// Pairs along the directions where wrong samplers are off the most, with both signs of every coordinate.
std::vector<NamedPair> pairs(Index dimension, double norm) {
    Vector axis = Vector::Zero(dimension);
    axis[0] = norm;
    const Vector diagonal = Vector::Constant(dimension, norm / std::sqrt(static_cast<double>(dimension)));
    Vector mixed = diagonal;
    for (Index l = 0; l < dimension; l += 2) mixed[l] *= -1;
    return {{"e1", 0.7 * axis, 0.6 * axis},
            {"-e1", -0.7 * axis, -0.6 * axis},
            {"diagonal", 0.7 * diagonal, 0.6 * diagonal},
            {"-diagonal", -0.7 * diagonal, -0.6 * diagonal},
            {"opposite", 0.6 * axis, -0.5 * axis},
            {"mixed", mixed, 0.8 * axis}};
}

/// Two clouds of 64 points on which mechanisms are fitted: |x| is about the norm, y is shifted a little.
features::Statistics fitting_sets(Index dimension, double norm, const Stream& stream) {
    const double scale = norm / std::sqrt(static_cast<double>(dimension));
    const Points x = scale * normal_points(stream.child("x"), 64, dimension);
    // Another size and another mean than x has: a fit that took one side for the other would show.
    const Points y = (0.8 * scale * normal_points(stream.child("y"), 64, dimension)).array() + 0.2 * scale;
    return features::statistics(x, y);
}

/// (measured - stated) / error. A spread that is no more than rounding is no standard error: then what agrees to
/// rounding has no score, and what does not has an infinite one.
double score(double measured, double stated, double error, double rounding) {
    const double off = measured - stated;
    if (error > rounding || std::isnan(off)) return off / error;
    return std::abs(off) <= rounding ? NAN : std::copysign(INFINITY, off);
}

store::Dataset compute(const MethodChoice& choice, const sampling::Scheme& scheme, Index dimension, double norm,
                       Index blocks, std::int64_t repeats, const Stream& seed) {
    const Stream fitting = seed.child("fit").child(static_cast<std::uint64_t>(dimension));
    const auto statistics = fitting_sets(dimension, norm, fitting);
    const auto mechanism = choice->mechanism()->fit_with_moments(statistics);
    // One draw more than whole blocks, since samplers may be wrong in the block that they cut off.
    const Index count = blocks * dimension + 1;
    const std::vector<std::string> axes{"pair"};
    store::Variable mean{"mean", axes, {}, "", "empirical mean of the drawn estimators"};
    store::Variable stated_mean{"stated_mean", axes, {}, "", "the mean the mechanism states"};
    store::Variable mean_z{
        "mean_z", axes, {}, "", "(mean - stated_mean) / standard error; NaN where both are one and nothing is spread"};
    store::Variable variance{"variance", axes, {}, "", "empirical variance of the drawn estimators"};
    store::Variable stated_variance{
        "stated_variance", axes, {}, "", "the exact variance, where there is a closed form"};
    store::Variable variance_z{"variance_z", axes, {}, "", "(variance - stated_variance) / standard error"};
    // An estimate sums n products of features, which are K <= 1 on average or 1 at most: n 2^-52 is lost at worst.
    const double rounding = static_cast<double>(mechanism->columns(count)) * std::numeric_limits<double>::epsilon();
    std::vector<std::string> names;
    const std::vector<NamedPair> all = pairs(dimension, norm);
    parallel::Parts parts(static_cast<Index>(all.size()));
    for (const NamedPair& named : all) {
        names.push_back(named.name);
        const features::Pair pair(named.x, named.y);
        const Stream own =
            seed.child(choice.label).child(scheme.name).child(named.name).child(static_cast<std::uint64_t>(dimension));
        const auto drawn = features::drawn_moments(*mechanism, pair, scheme, count, repeats, own);
        const double expected = std::exp(mechanism->moments(pair).log_mean);
        const auto exact = features::estimator_log_variance(*mechanism, pair, scheme, count);
        const double exact_variance = exact ? std::exp(*exact) : NAN;
        mean.values.push_back(drawn.mean);
        stated_mean.values.push_back(expected);
        mean_z.values.push_back(score(drawn.mean, expected, drawn.mean_error, rounding));
        variance.values.push_back(drawn.variance);
        stated_variance.values.push_back(exact_variance);
        // A deviation s that is off by r makes the square off by r (2 s + r).
        variance_z.values.push_back(score(drawn.variance, exact_variance, drawn.variance_error,
                                          rounding * (2 * std::sqrt(drawn.variance) + rounding)));
        parts.done();
    }
    return {{{"pair", names, "", "x and y; norms up to the configured one"}},
            {mean, stated_mean, mean_z, variance, stated_variance, variance_z},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const auto schemes = sampling_axis(config, compared.values);
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const double norm = config.at("norm").number();
    const Index blocks = whole(config, "blocks");
    const std::int64_t repeats = config.at("repeats").integer();
    const Stream seed = study_stream(config, "variance/monte-carlo");

    Sweep sweep = Sweep::over(compared, schemes, dimensions);
    sweep.keep = [=](const Point& at) { return is_measured_at(at[compared], at[schemes]); };
    // A draw's map, and all estimates.
    const Index d = *std::max_element(dimensions.begin(), dimensions.end());
    sweep.bytes = map_bytes(d, blocks * d + 1) + static_cast<double>(repeats) * sizeof(double);
    sweep.compute = [=](const Point& at) {
        const MethodChoice& choice = at[compared];
        return compute(choice, scheme_at(choice, at[schemes]), at[dimensions], norm, blocks, repeats, seed);
    };
    return sweep;
}

using report::words;

/// |z| that one of all the tests of an exact sampler exceeds by chance in one run out of a hundred.
double family_bound(const store::Dataset& data) {
    std::uint64_t tests = 0;
    // Scores are NaN where there is no closed form, or no such sampling: they are no tests.
    for (const char* variable : {"mean_z", "variance_z"})
        for (const double z : data.variable(variable).values) tests += !std::isnan(z);
    return statistics::family_wise_quantile(0.01, std::max<std::uint64_t>(1, tests));
}

/// All z-scores of one variable, a panel a sampling, a row a mechanism that has some, in the catalogue's order from
/// above.
report::Figure scores(const store::Dataset& data, const char* variable, const char* name, const char* what) {
    const double bound = family_bound(data);
    report::Figure result{
        .name = name,
        .title = std::string("z-scores of the ") + what + " of drawn estimators",
        .caption = "Each point is one pair and dimension.",
        .interval = fmt::format("Dashed: 0 and ±{0:.2f}; in 1 % of runs some score exceeds ±{0:.2f} by chance", bound),
        .columns = 2};
    for (const std::string& sampling : words(data, "sampling")) {
        report::Panel panel{.title = sampling};
        panel.x = {.label = "z"};
        panel.vertical = {{-bound}, {0}, {bound}};
        double most = bound, place = 0;
        for (const std::string& mechanism : words(data, "method")) {
            const auto z = report::slice(data, variable, {{"method", mechanism}, {"sampling", sampling}}).values;
            if (report::all_missing(z)) continue;
            place -= 1;
            panel.y.ticks.push_back({place, mechanism});
            report::Series series{mechanism, {}, {}};
            series.style = report::Style::points;
            series.in_legend = false;
            for (std::size_t i = 0; i < z.size(); ++i) {
                if (std::isnan(z[i])) continue;
                // Pairs and dimensions stand side by side within a mechanism's row: no point hides another.
                const double spread = 0.6 * (static_cast<double>(i) + 0.5) / static_cast<double>(z.size()) - 0.3;
                series.x.push_back(z[i]);
                series.y.push_back(place + spread);
                // Infinite scores are marked at the edge.
                if (std::isfinite(z[i])) most = std::max(most, std::abs(z[i]));
            }
            panel.series.push_back(series);
        }
        panel.y.range = {{place - 1, 0}};
        panel.x.range = {{-1.05 * most, 1.05 * most}};
        result.panels.push_back(panel);
    }
    return result;
}

/// Pairs at which all estimates were the stated mean, to rounding.
std::size_t exact_pairs(const store::Dataset& data) {
    const auto &mean = data.variable("mean").values, &z = data.variable("mean_z").values;
    std::size_t count = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) count += !std::isnan(mean[i]) && std::isnan(z[i]);
    return count;
}

/// Largest |z| of each mechanism and sampling; a dash where there is nothing to test.
report::Table largest(const store::Dataset& data, const char* variable, const char* name, const char* what) {
    report::Table table{.name = name,
                        .caption = std::string("Largest |z| of the ") + what + " over pairs and dimensions.",
                        .columns = {report::word_column("method")}};
    for (const std::string& sampling : words(data, "sampling"))
        table.columns.push_back(report::number_column(sampling, report::decimals(1)));
    for (const std::string& mechanism : words(data, "method")) {
        report::Row row{{mechanism}};
        for (const std::string& sampling : words(data, "sampling")) {
            double most = NAN;
            for (const double z : report::slice(data, variable, {{"method", mechanism}, {"sampling", sampling}}).values)
                if (!std::isnan(z)) most = std::isnan(most) ? std::abs(z) : std::max(most, std::abs(z));
            row.entries.emplace_back(most);
        }
        table.rows.push_back(row);
    }
    table.notes = {
        fmt::format(
            "In 1 % of runs some score exceeds {:.2f} by chance. A dash: there is no closed form, or no such sampling.",
            family_bound(data)),
        "Hadamard sampling has approximate marginals: its means are expected to be off in small "
        "dimensions."};
    if (const std::size_t exact = exact_pairs(data); exact > 0)
        table.notes.push_back(
            fmt::format("At {} pairs all estimates are the stated mean to rounding: nothing is spread there, and there "
                        "is no score. "
                        "Estimates without spread that are not the stated mean have an infinite one.",
                        exact));
    return table;
}

Report report_of(const store::Dataset& data) {
    return {{scores(data, "mean_z", "monte-carlo-mean", "mean"),
             scores(data, "variance_z", "monte-carlo-variance", "variance")},
            {largest(data, "mean_z", "monte-carlo-mean", "mean"),
             largest(data, "variance_z", "monte-carlo-variance", "variance")}};
}

}  // namespace

Study monte_carlo_study() {
    return {"variance",
            "monte-carlo",
            "every mechanism and sampling drawn: empirical mean and variance as z-scores",
            "the formulas of docs/mechanisms.md",
            2,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
