#include "conversion/recovery_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "conversion/branch_report.hpp"
#include "conversion/converted.hpp"
#include "conversion/picture_report.hpp"
#include "conversion/recovered.hpp"
#include "conversion/scratch_report.hpp"
#include "report/best_report.hpp"
#include "rfbench/report/averaged.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

report::Table recovery_table(const Recovered& all) {
    report::Table table{
        .name = "recovery",
        .caption =
            std::string("Softmax networks made linear, mean over teachers ± half its 95 % interval: ") + metric_words +
            ". swapped: heads in place of softmax; fitted: features fitted once to the teacher's heads; "
            "distilled: parameters of heads trained to match them; tuned: all trained on the task. A dash: the "
            "stage changes nothing of this method. recovered: (m - u) / (s - u), u being uniform attention and s "
            "softmax at the same stage, teacher by teacher; of softmax: m / s of shares that are right, s / m "
            "of bits.",
        .columns = {report::word_column("source"), report::word_column("method")}};
    for (const std::string& stage : stage_names) table.columns.push_back({stage});
    for (const char* title : {"recovered before tuning", "recovered when tuned", "of softmax"})
        table.columns.push_back({title});
    for (const std::string& source : all.sources())
        for (const std::string& method : all.methods()) {
            report::Row row{{source, method}};
            for (const std::string& stage : stage_names)
                row.entries.push_back(all.acts(source, method, stage) ? all.entry(all.metric(source, method, stage))
                                                                      : report::Entry(report::Missing{}));
            row.entries.push_back(all.entry(all.recovery(source, method, "distilled", all.tuned())));
            row.entries.push_back(all.entry(all.recovery(source, method, "tuned", all.tuned())));
            row.entries.push_back(all.entry(
                all.ratio(source, all.metric(source, method, "tuned"), all.metric(source, all.exact(), "tuned"))));
            table.rows.push_back(std::move(row));
        }
    report::group_by_first(table);
    report::mark_best(table, report::Best::greatest,
                      report::columns_called(table, {"recovered before tuning", "recovered when tuned"}),
                      exact_labels(all.data()));
    std::istringstream lines(all.data().attributes.at("without_causal_form"));
    for (std::string method; std::getline(lines, method);)
        table.notes.push_back(
            fmt::format("'{}' has no causal form: where tokens see those before them alone, its row "
                        "has dashes.",
                        method));
    // Files of earlier versions have no methods that are causal alone.
    if (const auto alone = all.data().attributes.find("causal_alone"); alone != all.data().attributes.end()) {
        std::istringstream names(alone->second);
        for (std::string method; std::getline(names, method);)
            table.notes.push_back(
                fmt::format("'{}' is causal alone: where tokens see all others, its row has dashes.", method));
    }
    for (const std::string& source : all.sources())
        for (const std::string& method : all.methods()) {
            const BySeed at = all.values("diverged_at", {{"source", source}, {"method", method}});
            if (const std::string note = divergence_note(at, method, source); !note.empty())
                table.notes.push_back(note);
        }
    for (std::string& note : one_network_notes(all.data())) table.notes.push_back(std::move(note));
    return table;
}

report::Table cost_table(const Recovered& all) {
    const auto whole = [](const char* title, const char* unit = "") {
        return report::Column{title, unit, report::Alignment::right, {report::Format::Kind::whole, 3}};
    };
    report::Table table{
        .name = "recovery-cost",
        .caption =
            "Costs of converted networks: features a head, multiplications a token in all heads (features by "
            "dense products), bytes in float of what decoding keeps of a whole sequence; tokens of tuning after "
            "which the network is within 1, 2 and 5 % of its teacher, median over teachers (0: before tuning; "
            "∞: not within the tuning), looked at " +
            fmt::format("{} times; ", report::numbers(all.data(), "share").size()) +
            "share of denominators that are not positive at the last stage.",
        .columns = {report::word_column("source"), report::word_column("method"), whole("features"),
                    whole("operations"), whole("state", "byte"), whole("within 1 %"), whole("within 2 %"),
                    whole("within 5 %"), report::number_column("not positive", {report::Format::Kind::percent, 2})}};
    for (const std::string& source : all.sources())
        for (const std::string& method : all.methods()) {
            const report::Fixed at{{"source", source}, {"method", method}};
            report::Row row{{source, method}};
            for (const char* variable : {"features", "operations", "state_bytes"}) {
                const report::Averages mean = all.average(all.values(variable, at));
                row.entries.push_back(mean.empty() ? report::Entry(report::Missing{}) : mean.mean.front());
            }
            for (const double share : {0.01, 0.02, 0.05})
                row.entries.push_back(all.tokens_to_within(source, method, share));
            row.entries.push_back(all.entry(all.values("nonpositive", report::joined(at, {{"stage", "tuned"}}))));
            table.rows.push_back(std::move(row));
        }
    report::group_by_first(table);
    return table;
}

/// Downstream: which of two continuations is likelier. Nothing where no source is a text.
std::optional<report::Table> chosen_table(const Recovered& all) {
    const auto judged = all.data().attributes.find("judged");
    // Files of rfbench before passages were continued have no number of them.
    if (judged == all.data().attributes.end()) return {};
    const double passages = std::stod(judged->second);
    report::Table table{
        .name = "recovery-chosen",
        .caption = fmt::format("Share of passages of a text held out whose last {} bytes are likelier than those of "
                               "another passage; chance is 50 %. Mean over teachers ± half its 95 % interval, over "
                               "the same {} passages: of one network, a share of 50 % is known to ± {:.0f} %, one of "
                               "90 % to ± {:.0f} %.",
                               all.data().attributes.at("continuation"), passages, 196 * std::sqrt(0.25 / passages),
                               196 * std::sqrt(0.09 / passages)),
        .columns = {report::word_column("source"), report::word_column("method")}};
    for (const std::string& stage : stage_names)
        table.columns.push_back(report::number_column(stage, {report::Format::Kind::percent, 1}));
    for (const std::string& source : all.sources()) {
        if (!all.of_text(source)) continue;
        for (const std::string& method : all.methods()) {
            report::Row row{{source, method}};
            for (const std::string& stage : stage_names)
                row.entries.push_back(
                    all.acts(source, method, stage)
                        ? all.entry(all.values("chosen", {{"source", source}, {"method", method}, {"stage", stage}}))
                        : report::Entry(report::Missing{}));
            table.rows.push_back(std::move(row));
        }
    }
    if (table.rows.empty()) return {};
    return table;
}

/// Means over heads, then over teachers.
report::Table heads_table(const Recovered& all) {
    report::Table table{
        .name = "recovery-heads",
        .caption =
            "Heads of converted networks, each layer given what the teacher's is given, mean over layers and "
            "heads, then over teachers ± half its 95 % interval: Kullback-Leibler divergence of attention "
            "weights from the teacher's, the share of the teacher's weight that is lost in it (pairs whose "
            "weight is not positive), error of outputs; and the error of X after the first and the last layer, "
            "errors before them included.",
        .columns = {report::word_column("source"),
                    report::word_column("method"),
                    report::word_column("stage"),
                    {"divergence"},
                    report::number_column("lost", {report::Format::Kind::percent, 2}),
                    {"error of outputs"},
                    {"first layer"},
                    {"last layer"}}};
    const auto mean_over_heads = [&](const std::string& variable, const report::Fixed& at) {
        return report::average(report::slice(all.data(), variable, report::joined(at, {{"columns", all.tuned()}}),
                                             {"seed", "layer", "head"}),
                               "head");
    };
    const auto layers = report::numbers(all.data(), "layer");
    for (const std::string& source : all.sources())
        for (const std::string& method : all.methods())
            for (const std::string& stage : stage_names) {
                if (!all.acts(source, method, stage)) continue;
                const report::Fixed at{{"source", source}, {"method", method}, {"stage", stage}};
                report::Row row{{source, method, stage}};
                for (const char* variable : {"divergence", "lost", "output_error"}) {
                    const report::Averages by_layer = mean_over_heads(variable, at);
                    const std::size_t count = layers.size();
                    BySeed means(by_layer.mean.size() / count, 0.0);
                    for (std::size_t i = 0; i < by_layer.mean.size(); ++i)
                        means[i / count] += by_layer.mean[i] / static_cast<double>(count);
                    row.entries.push_back(all.entry(means));
                }
                for (const double layer : {layers.front(), layers.back()})
                    row.entries.push_back(
                        all.entry(all.values("hidden_error", report::joined(at, {{"layer", layer}}))));
                table.rows.push_back(std::move(row));
            }
    report::group_by_first(table);
    return table;
}

/// Entropy of the class token's row, of sources that have one; nothing where none has, or in files of rfbench before it
/// was stored.
std::optional<report::Table> class_row_table(const Recovered& all) {
    if (!all.data().has_variable("class_entropy")) return {};
    report::Table table{
        .name = "recovery-class-row",
        .caption =
            "Entropy in nats of the class token's row of attention, in the network as it is at each stage, mean "
            "over the heads of the last layer, then over teachers ± half its 95 % interval. The smaller, the "
            "sharper; uniform attention has the logarithm of the number of tokens.",
        .columns = {report::word_column("source"), report::word_column("method")}};
    for (const std::string& stage : stage_names) table.columns.push_back({stage});
    const double last = report::numbers(all.data(), "layer").back();
    for (const std::string& source : all.sources())
        for (const std::string& method : all.methods()) {
            report::Row row{{source, method}};
            bool any = false;
            for (const std::string& stage : stage_names) {
                const report::Slice of = report::slice(all.data(), "class_entropy",
                                                       {{"source", source},
                                                        {"method", method},
                                                        {"stage", stage},
                                                        {"columns", all.tuned()},
                                                        {"layer", last}},
                                                       {"seed", "head"});
                any = any || !report::all_missing(of.values);
                row.entries.push_back(all.acts(source, method, stage) ? all.entry(report::average(of, "head").mean)
                                                                      : report::Entry(report::Missing{}));
            }
            if (any) table.rows.push_back(std::move(row));
        }
    if (table.rows.empty()) return {};
    return table;
}

report::Figure tuning_figure(const Recovered& all) {
    report::Figure figure{.name = "recovery-tuning",
                          .title = "Converted networks while they are tuned",
                          .caption = std::string("Against tokens of tuning: ") + metric_words +
                                     ". At 0 the heads are swapped, fitted and distilled. exact is softmax that is "
                                     "tuned on. Means over teachers.",
                          .interval = "Bands: " + report::interval_words("teachers"),
                          .columns = 2};
    for (const std::string& source : all.sources()) {
        const bool text = all.of_text(source);
        report::Panel panel{.title = source,
                            .x = {.label = "tokens of tuning"},
                            .y = {.label = text ? "bits per character" : "share that is right"}};
        double best = text ? std::numeric_limits<double>::infinity() : 0;
        for (const std::string& method : all.methods()) {
            const report::Averages curve = all.averages(all.tuning(source, method));
            if (curve.empty()) continue;
            for (const double mean : curve.mean)
                if (!std::isnan(mean)) best = text ? std::min(best, mean) : std::max(best, mean);
            panel.series.push_back(
                report::averaged_series(method, all.tokens(source), curve, report::Style::line_points));
        }
        // A network whose features have signs may begin beyond any scale: what lies there is marked at the edge.
        if (text && std::isfinite(best)) panel.y.range = {0.95 * best, 2 * best};
        // No share is above 1; the bands of few teachers are.
        if (!text) panel.y.range = {0, 1.05};
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

/// Recovery against columns, a panel for each source and stage.
report::Figure columns_figure(const Recovered& all) {
    report::Figure figure{.name = "recovery-columns",
                          .title = "Recovery against features",
                          .caption =
                              "(m - u) / (s - u) of networks that are not tuned, u being uniform attention and s "
                              "the teacher, against real feature columns of a head, by stage. Below 0 a network "
                              "is worse than with uniform attention. Means over teachers.",
                          .interval = "Bars: 95 % Student intervals of the mean over teachers",
                          .columns = 3};
    const auto& columns = report::numbers(all.data(), "columns");
    for (const std::string& source : all.sources())
        for (const std::string stage : {"swapped", "fitted", "distilled"}) {
            report::Panel panel{.title = source + ", " + stage,
                                .x = {.label = "columns", .log = true},
                                .y = {.label = "recovered", .range = {{-0.5, 1.1}}},
                                .horizontal = {{0, "uniform"}, {1, "softmax"}}};
            for (const std::string& method : all.methods()) {
                // A stage that changes nothing has the curve of the one before it.
                if (!all.acts(source, method, stage)) continue;
                report::Series series{.label = method,
                                      .x = {},
                                      .y = {},
                                      .style = report::Style::line_points,
                                      .spread = report::Spread::bars};
                for (const double count : columns) {
                    const report::Averages mean = all.average(all.recovery(source, method, stage, count));
                    if (mean.empty()) continue;
                    const double half = report::half_width(mean);
                    series.x.push_back(count);
                    series.y.push_back(mean.mean.front());
                    series.low.push_back(mean.mean.front() - half);
                    series.high.push_back(mean.mean.front() + half);
                }
                if (series.x.size() > 1) panel.series.push_back(std::move(series));
            }
            figure.panels.push_back(std::move(panel));
        }
    return figure;
}

}  // namespace

Report recovery_report(const store::Dataset& data) {
    const Recovered all(data);
    Report report{{tuning_figure(all)}, {recovery_table(all), cost_table(all), heads_table(all)}};
    if (auto chosen = chosen_table(all)) report.tables.push_back(std::move(*chosen));
    if (auto rows = class_row_table(all)) report.tables.push_back(std::move(*rows));
    if (auto branches = branch_table(all)) report.tables.push_back(std::move(*branches));
    for (report::Figure& figure : picture_figures(all)) report.figures.push_back(std::move(figure));
    if (auto scratch = scratch_table(all)) {
        report.tables.push_back(std::move(*scratch));
        report.figures.push_back(scratch_figure(all));
    }
    if (report::numbers(data, "columns").size() > 1) report.figures.push_back(columns_figure(all));
    return report;
}

}  // namespace rfbench::experiments
