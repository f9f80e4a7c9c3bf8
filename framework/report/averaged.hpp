#pragma once
// Averages and quartiles (slice.hpp) as they are shown. One convention for all: an interval is that of the mean, with
// a confidence of 95 %, unless the spread of single values is the subject.
#include "rfbench/report/figure.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/statistics/linear_fit.hpp"

namespace rfbench::report {

/// Half of Student's 95 % interval of a mean; NaN for fewer than two values.
double half_width(const Averages&, std::size_t at = 0);

/// Means against x, on a logarithmic axis, with the band mean exp(± half_width / mean): Student's 95 % interval of the
/// logarithm of the mean (to first order), which is positive as the mean is. Where there are fewer than two values the
/// ends are NaN, as they are where the mean is not above zero.
Series averaged_series(std::string label, std::vector<double> x, const Averages&, Style = Style::line);

/// Axes of curves: one for each word of `by`, against the numbers of `along`, means over `over`.
struct CurveAxes {
    std::string by, along, over;
};
/// Such curves of a variable, called as the words of `by`; `where` fixes its other axes.
std::vector<Series> averaged_curves(const store::Dataset&, const std::string& variable, const CurveAxes&,
                                    const Fixed& where = {}, Style = Style::line_points);

/// Description of such bands for a caption: "95 % Student intervals of the logarithm of the mean over <over>".
std::string interval_words(const std::string& over);

/// Medians against x with a band from the lower to the upper quartile: the spread of single values.
Series quartile_series(std::string label, std::vector<double> x, const Quartiles&, Style = Style::line);

/// A mean ± half its 95 % interval; of one value, that value; Missing where there is none.
Entry averaged_entry(const Averages&, std::size_t at = 0);
/// The same of a mean whose values all count: Missing where one of them is not finite.
Entry averaged_entry(const statistics::Mean&);
/// averaged_entry() of these values' mean.
Entry averaged_entry(const std::vector<double>& values);

}  // namespace rfbench::report
