#pragma once
// Shared parts of reports of trained networks: means over seeds, curves over steps, a table of outcomes and one of all
// rates.
#include <functional>

#include "report/shown.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {

/// Mean of a variable over seeds; `more` fixes its other axes, or leaves them.
report::Averages over_seeds(const store::Dataset&, const std::string& variable, const Shown&,
                            const report::Fixed& more = {});
/// The rate of all seeds, or of how many which: "0.003: 2, 0.01: 1".
report::Entry chosen_rates(const store::Dataset&, const Shown&);
/// "2 of 3 seeds: the loss is not finite, first at step 17", or nothing where none diverged.
std::string divergence_words(const store::Dataset&, const Shown&);

/// A panel of all methods: a variable against steps.
report::Panel curves(const store::Dataset&, const std::string& variable, const report::Fixed& where = {});
/// Gives the panel the range of its means and lines: bands of few seeds would leave these a small part of it.
void show_means(report::Panel&);

/// A row of a table: what its first columns say, of what. `group` rules it off from the row before.
struct TrainedRow {
    Shown trained;
    std::vector<report::Entry> first;
    bool group = false;
};
/// All methods, by name.
std::vector<TrainedRow> methods_by_name(const store::Dataset&);

/// A column between the rate and what diverged.
struct OutcomeColumn {
    report::Column column;
    std::function<report::Entry(const Shown&)> entry;
};
/// Mean of a variable over seeds ± half its 95 % interval.
OutcomeColumn mean_of(const store::Dataset&, const std::string& variable, report::Column, report::Fixed more = {});
/// Median of a variable over seeds, which says more than the mean where some seeds solve a task and others do not.
OutcomeColumn median_of(const store::Dataset&, const std::string& variable, report::Column, report::Fixed more = {});
/// A task is solved when so many validation targets are right at an evaluation, unless its study says otherwise.
inline constexpr double solved_share = 0.95;
/// "solved", the share of seeds that solved the task, each at its own share of right targets; and "steps", the median
/// over them of the step at which they first had.
std::vector<OutcomeColumn> solved_of(
    const store::Dataset&, std::function<double(const Shown&)> share = [](const Shown&) { return solved_share; });
/// "not positive", in percent.
OutcomeColumn nonpositive_of(const store::Dataset&);
/// A column of shares, in percent.
report::Column share_column(const std::string& title);

/// The first columns, the rates that were chosen, what is shown, and what diverged, then and while rates were tried.
report::Table outcome_table(const store::Dataset&, std::string name, std::string caption,
                            std::vector<report::Column> first, const std::vector<TrainedRow>&,
                            const std::vector<OutcomeColumn>&);

/// The validation loss of every rate on trial: means over the seeds that did not diverge ± half their 95 %
/// intervals; then the rates that were chosen, and what diverged at which.
report::Table rates_table(const store::Dataset&, std::string name, std::vector<report::Column> first,
                          const std::vector<TrainedRow>&);

}  // namespace rfbench::experiments
