// How often the estimated weights of a query add up to nothing or less: why softmax attention is approximated by
// positive features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {
namespace {

store::Dataset compute(const HeadSweep& sweep, const engine::Cell& cell) {
    const HeadCell own(sweep, cell);
    const Head& head = own.head();
    store::Variable share{"nonpositive", {"real_columns"}, {}, "", "share of queries whose denominator is not positive"};
    for (const double columns : sweep.columns) {
        Points out;
        const auto outcome = attention::linear<double>(own.map(static_cast<Index>(columns)),
                                                       {head.queries, head.keys, head.values}, attention::Visible::all, out);
        share.values.push_back(static_cast<double>(outcome.nonpositive) / static_cast<double>(sweep.length));
    }
    return {{sweep.columns_axis()}, {share}, {}};
}

Sweep prepare(const config::Value& config) {
    const HeadSweep heads(config, "negative");
    Sweep sweep;
    sweep.axes = heads.axes();
    sweep.cells = heads.cells();
    sweep.compute = [heads](const engine::Cell& cell) { return compute(heads, cell); };
    return sweep;
}

report::Averages shares(const store::Dataset& data, double dimension, double scale, const std::string& mechanism,
                        const std::string& sampling) {
    return report::average(report::slice(data, "nonpositive",
                                         {{"dimension", dimension}, {"scale", scale}, {"mechanism", mechanism},
                                          {"sampling", sampling}}),
                           "sample");
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "negative",
                          .title = "Queries whose denominator is not positive",
                          .caption = "Share of queries for which the estimated weights of all keys add up to nothing or less, "
                                     "mean over samples.",
                          .columns = 2,
                          .names = series_names(data)};
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (const PanelPlan& plan : panel_plans(data)) {
                report::Panel panel{.title = fmt::format("d = {}, standard deviation {}{}", dimension, scale, plan.suffix)};
                panel.x = {.label = "real feature columns", .log = true};
                panel.y = {.label = "share of queries", .range = {{0.0, 0.6}}};
                for (const std::string& mechanism : report::words(data, "mechanism"))
                    for (const std::string& sampling : plan.samplings) {
                        const auto averages = shares(data, dimension, scale, mechanism, sampling);
                        if (averages.count[0] == 0) continue;
                        panel.series.push_back({series_name(plan, mechanism, sampling), report::numbers(data, "real_columns"),
                                                averages.mean});
                        panel.series.back().style = report::Style::line_points;
                    }
                result.panels.push_back(std::move(panel));
            }
    return result;
}

report::Table table(const store::Dataset& data) {
    report::Table result{.name = "negative",
                         .caption = "Share of queries whose denominator is not positive, in %, at the least and the largest "
                                    "number of real columns.",
                         .columns = {{"mechanism", "", report::Alignment::left}, {"sampling", "", report::Alignment::left}}};
    const auto& columns = report::numbers(data, "real_columns");
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (const double count : {columns.front(), columns.back()})
                result.columns.push_back({fmt::format("d = {}, sd {}, {}", dimension, scale, count), "",
                                          report::Alignment::right, {report::Format::Kind::fixed, 2}});
    for (const std::string& mechanism : report::words(data, "mechanism"))
        for (const std::string& sampling : report::words(data, "sampling")) {
            report::Row row{{mechanism, sampling}};
            bool any = false;
            for (const double dimension : report::numbers(data, "dimension"))
                for (const double scale : report::numbers(data, "scale")) {
                    const auto averages = shares(data, dimension, scale, mechanism, sampling);
                    any = any || averages.count[0] > 0;
                    for (const double share : {averages.mean.front(), averages.mean.back()})
                        row.entries.emplace_back(std::isnan(share) ? report::Entry(report::Missing{})
                                                                   : report::Entry(100 * share));
                }
            if (any) result.rows.push_back(row);
        }
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study negative_study() {
    return {"attention", "negative", "how often a denominator is not positive, against cost and scale",
            "Likhosherstov 2022, section 4.1", 1, [] { return head_keys(); }, prepare, report_of};
}

}  // namespace rfbench::experiments
