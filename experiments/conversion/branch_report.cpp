#include "conversion/branch_report.hpp"

namespace rfbench::experiments {
namespace {

/// The metric without a branch.
BySeed metric_without(const Recovered& all, const std::string& source, const std::string& method,
                      const std::string& branch) {
    const report::Fixed at{{"source", source}, {"method", method}};
    BySeed own = all.values(all.of_text(source) ? "without_loss" : "without_accuracy",
                            report::joined(at, {{"without", branch}}));
    if (!all.of_text(source)) return own;
    const BySeed bits = all.values("bits", at);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] *= bits[i];
    return own;
}

}  // namespace

std::optional<report::Table> branch_table(const Recovered& all) {
    if (!all.data().has_variable("without_loss")) return {};
    report::Table table{
        .name = "recovery-branches",
        .caption = std::string("Heads that are a window of softmax attention and features of what is before it, in one "
                               "sum: the tuned network, and the same network without either, its parameters as they "
                               "are. Without the window all keys go through features; without features the window is "
                               "all that is seen. ") +
                   metric_words +
                   ". Mean over teachers ± half its 95 % interval. recovered: (m - u) / (s - u), u being uniform "
                   "attention and s softmax that is tuned on.",
        .columns = {report::word_column("source"),
                    report::word_column("method"),
                    {"whole"},
                    {"without window"},
                    {"without features"},
                    {"recovered"},
                    {"recovered without window"},
                    {"recovered without features"}}};
    for (const std::string& source : all.sources()) {
        const BySeed softmax = all.metric(source, all.exact(), "tuned"),
                     uniform = all.metric(source, all.uniform(), "tuned");
        for (const std::string& method : all.methods()) {
            const BySeed window = metric_without(all, source, method, "window"),
                         features = metric_without(all, source, method, "features"),
                         whole = all.metric(source, method, "tuned");
            if (report::all_missing(window) && report::all_missing(features)) continue;
            report::Row row{{source, method}};
            for (const BySeed& values : {whole, window, features}) row.entries.push_back(all.entry(values));
            for (const BySeed& values : {whole, window, features})
                row.entries.push_back(all.entry(recovered_share(values, softmax, uniform)));
            table.rows.push_back(std::move(row));
        }
    }
    if (table.rows.empty()) return {};
    return table;
}

}  // namespace rfbench::experiments
