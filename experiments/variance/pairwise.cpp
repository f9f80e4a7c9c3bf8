// Parameters of one mechanism for two whole sets, from averages (6.15), (6.18) and (6.20) of the thesis, beside
// parameters fitted to each pair: how much variance the averages cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "sources/point_sets.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{
    .abilities = {Ability::moments},
    .default_methods = "[optimal-positive, generalized-exponential, poisson, geometric, optimal-discrete]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("points", one_or_more(point_source_schema()), "where x and y come from"),
        required("gammas", numbers(above(0).at_most(100)), "scale of the points"),
        required("rows", integer(2, 4096), "points in each set, as far as data have so many"),
        required("repeats", integer(1, 1000), "drawn pairs of sets"),
    };
}

/// Both fits at all pairs of rows; pairs that either estimates without any variance are counted apart.
store::Dataset compute(const MethodChoice& choice, const PointSets& sets) {
    const auto fit = [&](const Points& x, const Points& y) {
        return choice->mechanism()->fit_with_moments(
            features::statistics(x, y, choice->mechanism()->info.poisson_moments));
    };
    const auto of_sets = fit(sets.x, sets.y);
    statistics::RunningMoments loss, of_all, of_each;
    double exact = 0, worse = 0, most = -INFINITY;
    for (const Index i : parallel::Parts(sets.x.rows()))
        for (Index j = 0; j < sets.y.rows(); ++j) {
            const features::Pair pair(sets.x.row(i).data(), sets.y.row(j).data(), sets.x.cols());
            const double all = of_sets->moments(pair).log_variance;
            const double each = fit(sets.x.middleRows(i, 1), sets.y.middleRows(j, 1))->moments(pair).log_variance;
            if (!std::isfinite(all) || !std::isfinite(each)) {
                ++exact;
                continue;
            }
            of_all.add(all);
            of_each.add(each);
            loss.add(all - each);
            most = std::max(most, all - each);
            worse += all < each;
        }
    return {{},
            {{"mean_log_variance", {}, {of_all.mean()}, "", "mean over pairs of log Var, one fit for all pairs"},
             {"mean_log_variance_pairwise", {}, {of_each.mean()}, "", "the same, a fit a pair"},
             {"loss", {}, {loss.mean()}, "", "mean over pairs of the difference of both"},
             {"largest_loss", {}, {most}, "", "the largest difference"},
             {"pairs_worse", {}, {worse}, "", "pairs whose own fit has more variance"},
             {"pairs_left_out", {}, {exact}, "", "pairs without a variance above zero and finite"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const Stream seed = study_stream(config, "variance/pairwise");
    auto sources = point_sources(Key{config, "points"}, {"regime", {}, {}, "", "where the points come from"}, seed);
    const auto gammas = axis("gamma", Key{config, "gammas"}, "scale of the points");
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "drawn pair of sets");
    const Index rows = whole(config, "rows");
    note_few_rows(sources, rows, static_cast<Index>(repeats.size()));

    Sweep sweep = Sweep::over(sources.axis, gammas, repeats, compared);
    sweep.notes = sources.notes;
    const auto labels = std::get<std::vector<std::string>>(sources.axis.labels);
    // They are missing where no pair has a variance.
    sweep.finite_but = {"mean_log_variance", "mean_log_variance_pairwise", "loss", "largest_loss"};
    sweep.compute = [=, regimes = sources.axis](const Point& at) {
        PointSets sets = at[regimes]->draw(seed.child(draw_key(labels[at.index("regime")])).child(at[repeats]), rows);
        sets.x *= at[gammas];
        sets.y *= at[gammas];
        return compute(at[compared], sets);
    };
    return sweep;
}

/// Loss against gamma, a panel a regime.
report::Figure losses(const store::Dataset& data) {
    report::Figure figure{.name = "pairwise",
                          .title = "Cost of one fit for all pairs",
                          .caption =
                              "Mean over pairs of ln Var with parameters from averages over both sets, less ln Var "
                              "with parameters of the pair itself; all points are multiplied by γ.",
                          .interval = "Bands: 95 % intervals of the mean over pairs of sets",
                          .columns = 2};
    for (const std::string& regime : report::words(data, "regime")) {
        report::Panel panel{.title = regime};
        panel.x = {.label = "γ"};
        panel.y = {.label = "ln of the ratio of variances", .log = true};
        for (const std::string& method : report::words(data, "method")) {
            const auto averages = report::average(data, "loss", {{"regime", regime}, {"method", method}}, "repeat");
            report::Series series{method, report::numbers(data, "gamma"), averages.mean};
            for (std::size_t g = 0; g < averages.mean.size(); ++g) {
                const double half = report::half_width(averages, g);
                series.low.push_back(averages.mean[g] - half);
                series.high.push_back(averages.mean[g] + half);
            }
            if (!report::all_missing(series.y)) panel.series.push_back(series);
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

report::Table table_of(const store::Dataset& data) {
    report::Table table{.name = "pairwise",
                        .caption = "ln Var with one fit for all pairs, less ln Var with a fit a pair; the largest γ.",
                        .columns = {report::word_column("points"),
                                    report::word_column("method"),
                                    {"ln Var, one fit"},
                                    {"loss, mean"},
                                    {"loss, most"},
                                    {"pairs worse by their own fit"},
                                    {"pairs left out"}}};
    const auto& gammas = report::numbers(data, "gamma");
    const double gamma = *std::max_element(gammas.begin(), gammas.end());
    for (const std::string& regime : report::words(data, "regime"))
        for (const std::string& method : report::words(data, "method")) {
            const report::Fixed fixed{{"regime", regime}, {"method", method}, {"gamma", gamma}};
            const auto entry = [&](const char* variable) {
                return report::averaged_entry(report::average(data, variable, fixed, "repeat"));
            };
            const auto values = [&](const char* variable) { return report::slice(data, variable, fixed).values; };
            const auto largest = values("largest_loss"), worse = values("pairs_worse"), out = values("pairs_left_out");
            const auto sum = [](const std::vector<double>& all) {
                double total = 0;
                for (const double one : all) total += one;
                return total;
            };
            table.rows.push_back({{regime, method, entry("mean_log_variance"), entry("loss"),
                                   *std::max_element(largest.begin(), largest.end()), sum(worse), sum(out)},
                                  method == report::words(data, "method").front()});
        }
    table.notes = {
        "± half the 95 % interval over pairs of sets. A pair's own fit may be worse where the objective is another "
        "than its log variance, as E Z² is."};
    return table;
}

Report report_of(const store::Dataset& data) { return {{losses(data)}, {table_of(data)}}; }

}  // namespace

Study pairwise_study() {
    return {"variance",
            "pairwise",
            "increase of the variance if parameters are fitted to whole sets, not to each pair",
            "Likhosherstov 2022, (6.15), (6.18), (6.20)",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
