#pragma once
// Inputs of the tables and figures of the accuracy study: accuracies at the tuned gamma, read from a result
// file.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/shown.hpp"
#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

using report::words;
const std::vector<double>& counts(const store::Dataset&);  ///< numbers of real columns
/// Places on the axes `encoding` and `scaling`: how columns of data become coordinates.
std::vector<report::Fixed> preparations(const store::Dataset&);
/// "one-hot, standardized"
std::string preparation_words(const report::Fixed&);
std::size_t splits(const store::Dataset&);
/// Those that methods are drawn by which name none: all but `own`.
std::vector<std::string> samplings(const store::Dataset&);

/// Whether it predicts without features, as the exact kernel and the majority class do.
bool is_reference(const store::Dataset&, const std::string& method);

/// A method where its results stand, on the axes `sampling` and `columns` and those of `preparation`. One that names
/// its own sampling, or has none, is at sampling `own`; one with columns of its own, or none, at the first of them.
Shown placed(const store::Dataset&, const std::string& method, const std::string& sampling, double columns,
             const report::Fixed& preparation = {});
/// "positive, sobol" where several samplings were swept.
std::string sampled_name(const store::Dataset&, const Shown&);

/// On the test rows, one number for each split, in %, at the gamma that is best on the validation rows (the least of
/// equals). Empty where a split was measured at no gamma.
struct Tuned {
    std::vector<double> accuracy, undecided;
};
Tuned tuned(const store::Dataset&, const std::string& set, const Shown&);

/// All that was measured with the most features, each preparation by itself.
std::vector<Shown> contenders(const store::Dataset&);
/// Its name, with what distinguishes it from the others of this file.
std::string title(const store::Dataset&, const Shown&);

/// The mean over the thesis' data sets, split by split; nothing unless all eight have been measured.
std::vector<double> average(const store::Dataset&, const Shown&);
bool complete(const store::Dataset&);

double mean(const std::vector<double>&);
/// The curve of a method on a data set; nothing where nothing was measured.
using SetCurve = std::function<std::optional<report::Series>(const std::string& set, const std::string& method)>;

/// A panel for each data set with the curves of all methods; references are drawn as such.
std::vector<report::Panel> panels_of_sets(const store::Dataset&, const report::Axis& x, const report::Axis& y,
                                          const SetCurve&);

/// Mean over splits and half its confidence interval; of one split, the value alone.
report::Entry estimate(const std::vector<double>& over_splits);
/// Description of the intervals: "95 % intervals of the mean over 20 random splits (...)".
std::string interval_words(const store::Dataset&);
/// The same as a note below a table.
std::string interval_note(const store::Dataset&);

constexpr double test_to_training = 0.05 / 0.9;

inline constexpr report::Format one_digit = report::decimals(1);

}  // namespace rfbench::experiments
