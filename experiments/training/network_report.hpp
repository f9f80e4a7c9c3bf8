#pragma once
// What reports of trained networks share: the rate at which a method is shown, curves over steps, a table of outcomes
// and one of all rates.
#include <functional>

#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {

/// A method, and its place on the axes that a study has beside method, rate and seed.
struct Trained {
    std::string method;
    report::Fixed where = {};

    /// All but seed, at this rate.
    report::Fixed at(double rate) const { return report::joined({{"method", method}, {"rate", rate}}, where); }
};

/// The rate whose mean of the last validation_loss over seeds is least, those that diverged being infinite.
double best_rate(const store::Dataset&, const Trained&);
/// Mean of a variable over seeds at that rate; `more` fixes its other axes, or leaves them.
report::Averages at_best_rate(const store::Dataset&, const std::string& variable, const Trained&,
                              const report::Fixed& more = {});
/// "2 of 3 seeds: the loss is not finite, first at step 17", or nothing where none diverged.
std::string divergence_words(const store::Dataset&, const Trained&, double rate);

/// A panel of all methods: what is looked at against steps, each method at its best rate there.
report::Panel curves(const store::Dataset&, const std::string& variable, const report::Fixed& where = {});

/// A row of a table: what its first columns say, of what. `group` rules it off from the row before.
struct TrainedRow {
    Trained trained;
    std::vector<report::Entry> first;
    bool group = false;
};
/// All methods, by name.
std::vector<TrainedRow> methods_by_name(const store::Dataset&);

/// A column between the rate and what diverged.
struct Shown {
    report::Column column;
    std::function<report::Entry(const Trained&)> entry;
};
/// Mean of a variable over seeds at the best rate ± half its 95 % interval.
Shown mean_of(const store::Dataset&, const std::string& variable, report::Column, report::Fixed more = {});
/// "not positive", in percent.
Shown nonpositive_of(const store::Dataset&);
/// A column of shares, in percent.
report::Column share_column(const std::string& title);

/// The first columns, the best rate, what is shown at it, and what diverged, at that rate and at others.
report::Table outcome_table(const store::Dataset&, std::string name, std::string caption,
                            std::vector<report::Column> first, const std::vector<TrainedRow>&,
                            const std::vector<Shown>&);

/// `variable` after the last look at every rate: means over the seeds that did not diverge ± half their 95 % intervals;
/// then the best rate, and what diverged at which. The caption begins with `what` is shown.
report::Table rates_table(const store::Dataset&, std::string name, const std::string& what, const std::string& variable,
                          const report::Format&, std::vector<report::Column> first, const std::vector<TrainedRow>&);

}  // namespace rfbench::experiments
