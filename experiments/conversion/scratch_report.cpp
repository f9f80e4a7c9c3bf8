#include "conversion/scratch_report.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::experiments {
namespace {

/// The metric of networks that are trained from scratch, at the end.
BySeed from_scratch(const Recovered& all, const std::string& source, const std::string& method) {
    return all.curve("scratch", source, method).back();
}

/// Tokens of that training; NaN where there was none.
double tokens_from_scratch(const Recovered& all, const std::string& source, const std::string& method) {
    return report::first_measured(all.values("scratch_tokens", {{"source", source}, {"method", method}}));
}

BySeed by_seed_difference(BySeed one, const BySeed& other) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] -= other[i];
    return one;
}

}  // namespace

std::optional<report::Table> scratch_table(const Recovered& all) {
    if (!all.data().has_variable("scratch_loss")) return {};
    const auto whole = [](const char* title) {
        return report::Column{title, "", report::Alignment::right, {report::Format::Kind::whole, 3}};
    };
    report::Table table{
        .name = "recovery-scratch",
        .caption = std::string("Networks trained from scratch with each attention, by as many sequences as the teacher "
                               "and its tuned conversion have seen together and as the teacher was trained, beside "
                               "these: ") +
                   metric_words +
                   ". Mean over teachers ± half its 95 % interval. difference: converted less from scratch, seed by "
                   "seed. of tokens: those of tuning over all. recovered: (m - u) / (s - u), u being uniform attention "
                   "and s softmax that were trained in the same way; of softmax: m / s of shares that are right, s / m "
                   "of bits.",
        .columns = {report::word_column("source"),
                    report::word_column("method"),
                    whole("tokens"),
                    report::number_column("of tokens", {report::Format::Kind::percent, 1}),
                    {"from scratch"},
                    {"converted"},
                    {"difference"},
                    {"recovered from scratch"},
                    {"recovered when converted"},
                    {"of softmax from scratch"},
                    {"of softmax when converted"}}};
    for (const std::string& source : all.sources()) {
        const BySeed softmax = from_scratch(all, source, all.exact()),
                     uniform = from_scratch(all, source, all.uniform());
        for (const std::string& method : all.methods()) {
            const double all_tokens = tokens_from_scratch(all, source, method);
            if (std::isnan(all_tokens)) continue;
            const BySeed scratch = from_scratch(all, source, method), tuned = all.metric(source, method, "tuned");
            report::Row row{{source, method}};
            row.entries.emplace_back(all_tokens);
            row.entries.emplace_back(all.tokens(source).back() / all_tokens);
            for (const BySeed& values :
                 {scratch, tuned, by_seed_difference(tuned, scratch), recovered_share(scratch, softmax, uniform),
                  all.recovery(source, method, "tuned", all.tuned()), all.ratio(source, scratch, softmax),
                  all.ratio(source, tuned, all.metric(source, all.exact(), "tuned"))})
                row.entries.push_back(all.entry(values));
            const BySeed at = all.values("scratch_diverged_at", {{"source", source}, {"method", method}});
            if (const auto diverged = std::count_if(at.begin(), at.end(), [](double one) { return !std::isnan(one); }))
                table.notes.push_back("The training of '" + method + "' from scratch on " + source + " diverged for " +
                                      std::to_string(diverged) + " of " + std::to_string(at.size()) + " seeds.");
            table.rows.push_back(std::move(row));
        }
    }
    if (table.rows.empty()) return {};
    for (std::string& note : one_network_notes(all.data())) table.notes.push_back(std::move(note));
    report::group_by_first(table);
    return table;
}

report::Figure scratch_figure(const Recovered& all) {
    report::Figure figure{
        .name = "recovery-scratch",
        .title = "Converted, and trained from scratch",
        .caption = std::string("Against all tokens of training: ") + metric_words +
                   ". Lines: trained from scratch with each attention. Marks at the right: converted from a softmax "
                   "network that has seen all but the last tokens, while it is tuned. Means over teachers.",
        .interval = "Bands: " + report::interval_words("teachers"),
        .columns = 2};
    for (const std::string& source : all.sources()) {
        report::Panel panel{.title = source,
                            .x = {.label = "tokens of training"},
                            .y = {.label = all.of_text(source) ? "bits per character" : "share that is right"}};
        if (!all.of_text(source)) panel.y.range = {0, 1.05};
        for (const std::string& method : all.methods()) {
            const double whole = tokens_from_scratch(all, source, method);
            if (std::isnan(whole)) continue;
            std::vector<double> at;
            for (const double share : report::numbers(all.data(), "share")) at.push_back(share * whole);
            panel.series.push_back(report::averaged_series(
                method, at, all.averages(all.curve("scratch", source, method)), report::Style::line));
            const std::vector<double> tuned_for = all.tokens(source);
            std::vector<double> behind;
            for (const double tokens : tuned_for) behind.push_back(whole - tuned_for.back() + tokens);
            report::Series converted = report::averaged_series(
                method + ", converted", behind, all.averages(all.tuning(source, method)), report::Style::points);
            converted.like = method;
            panel.series.push_back(std::move(converted));
        }
        if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
    }
    return figure;
}

}  // namespace rfbench::experiments
