#pragma once
// One noun for what reports compare.
#include <string>

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
};

}  // namespace rfbench::experiments
