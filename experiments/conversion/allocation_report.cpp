#include "conversion/allocation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conversion/by_seed.hpp"
#include "report/best_report.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

/// Numbers of one result file, by seed.
class Allocated {
public:
    explicit Allocated(const store::Dataset& data)
        : data_(data), exact_(label_of(data, "exact").value()), uniform_(label_of(data, "uniform").value()) {}

    const store::Dataset& data() const { return data_; }
    const std::vector<std::string>& sources() const { return report::words(data_, "source"); }
    const std::vector<std::string>& strategies() const { return report::words(data_, "strategy"); }
    const std::vector<std::string>& methods() const { return report::words(data_, "method"); }
    BySeed values(const std::string& variable, const report::Fixed& at) const {
        return report::slice(data_, variable, at).values;
    }
    /// Whether there are cells: a method whose columns no strategy decides has those of the first strategy alone.
    bool has(const std::string& source, const std::string& strategy, const std::string& method) const {
        return !report::all_missing(
            values("acts", {{"source", source}, {"strategy", strategy}, {"method", method}, {"stage", "swapped"}}));
    }
    bool is_control(const std::string& method) const { return method == exact_ || method == uniform_; }
    /// Whether a strategy decides its columns.
    bool allotted(const std::string& source, const std::string& method) const {
        return !is_control(method) && (strategies().size() == 1 || has(source, strategies().back(), method));
    }
    bool of_text(const std::string& source) const {
        const report::Fixed at{{"source", source}, {"strategy", strategies().front()}, {"method", exact_}};
        return !report::all_missing(values("bits", at));
    }
    BySeed metric(const std::string& source, const std::string& strategy, const std::string& method,
                  const std::string& stage) const {
        return values(of_text(source) ? "bits_per_character" : "accuracy",
                      {{"source", source}, {"strategy", strategy}, {"method", method}, {"stage", stage}});
    }
    /// recovered_share() at one stage.
    BySeed recovery(const std::string& source, const std::string& strategy, const std::string& method,
                    const std::string& stage) const {
        return recovered_share(metric(source, strategy, method, stage),
                               metric(source, strategies().front(), exact_, stage),
                               metric(source, strategies().front(), uniform_, stage));
    }
    report::Entry mean(BySeed values) const { return report::averaged_entry(over_seeds(data_, std::move(values))); }

private:
    const store::Dataset& data_;
    std::string exact_, uniform_;
};

report::Table allocation_table(const Allocated& all) {
    const bool text = std::any_of(all.sources().begin(), all.sources().end(),
                                  [&](const std::string& source) { return all.of_text(source); });
    report::Table table{
        .name = "allocation",
        .caption =
            "Converted networks whose features are spent over layers and heads by each strategy and trained by "
            "each loss, mean over teachers ± half its 95 % interval. Before tuning and tuned: bits per character "
            "where the source is a text, of which less is better, else the share of targets that are right, on "
            "sequences that nothing was fitted to. recovered: (m - u) / (s - u), u being uniform attention and "
            "s softmax at the same stage." +
            std::string(text ? " chosen: share of passages of a text whose end is likelier than another's; "
                               "chance is 50 %."
                             : ""),
        .columns = {report::word_column("source"),
                    report::word_column("strategy"),
                    report::word_column("features by"),
                    {"features a head"},
                    {"before tuning"},
                    {"tuned"},
                    {"recovered before tuning"},
                    {"recovered when tuned"}}};
    if (text)
        for (const char* title : {"chosen before tuning", "chosen when tuned"})
            table.columns.push_back(report::number_column(title, {report::Format::Kind::percent, 1}));
    for (const std::string& source : all.sources())
        for (const std::string& strategy : all.strategies()) {
            bool first = true;
            for (const std::string& method : all.methods()) {
                if (!all.has(source, strategy, method)) continue;
                report::Row row{{source, all.allotted(source, method) ? strategy : "–", method}, first};
                first = false;
                const report::Fixed at{{"source", source}, {"strategy", strategy}, {"method", method}};
                row.entries.push_back(all.mean(all.values("features", at)));
                for (const char* stage : {"distilled", "tuned"})
                    row.entries.push_back(all.mean(all.metric(source, strategy, method, stage)));
                for (const char* stage : {"distilled", "tuned"})
                    row.entries.push_back(all.mean(all.recovery(source, strategy, method, stage)));
                if (text)
                    for (const char* stage : {"distilled", "tuned"})
                        row.entries.push_back(all.mean(all.values("chosen", report::joined(at, {{"stage", stage}}))));
                table.rows.push_back(std::move(row));
                if (const std::string note = divergence_note(all.values("diverged_at", at), method,
                                                             fmt::format("{}, {},", source, strategy));
                    !note.empty())
                    table.notes.push_back(note);
            }
        }
    for (std::string& note : one_network_notes(all.data())) table.notes.push_back(std::move(note));
    report::mark_best(table, report::Best::greatest,
                      report::columns_called(table, {"recovered before tuning", "recovered when tuned"}),
                      exact_labels(all.data()));
    return table;
}

/// A variable of heads that does not depend on the method: of the first whose columns a strategy decides.
report::Slice of_heads(const Allocated& all, const std::string& variable, const std::string& source,
                       const std::string& strategy) {
    const auto method = std::find_if(all.methods().begin(), all.methods().end(),
                                     [&](const std::string& one) { return all.allotted(source, one); });
    // Without any the slice is one without values.
    const std::string& shown = method == all.methods().end() ? all.methods().front() : *method;
    return report::slice(all.data(), variable, {{"source", source}, {"strategy", strategy}, {"method", shown}},
                         {"seed", "layer", "head"});
}

/// Layer by layer: degrees of freedom, and what each strategy makes of them.
report::Table degrees_table(const Allocated& all) {
    report::Table table{
        .name = "allocation-degrees",
        .caption = fmt::format("Degrees of freedom of the teachers' heads by {} queries and keys, of a layer the "
                               "largest and the mean over heads, and features a head by each strategy; means over "
                               "teachers ± half their 95 % intervals.",
                               all.data().attributes.at("points")),
        .columns = {report::word_column("source"), {"layer"}, {"largest"}, {"mean"}}};
    for (const std::string& strategy : all.strategies()) table.columns.push_back({strategy});
    const std::vector<double> layers = report::numbers(all.data(), "layer");
    for (const std::string& source : all.sources())
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const auto by_teacher = [&](const char* variable, const std::string& strategy, bool largest) {
                const report::Slice of = of_heads(all, variable, source, strategy);
                const std::size_t heads = report::numbers(all.data(), "head").size();
                BySeed values;
                for (std::size_t begin = l * heads; begin < of.values.size(); begin += layers.size() * heads) {
                    const auto from = of.values.begin() + static_cast<std::ptrdiff_t>(begin),
                               to = from + static_cast<std::ptrdiff_t>(heads);
                    double sum = 0;
                    for (auto one = from; one != to; ++one) sum += *one;
                    values.push_back(largest ? *std::max_element(from, to) : sum / static_cast<double>(heads));
                }
                return all.mean(values);
            };
            report::Row row{{source, layers[l], by_teacher("degrees", all.strategies().front(), true),
                             by_teacher("degrees", all.strategies().front(), false)}};
            for (const std::string& strategy : all.strategies())
                row.entries.push_back(by_teacher("columns", strategy, false));
            table.rows.push_back(std::move(row));
        }
    report::group_by_first(table);
    return table;
}

/// A head's error against its degrees, a panel for each source and strategy: equal dimensions leave the heads of many
/// degrees behind.
report::Figure heads_figure(const Allocated& all) {
    report::Figure figure{.name = "allocation-heads",
                          .title = "Errors of heads against their degrees of freedom",
                          .caption =
                              "|O^ - O| / |O| of each head of each network before it is tuned, given what the "
                              "teacher's layer is given, against the degrees of freedom of the teacher's head.",
                          .columns = 3};
    for (const std::string& source : all.sources())
        for (const std::string& strategy : all.strategies()) {
            report::Panel panel{.title = source + ", " + strategy,
                                .x = {.label = "degrees of freedom", .log = true},
                                .y = {.label = "error of outputs", .log = true}};
            const std::vector<double> degrees = of_heads(all, "degrees", source, strategy).values;
            for (const std::string& method : all.methods()) {
                if (all.is_control(method) || !all.has(source, strategy, method)) continue;
                const report::Slice errors = report::slice(
                    all.data(), "output_error",
                    {{"source", source}, {"strategy", strategy}, {"method", method}, {"stage", "distilled"}},
                    {"seed", "layer", "head"});
                panel.series.push_back(
                    {.label = method, .x = degrees, .y = errors.values, .style = report::Style::points});
            }
            figure.panels.push_back(std::move(panel));
        }
    return figure;
}

}  // namespace

Report allocation_report(const store::Dataset& data) {
    const Allocated all(data);
    return {{heads_figure(all)}, {allocation_table(all), degrees_table(all)}};
}

}  // namespace rfbench::experiments
