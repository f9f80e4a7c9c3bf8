// Causal FAVOR++ (the open question 3 of Likhosherstov 2022): features fitted from what has been seen, from another
// sequence, or, as a reference that sees the future, from the whole sequence.
#include <fmt/format.h>

#include <algorithm>

#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const MethodKey taken{
    .abilities = {Ability::causal},
    .keys = {config::defaulted("fit", config::one_of({"prefix", "previous", "whole"}), "prefix",
                               "what parameters are fitted to: the tokens before (renewed when their number has "
                               "doubled), another sequence, or the whole one, which sees the future")}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("length", integer(2, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        required("scales", numbers(above(0).at_most(100)), "standard deviation of the entries of queries and keys"),
        required("columns", integers(1, 65536), "real feature columns"),
        defaulted("first", integer(1, 1'000'000), "128", "tokens before the first fit to a prefix"),
        required("repeats", integer(2, 100'000), "heads and draws of features"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<Index> dimensions;
    Axis<double> scales;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;  ///< inside a cell
    Index length, first;
    Stream seed;
};

Points attend(const MethodChoice& method, const Head& head, const Head& previous, Index columns, Index first,
              const Stream& stream) {
    const sampling::Scheme& scheme = method.scheme(sampling::find("orthogonal"));
    const std::string fit = method.entry.at("fit").text();
    Points out;
    if (fit == "prefix") {
        method->attention({head.queries.rows(), head.queries.cols(), columns, first}, scheme, stream)
            ->attend(head.inputs(), Visible::causal, out);
        return out;
    }
    const Head& seen = fit == "previous" ? previous : head;
    const auto map = method->features(seen.queries, seen.keys)(columns, scheme, stream);
    attention::linear<double>(*map, head.inputs(), Visible::causal, out);
    return out;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const Index d = at[setting.dimensions];
    const double scale = at[setting.scales];
    const Stream seed = setting.seed.child(at[setting.repeats]).child(static_cast<std::uint64_t>(d));
    const Head head = draw_head(setting.length, d, scale, seed.child("head"));
    const Head previous = draw_head(setting.length, d, scale, seed.child("previous"));
    Points exact;
    attention::exact<double>(head.inputs(), Visible::causal, exact);
    store::Variable error{"relative_output_error", {"method", "columns"}, {}, "", "|O^ - O| / |O|, Frobenius"};
    for (const MethodChoice& method : setting.methods)
        for (const Index columns : setting.columns) {
            const Stream own = seed.child("features").child(static_cast<std::uint64_t>(columns));
            const Points out = attend(method, head, previous, columns, setting.first, own);
            error.values.push_back((out - exact).norm() / exact.norm());
        }
    return {{setting.methods.stored(), setting.columns.stored()}, {error}, {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{
        method_axis(methods(config, taken)),
        whole_axis("dimension", config.at("dimensions").integers(), "d"),
        axis("scale", config.at("scales").numbers(), "standard deviation of the entries of queries and keys"),
        repeat_axis("repeat", config.at("repeats").integer(), "head and draw of features"),
        whole_axis("columns", config.at("columns").integers(), "real feature columns"),
        whole(config, "length"),
        whole(config, "first"),
        study_stream(config, "attention/causal")};
    for (const MethodChoice& method : setting.methods) {
        for (const Index d : setting.dimensions) method.require_dimension(d);
        if (method.entry.at("fit").text() != "prefix" && !method.can(Ability::features))
            method.entry.at("fit").refuse("'" + method.info->name + "' has no features that could be fitted");
    }
    Sweep sweep = Sweep::over(setting.dimensions, setting.scales, setting.repeats);
    // Two heads, exact and estimated outputs.
    const auto d = static_cast<double>(*std::max_element(setting.dimensions.begin(), setting.dimensions.end()));
    sweep.bytes = 8 * d * static_cast<double>(setting.length) * sizeof(double);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "causal",
        .title = "Causal attention: where parameters are fitted",
        .caption =
            "Relative error of the output, means over repeats. A fit to the whole sequence sees the future and is "
            "there as a reference.",
        .interval = "Bands: " + report::interval_words("repeats"),
        .columns = 2};
    report::Table table{.name = "causal",
                        .caption = "Relative error of the causal output, mean over repeats ± half its 95 % interval.",
                        .columns = {{"d"}, {"scale"}, {"columns"}}};
    for (const std::string& method : report::words(data, "method")) table.columns.push_back({method});
    const auto& columns = report::numbers(data, "columns");
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale")) {
            report::Panel panel{.title = fmt::format("d = {}, entries of standard deviation {}", dimension, scale)};
            panel.x = {.label = "real feature columns", .log = true};
            panel.y = {.label = "relative error", .log = true};
            std::vector<report::Row> rows;
            for (const double count : columns) rows.push_back({{dimension, scale, count}});
            for (const std::string& method : report::words(data, "method")) {
                const auto errors =
                    report::average(data, "relative_output_error",
                                    {{"dimension", dimension}, {"scale", scale}, {"method", method}}, "repeat");
                for (std::size_t m = 0; m < columns.size(); ++m)
                    rows[m].entries.push_back(report::averaged_entry(errors, m));
                panel.series.push_back(report::averaged_series(method, columns, errors, report::Style::line_points));
            }
            figure.panels.push_back(std::move(panel));
            for (const report::Row& row : rows) table.rows.push_back(row);
        }
    return {{figure}, {table}};
}

}  // namespace

Study causal_study() {
    return {"attention",
            "causal",
            "causal attention fitted from the prefix, a previous sequence or the whole",
            "Likhosherstov 2022, chapter 7, question 3",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
