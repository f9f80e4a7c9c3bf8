#pragma once
// Baselines without attention, shown beside all methods, and the margin by which softmax attention is better than them.
// Without a sufficient margin a study cannot judge attention.
#include "training/network_report.hpp"
#include "training/network_training.hpp"

namespace rfbench::experiments {

/// A result that is reached without attention.
struct Baseline {
    std::string name;
    double value;
    std::vector<double> more = {};  ///< in columns after that of the value
};

/// The value that every cell has of a variable there, but for cells that are missing; NaN where all are.
double shared_value(const store::Dataset&, const std::string& variable, const report::Fixed& = {});

/// The attribute `softmax` of a result file: the label of the method that is softmax attention, where one is.
void note_softmax(Sweep&, const NetworkSetting&);

/// How outcomes are compared with a baseline.
struct Margin {
    std::string variable;  ///< of the outcome
    bool smaller;          ///< whether the smaller value is the better one
    double least;          ///< by which softmax attention must be better
    double scale;          ///< of what is said: 100 for percentage points
    std::string unit;      ///< "bits per character", "points"
};

/// "Softmax attention is 0.71 ± 0.03 bits per character better than trigrams (2.4); 0.3 are asked for." If the lower
/// end of the interval is below `least`: "...: this run cannot judge attention." Other sentences say that softmax
/// attention diverged, or is not among the methods.
std::string margin_words(const store::Dataset&, const Margin&, const Baseline&, const report::Fixed& where = {});

/// Dashed lines across a panel.
void add_lines(report::Panel&, const std::vector<Baseline>&);
/// Rows of an outcome table, below its methods: `first` is what stands before the name, the value is in the column
/// after the rate, and more of them in the next ones.
void add_rows(report::Table&, const std::vector<Baseline>&, const std::vector<report::Entry>& first = {});

}  // namespace rfbench::experiments
