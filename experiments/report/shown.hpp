#pragma once
// One noun for what reports compare.
#include <string>
#include <vector>

#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {

/// Subject of a curve or a row: a method, at a place on the other axes of its study.
struct Shown {
    std::string method;
    report::Fixed where = {};

    /// Both, and what `more` fixes beside them.
    report::Fixed fixed(const report::Fixed& more = {}) const {
        return report::joined(report::joined({{"method", method}}, where), more);
    }
    /// Another method at the same place.
    Shown of(std::string other) const { return {std::move(other), where}; }
    /// Its label on an axis of numbers, or of words. Throw std::out_of_range where the place fixes no such axis.
    double number(const std::string& axis) const { return report::number_at(where, axis); }
    const std::string& word(const std::string& axis) const { return report::word_at(where, axis); }
};

/// Every method of a result at every place on these axes, the last axis the fastest.
std::vector<Shown> all_shown(const store::Dataset&, const std::vector<std::string>& axes);

}  // namespace rfbench::experiments
