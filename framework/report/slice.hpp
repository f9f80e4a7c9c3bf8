#pragma once
// Cutting series and surfaces out of a dataset, for figures and tables.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::report {

/// One label of an axis, word or number.
struct Label {
    std::variant<std::string, double> value;

    Label(std::string text) : value(std::move(text)) {}
    Label(const char* text) : value(std::string(text)) {}
    Label(double number) : value(number) {}

    bool operator==(const Label&) const = default;
};

using Fixed = std::vector<std::pair<std::string, Label>>;
/// Both.
Fixed joined(Fixed one, const Fixed& other);
/// The label of an axis there, a number or a word. Throw std::out_of_range where none is fixed, and
/// std::bad_variant_access for a label of the other kind.
double number_at(const Fixed&, const std::string& axis);
const std::string& word_at(const Fixed&, const std::string& axis);

/// Part of a variable over the axes that were not fixed, in row-major order.
struct Slice {
    std::vector<store::Axis> axes;
    std::vector<double> values;
    std::string unit;

    /// The number labels of an axis, to be an x of a series. Throws std::invalid_argument when they are words.
    const std::vector<double>& numbers(const std::string& axis) const;
    const std::vector<std::string>& words(const std::string& axis) const;
};

/// The values of the variable `name` where each axis of `fixed` has the given label (numbers to within 1e-12 of
/// themselves). The remaining axes come in the order of `order`, or in the variable's when that is empty. Throws
/// std::invalid_argument with the labels there are, and the nearest, when the variable has no such axis or label, an
/// axis is fixed twice, or `order` is not a permutation of the remaining axes; std::out_of_range for an unknown
/// variable.
Slice slice(const store::Dataset&, const std::string& name, const Fixed& fixed = {},
            const std::vector<std::string>& order = {});

/// The labels of an axis that has words, or numbers. Throw std::invalid_argument for an axis of the other kind, or one
/// that there is not.
const std::vector<std::string>& words(const store::Dataset&, const std::string& axis);
const std::vector<double>& numbers(const store::Dataset&, const std::string& axis);

/// All places on these axes, the last axis the fastest. Throws std::out_of_range for an axis that there is not.
std::vector<Fixed> places(const store::Dataset&, const std::vector<std::string>& axes);

/// Whether an axis of words has this label. Throws std::invalid_argument as words() does.
bool has_word(const store::Dataset&, const std::string& axis, const std::string& word);

/// Whether all are NaN, as what was not measured is.
bool all_missing(const std::vector<double>&);
/// The first that is not NaN, as of a number that all cells share; NaN where all are.
double first_measured(const std::vector<double>&);

/// Mean and standard deviation (over n - 1) of the values along one axis, over the axes that are left.
struct Averages {
    std::vector<store::Axis> axes;
    std::vector<double> mean;                ///< NaN where count is 0
    std::vector<double> standard_deviation;  ///< NaN where count < 2
    std::vector<std::size_t> count;          ///< values that are not NaN, out of `along`
    std::size_t along;                       ///< length of the axis averaged over

    bool empty() const;  ///< all counts are 0
};

/// NaN is left out of the averages and seen in the counts; infinities are values. Throws std::invalid_argument when
/// there is no such axis.
Averages average(const Slice&, const std::string& axis);

/// Median and quartiles of the values along one axis, and the share that the largest value has in their sum.
struct Quartiles {
    std::vector<store::Axis> axes;
    std::vector<double> lower, median, upper;  ///< NaN where there is no value
    std::vector<double> largest_share;         ///< maximum / sum: 1 / n for n equal values, near 1 if one dominates
};

/// NaN is left out. Quartiles lie between sorted values, at the place p (n - 1) (Hyndman and Fan 1996, type 7). Throws
/// std::invalid_argument when there is no such axis.
Quartiles quartiles(const Slice&, const std::string& axis);

/// Averages of slice(data, variable, fixed) over `axis`.
Averages average(const store::Dataset&, const std::string& variable, const Fixed& fixed, const std::string& axis);

}  // namespace rfbench::report
