#pragma once
#include <string>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

/// Printed texts of a column's entries, in the format of format_of(). The error of an estimate decides its number of
/// decimals. An error of 0 cannot: such an estimate has the maximum number of decimals that other entries of the column
/// show, and at least as many as its value has as a plain number.
class ColumnText {
public:
    ColumnText(const Table&, std::size_t column);

    std::string operator()(const Entry&) const;
    const Format& format() const { return format_; }

private:
    Format format_;
    int exact_digits_;  ///< -1: no other shows any
};

}  // namespace rfbench::report
