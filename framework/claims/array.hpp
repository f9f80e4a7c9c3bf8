#pragma once
// Numbers over named axes, as claims compute with them: axes of one name are one axis, and others are crossed.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::claims {

/// Row-major over its axes; without axes it is one number.
struct Array {
    std::vector<store::Axis> axes;
    std::vector<double> values;

    /// One number.
    static Array scalar(double value) { return {{}, {value}}; }
    bool has(const std::string& axis) const;
    /// How many values are NaN, as what was not measured is.
    std::size_t missing() const;
};

/// f of each value.
Array mapped(const Array&, const std::function<double(double)>& f);

/// f of each pair; an axis that only one of them has is kept. Throws std::invalid_argument where an axis of both has
/// other labels in one than in the other.
Array combined(const Array&, const Array&, const std::function<double(double, double)>& f);

/// The values along one axis, for each place on the others.
struct Lines {
    std::vector<store::Axis> axes;  ///< the others
    store::Axis along;
    std::vector<std::vector<double>> values;
};
/// Throws std::invalid_argument, with the axes there are, where there is no such axis.
Lines lines(const Array&, const std::string& axis);

/// f of the values along one axis, which is gone then; `labels` are those of the axis, empty where they are words.
using Reduction = std::function<double(const std::vector<double>& values, const std::vector<double>& labels)>;
Array reduced(const Array&, const std::string& axis, const Reduction& f);

}  // namespace rfbench::claims
