// Figure 6.4: log variance of every mechanism, averaged over all pairs of two sets, in four regimes of data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "methods/mechanism.hpp"
#include "report/reduction.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/report/best_mark.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sources/point_sets.hpp"
#include "study/method_identity.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::moments}, .columns = true, .sampling = EntrySampling::exact};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required(
            "points", one_or_more(point_source_schema()),
            "where x and y come from; normal: N(0, g^2 I); sphere: uniform, |x| = |y| = g; heterogeneous: y ~ N(g, g^2 "
            "I); digits: 8 x 8 images in [0, g] of optdigits; mnist: of MNIST's test set; file: yours, times g; "
            "heads: queries and keys, times g"),
        required("gammas", numbers(above(0).at_most(100)), "scale g of the points"),
        required("rows", integer(2, 100000), "L, points in each set, as far as data have so many"),
        required("repeats", integer(1, 1000), "drawn pairs of sets"),
        defaulted("columns", integer(1, 1'000'000), "8", "cost of each estimator, in real feature columns"),
    };
}

/// log M Var of the estimator of M draws for all pairs of rows; without a scheme they are independent, and it is that
/// of one draw.
void log_variances(const features::MechanismWithMoments& mechanism, const PointsView& x, const PointsView& y,
                   const sampling::Scheme* scheme, Index count, Points& out) {
    out.resize(x.rows(), y.rows());
    if (scheme == nullptr) return mechanism.log_variances(x, y, out);
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const features::Pair pair(x.row(i).data(), y.row(j).data(), x.cols());
            out(i, j) = features::estimator_log_variance(mechanism, pair, *scheme, count).value() +
                        std::log(static_cast<double>(count));
        }
}

/// Their averages, in tiles that stay in cache.
struct PairAverages {
    statistics::RunningMoments moments;
    double zeros = 0;
};
PairAverages average(const features::MechanismWithMoments& mechanism, const PointSets& sets,
                     const sampling::Scheme* scheme, Index count) {
    constexpr Index tile = 64;
    PairAverages result;
    for (const Index number : parallel::Parts((sets.x.rows() + tile - 1) / tile)) {
        const Index first = number * tile;
        const Index n = std::min(tile, sets.x.rows() - first);
        Points logs;
        log_variances(mechanism, sets.x.middleRows(first, n), sets.y, scheme, count, logs);
        for (const double value : logs.reshaped()) {
            // Equal points have variance zero for some mechanisms; they are counted apart.
            if (std::isinf(value) && value < 0)
                ++result.zeros;
            else if (std::isfinite(value))
                result.moments.add(value);
            else
                throw NotFinite(
                    fmt::format("the log variance of a pair comes out as {}: numbers of the points are so "
                                "large that their squares or exponentials leave the range of double",
                                value));
        }
    }
    return result;
}

store::Dataset compute(const MethodChoice& choice, const PointSets& sets, Index columns) {
    const auto mechanism = choice->mechanism()->fit_with_moments(
        features::statistics(sets.x, sets.y, choice->mechanism()->info.poisson_moments));
    const Index draws = draws_within(*mechanism, choice.columns_within(columns));
    const auto count = static_cast<double>(draws);
    const PairAverages averages = average(*mechanism, sets, choice.sampling, draws);
    // M times the variance until here.
    const double mean = averages.moments.mean() - std::log(count), deviation = averages.moments.standard_deviation();
    const double positive = choice->mechanism()->info.positive ? 1 : 0;
    return {{},
            {{"mean_log_variance", {}, {mean}, "", "mean over all pairs of the log variance of the estimator"},
             {"sd_log_variance", {}, {deviation}, "", "standard deviation over all pairs of the log variance"},
             {"zero_variance_pairs", {}, {averages.zeros}, "", "pairs with variance zero, left out of the mean"},
             {"count", {}, {count}, "", "draws M of each estimator"},
             {"positive", {}, {positive}, "", "1 when every feature is positive, 0 otherwise"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const Stream seed = study_stream(config, "variance/regimes");
    auto sources = point_sources(Key{config, "points"}, {"regime", {}, {}, "", "where the points come from"}, seed);
    const auto& regimes = sources.axis;
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "drawn pair of sets");
    const Index rows = whole(config, "rows"), columns = whole(config, "columns");
    note_few_rows(sources, rows, static_cast<Index>(repeats.size()));

    Sweep sweep = Sweep::over(regimes, gammas, repeats, compared);
    // Both sets, and both again where a mechanism moves or turns them.
    for (const PointSourcePtr& source : regimes)
        sweep.bytes = std::max(
            sweep.bytes, 4.0 * static_cast<double>(rows) * static_cast<double>(source->dimension()) * sizeof(double));
    sweep.notes = sources.notes;
    const auto labels = std::get<std::vector<std::string>>(regimes.labels);
    // They are missing where every pair has variance zero.
    sweep.finite_but = {"mean_log_variance", "sd_log_variance"};
    sweep.compute = [=, regimes = sources.axis](const Point& at) {
        // The sets of one repeat are the same for every method and, up to scale, for every gamma.
        PointSets sets = at[regimes]->draw(seed.child(draw_key(labels[at.index("regime")])).child(at[repeats]), rows);
        sets.x *= at[gammas];
        sets.y *= at[gammas];
        return compute(at[compared], sets, columns);
    };
    return sweep;
}

/// Mean and standard deviation over all pairs and all repeats, for each gamma.
struct Curve {
    std::vector<double> gamma, mean, deviation;
};
Curve curve(const store::Dataset& data, const std::string& regime, const std::string& mechanism) {
    const report::Fixed fixed{{"regime", regime}, {"method", mechanism}};
    const auto means = report::slice(data, "mean_log_variance", fixed, {"gamma", "repeat"});
    const auto deviations = report::slice(data, "sd_log_variance", fixed, {"gamma", "repeat"});
    Curve result{means.numbers("gamma"), {}, {}};
    const std::size_t repeats = means.values.size() / result.gamma.size();
    for (std::size_t g = 0; g < result.gamma.size(); ++g) {
        double sum = 0, squares = 0, n = 0;
        for (std::size_t r = 0; r < repeats; ++r) {
            const double mean = means.values[g * repeats + r];
            const double deviation = deviations.values[g * repeats + r];
            // In a repeat where every pair has variance zero there is nothing to average.
            if (std::isnan(mean)) continue;
            ++n;
            sum += mean;
            // Second moments of the repeats, which have equally many pairs, add up to that of all pairs.
            squares += deviation * deviation + mean * mean;
        }
        // 0 / 0 is missing, as is a mean of no numbers.
        result.mean.push_back(sum / n);
        result.deviation.push_back(std::sqrt(std::max(0.0, squares / n - sum / n * sum / n)));
    }
    return result;
}

using report::words;

bool is_positive(const store::Dataset& data, const std::string& mechanism) {
    const auto slice = report::slice(data, "positive", {{"method", mechanism}});
    return std::any_of(slice.values.begin(), slice.values.end(), [](double value) { return value == 1; });
}

/// Groups of mechanisms small enough that curves which coincide can be told apart, one column of panels each.
constexpr const char* families[] = {"signed", "positive", "discrete"};

/// The catalogue's entry of a method, whatever its label is; null for one that is not of rfbench, which a later command
/// would not know.
const features::MechanismInfo* mechanism_of(const store::Dataset& data, const std::string& label) {
    const std::string name = method_identity(data, label).name;
    for (const features::MechanismInfo& info : features::catalogue())
        if (info.name == name && info.code.empty()) return &info;
    return nullptr;
}

std::string family(const store::Dataset& data, const std::string& label) {
    const features::MechanismInfo* const info = mechanism_of(data, label);
    return info != nullptr && info->discrete ? "discrete" : is_positive(data, label) ? "positive" : "signed";
}

report::Panel panel(const store::Dataset& data, const std::string& regime, const std::string& shown) {
    report::Panel result{.title = regime + ", " + shown};
    result.x = {.label = "γ"};
    result.y = {.label = "ln Var"};
    for (const std::string& mechanism : words(data, "method")) {
        if (family(data, mechanism) != shown) continue;
        const Curve c = curve(data, regime, mechanism);
        report::Series series{mechanism, c.gamma, c.mean};
        for (std::size_t g = 0; g < c.gamma.size(); ++g) {
            series.low.push_back(c.mean[g] - c.deviation[g]);
            series.high.push_back(c.mean[g] + c.deviation[g]);
        }
        series.style = report::Style::line_points;
        result.series.push_back(series);
    }
    return result;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "regimes",
        .title = "Log variance at equal cost, by regime of data",
        .caption =
            "Mean of the natural log of the estimator's variance over all pairs and repeats of points times γ. Every "
            "estimator costs at most the same number of real columns. Panels: features that change sign, "
            "positive ones, those of integer omega. The variance says nothing of a "
            "bias; the table names biased mechanisms.",
        .interval = "Bands: ± one standard deviation over pairs of points",
        .columns = 1};
    for (const std::string& regime : words(data, "regime"))
        for (const char* shown : families) {
            report::Panel one = panel(data, regime, shown);
            if (!one.series.empty()) result.panels.push_back(std::move(one));
        }
    // Every regime has a panel for each family that there is: a row.
    result.columns = static_cast<int>(result.panels.size() / words(data, "regime").size());
    return result;
}

/// Claim that the thesis reads off its figure at gamma = 1: the better mechanism's variance is e^printed times smaller.
/// Its images are those of MNIST.
struct Claim {
    const char* regime;
    const char* better;
    const char* worse;
    double printed;
};
/// A gain below it looks like rounding, which it is not (docs/mechanisms.md, claims that do not hold).
constexpr double all_but_none = 1e-3;

constexpr Claim printed_claims[] = {
    {"normal", "generalized-exponential", "trigonometric", 80},
    {"heterogeneous", "generalized-exponential", "trigonometric", 125},
    {"digits", "generalized-exponential", "trigonometric", 10},
    {"mnist", "generalized-exponential", "trigonometric", 10},
    {"normal", "optimal-positive", "positive", 75},
    {"heterogeneous", "optimal-positive", "positive", 125},
    {"digits", "optimal-positive", "positive", 7},
    {"mnist", "optimal-positive", "positive", 7},
    {"normal", "geometric-shifted", "positive", 75},
    {"heterogeneous", "geometric-shifted", "positive", 125},
    {"digits", "geometric-shifted", "positive", 7},
    {"mnist", "geometric-shifted", "positive", 7},
};

report::Table claims(const store::Dataset& data) {
    report::Table table{.name = "regimes-claims",
                        .caption =
                            "Printed claims on Figure 6.4 at γ = 1: natural log of how many times smaller the "
                            "variance is, mean over pairs and repeats ± half its 95 % interval over repeats.",
                        .columns = {report::word_column("regime"),
                                    report::word_column("better"),
                                    report::word_column("worse"),
                                    {"printed"},
                                    {"ours"},
                                    report::number_column("ours / printed", report::decimals(2))}};
    const auto& gammas = report::numbers(data, "gamma");
    // The thesis speaks of its own points at gamma = 1 alone; without rows the table is not shown.
    if (!is_of(data, {"variance/regimes.yaml"}) || std::find(gammas.begin(), gammas.end(), 1.0) == gammas.end())
        return table;
    bool nearly_trigonometric = false;
    for (const Claim& claim : printed_claims) {
        const auto better_label = label_of_plain(data, claim.better), worse_label = label_of_plain(data, claim.worse);
        if (!report::has_word(data, "regime", claim.regime) || !better_label || !worse_label) continue;
        const auto at = [&](const std::string& label) {
            return report::slice(data, "mean_log_variance",
                                 {{"regime", claim.regime}, {"gamma", 1.0}, {"method", label}})
                .values;
        };
        const std::vector<double> better = at(*better_label), worse = at(*worse_label);
        std::vector<double> gains;
        // Paired: a repeat has the same points for both.
        for (std::size_t r = 0; r < better.size(); ++r) gains.push_back(worse[r] - better[r]);
        const auto ours = statistics::mean_interval(gains);
        nearly_trigonometric |=
            std::string(claim.better) == "generalized-exponential" && std::abs(ours.value) < all_but_none;
        table.rows.push_back({{claim.regime, claim.better, claim.worse, claim.printed,
                               report::Estimate{ours.value, ours.half_width}, ours.value / claim.printed}});
    }
    // Whether they hold is decided in one place, the claims, and not here once more.
    table.notes = {
        "Printed: Likhosherstov 2022, section 6.6.1, read off a figure; 'rfbench claims variance/regimes' says which "
        "hold. Its images are those of MNIST: what was measured on others (digits: optdigits) is no test of it."};
    if (nearly_trigonometric)
        table.notes.push_back(
            "Where ours is all but 0, the A of least variance is near 0, and generalized exponential features are "
            "nearly trigonometric ones: what is printed is the little that they gain, and no rounding.");
    return table;
}

std::vector<std::string> biased(const store::Dataset& data) {
    std::vector<std::string> result;
    for (const std::string& label : words(data, "method"))
        if (const auto* const info = mechanism_of(data, label); info != nullptr && !info->unbiased)
            result.push_back(label);
    return result;
}

report::Table levels(const store::Dataset& data) {
    const double gamma = report::numbers(data, "gamma").back();
    report::Table table{
        .name = "regimes",
        .caption = fmt::format("Mean log variance over all pairs and repeats at γ = {}, ± half its 95 % "
                               "interval over repeats.",
                               gamma),
        .columns = {report::word_column("method"), report::word_column("positive"), {"M"}}};
    for (const std::string& regime : words(data, "regime")) table.columns.push_back({regime});
    double zeros = 0;
    for (const std::string& mechanism : words(data, "method")) {
        const auto counts = report::slice(data, "count", {{"method", mechanism}});
        report::Row row{{mechanism, is_positive(data, mechanism) ? "yes" : "no", counts.values.front()}};
        for (const std::string& regime : words(data, "regime")) {
            row.entries.push_back(report::averaged_entry(report::average(
                data, "mean_log_variance", {{"regime", regime}, {"method", mechanism}, {"gamma", gamma}}, "repeat")));
        }
        for (const double value : report::slice(data, "zero_variance_pairs", {{"method", mechanism}}).values)
            zeros += std::isnan(value) ? 0 : value;
        table.rows.push_back(row);
    }
    const std::vector<std::string> names = biased(data);
    if (!names.empty())
        table.notes.push_back(
            fmt::format("Biased, and not marked: {}. The squared error is this variance and the bias "
                        "squared.",
                        fmt::join(names, ", ")));
    report::mark_best(table, report::Best::least, report::columns_from(table, 3), names);
    table.notes.push_back(fmt::format("Pairs with variance zero, left out of the means: {}.", zeros));
    return table;
}

/// Mean ranks of these methods in a regime, over gammas and repeats, 1 that of the least variance. Equal ones share the
/// mean of their ranks; where one has none, as all pairs have variance zero, nobody is ranked.
std::vector<double> mean_ranks(const store::Dataset& data, const std::string& regime,
                               const std::vector<std::string>& methods) {
    std::vector<std::vector<double>> values;
    for (const std::string& method : methods)
        values.push_back(
            report::slice(data, "mean_log_variance", {{"regime", regime}, {"method", method}}, {"gamma", "repeat"})
                .values);
    std::vector<statistics::RunningMoments> ranks(methods.size());
    for (std::size_t at = 0; at < values.front().size(); ++at) {
        if (std::any_of(values.begin(), values.end(), [&](const auto& of) { return std::isnan(of[at]); })) continue;
        for (std::size_t own = 0; own < methods.size(); ++own) {
            double rank = 0.5;
            for (const auto& other : values)
                rank += other[at] < values[own][at] ? 1 : other[at] == values[own][at] ? 0.5 : 0;
            ranks[own].add(rank);
        }
    }
    std::vector<double> means;
    for (const auto& of : ranks) means.push_back(of.mean());
    return means;
}

/// The thesis says who is best among features that change sign, and among positive ones.
report::Table rank_table(const store::Dataset& data) {
    report::Table table{.name = "regimes-ranks",
                        .caption =
                            "Mean ranks by variance among features that change sign and among positive ones, over all "
                            "γ and repeats: 1 has the least. Without biased mechanisms.",
                        .columns = {report::word_column("positive"), report::word_column("method")}};
    const auto& regimes = words(data, "regime");
    for (const std::string& regime : regimes)
        table.columns.push_back(report::number_column(regime, report::decimals(1)));
    table.columns.push_back(report::number_column("mean", report::decimals(1)));
    const std::vector<std::string> left_out = biased(data);
    for (const bool positive : {false, true}) {
        std::vector<std::string> group;
        for (const std::string& method : words(data, "method"))
            if (is_positive(data, method) == positive &&
                std::find(left_out.begin(), left_out.end(), method) == left_out.end())
                group.push_back(method);
        if (group.size() < 2) continue;
        std::vector<report::Row> rows;
        for (const std::string& method : group)
            rows.push_back({{positive ? "yes" : "no", method}, method == group.front()});
        std::vector<double> sums(group.size());
        // NaN: not measured.
        const auto entry = [](double rank) { return std::isnan(rank) ? report::Entry(report::Missing{}) : rank; };
        for (const std::string& regime : regimes) {
            const auto ranks = mean_ranks(data, regime, group);
            for (std::size_t i = 0; i < group.size(); ++i) {
                rows[i].entries.push_back(entry(ranks[i]));
                sums[i] += ranks[i];
            }
        }
        for (std::size_t i = 0; i < group.size(); ++i)
            rows[i].entries.push_back(entry(sums[i] / static_cast<double>(regimes.size())));
        table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    }
    report::mark_best(table, report::Best::least, report::columns_from(table, 2));
    return table;
}

Report report_of(const store::Dataset& data) {
    Report result{{figure(data)}, {levels(data)}};
    if (const report::Table table = rank_table(data); !table.rows.empty()) result.tables.push_back(table);
    if (const report::Table table = claims(data); !table.rows.empty()) result.tables.push_back(table);
    return result;
}

}  // namespace

Study regimes_study() {
    return {"variance",
            "regimes",
            "log variance of every mechanism at equal cost, over data of several kinds",
            "Likhosherstov 2022, Figure 6.4",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
