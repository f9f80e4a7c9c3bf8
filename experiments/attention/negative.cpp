// How often the estimated weights of a query add up to nothing or less: why softmax attention is approximated by
// positive features.
#include <fmt/format.h>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "rfbench/attention/linear.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::features}, .samplings = true, .samplings_otherwise = "[iid, orthogonal]"};

store::Dataset compute(const HeadSweep& sweep, const Point& at) {
    const HeadCell own(sweep, at);
    Points out;
    const auto outcome = attention::linear<double>(*own.map(), own.head().inputs(), attention::Visible::all, out);
    const double share = static_cast<double>(outcome.nonpositive) / static_cast<double>(own.length());
    return {{}, {{"nonpositive", {}, {share}, "", "share of queries whose denominator is not positive"}}, {}};
}

Sweep prepare(const config::Value& config) { return HeadSweep(config, "attention/negative", taken).sweep(compute); }

report::Figure figure(const store::Dataset& data) {
    const auto curve = [&](std::string series, const report::Slice& of) {
        return report::Series{.label = std::move(series),
                              .x = report::numbers(data, "columns"),
                              .y = report::average(of, "repeat").mean,
                              .style = report::Style::line_points};
    };
    return {.name = "negative",
            .title = "Queries whose denominator is not positive",
            .caption =
                "Share of queries for which the estimated weights of all keys add up to nothing or less, mean "
                "over repeats.",
            .panels = panels_of_heads(data, "nonpositive", {.label = "share of queries", .range = {{0.0, 0.6}}}, curve),
            .columns = 2};
}

report::Table table(const store::Dataset& data) {
    const auto& counts = report::numbers(data, "columns");
    std::vector<PlacedColumn> columns;
    for (const std::string& head : report::words(data, "head"))
        for (const double count : {counts.front(), counts.back()})
            columns.push_back(
                {report::number_column(fmt::format("{}, {}", head, count), {report::Format::Kind::percent, 2}),
                 {{"head", head}, {"columns", count}}});
    const auto mean = [](const report::Slice& of) -> report::Entry {
        const report::Averages share = report::average(of, "repeat");
        if (share.empty()) return report::Missing{};
        return share.mean.front();
    };
    return table_of_methods(data, "negative",
                            "Share of queries whose denominator is not positive, mean over repeats, at the least and "
                            "the largest number of real columns.",
                            "nonpositive", columns, mean);
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
