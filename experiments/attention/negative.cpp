// How often the estimated weights of a query add up to nothing or less: why softmax attention is approximated by
// positive features.
#include <fmt/format.h>

#include <cmath>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/proportion.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::features}, .samplings = true, .default_samplings = "[iid, orthogonal]"};

store::Dataset compute(const HeadSweep& sweep, const Point& at) {
    const HeadCell own(sweep, at);
    Points out;
    // The output itself is of no interest: only how many denominators were not positive.
    const auto outcome = attention::linear<double>(*own.map(), own.head().inputs(), attention::Visible::all, out);
    const double share = static_cast<double>(outcome.nonpositive) / static_cast<double>(own.queries());
    return {{}, {{"nonpositive", {}, {share}, "", "share of queries whose denominator is not positive"}}, {}};
}

Sweep prepare(const config::Value& config) { return HeadSweep(config, "attention/negative", taken).sweep(compute); }

report::Figure figure(const store::Dataset& data) {
    const auto curve = [&](std::string series, const report::Slice& of) {
        const report::Averages shares = report::average(of, "repeat");
        report::Series result{.label = std::move(series),
                              .x = report::numbers(data, "columns"),
                              .y = shares.mean,
                              .style = report::Style::line_points};
        for (std::size_t i = 0; i < shares.mean.size(); ++i) {
            // A sweep that is not finished may have no repeat there: no mean, and no interval.
            if (shares.count[i] == 0) {
                result.low.push_back(shares.mean[i]);
                result.high.push_back(shares.mean[i]);
                continue;
            }
            const auto interval = statistics::interval_of_share(shares.mean[i], report::half_width(shares, i));
            result.low.push_back(interval.low);
            result.high.push_back(interval.high);
        }
        return result;
    };
    std::vector<report::Panel> panels =
        panels_of_heads(data, "nonpositive", {.label = "share of queries", .range = {{0.0, 0.6}}}, curve);
    return {.name = "negative",
            .title = "Queries whose denominator is not positive",
            .caption =
                "Share of queries for which the estimated weights of all keys add up to nothing or less, mean "
                "over repeats.",
            .interval = fmt::format("Bands: {:g} % Student intervals of the mean over repeats, taken of its log-odds",
                                    100 * statistics::confidence),
            .panels = std::move(panels),
            .columns = 2};
}

report::Table table(const store::Dataset& data) {
    const auto& counts = report::numbers(data, "columns");
    std::vector<double> ends{counts.front()};
    if (counts.size() > 1) ends.push_back(counts.back());
    std::vector<PlacedColumn> columns;
    for (const std::string& head : report::words(data, "head"))
        for (const double count : ends)
            columns.push_back(
                {report::number_column(fmt::format("{}, {}", head, count), {report::Format::Kind::percent, 2}),
                 {{"head", head}, {"columns", count}}});
    return table_of_methods(
        data, "negative",
        "Share of queries whose denominator is not positive, mean over repeats ± half its 95 % interval, "
        "at the least and the largest number of real columns.",
        "nonpositive", columns);
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study negative_study() {
    return {"attention",
            "negative",
            "how often a denominator is not positive, against cost and scale",
            "Likhosherstov 2022, section 4.1",
            1,
            taken,
            head_keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
