#pragma once
#include <string>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

/// Texts of one column's entries on paper. They are those of format_of(), but for estimates whose error is 0, which has
/// no digits to go by: these have as many digits behind the point as the most that others of the column show, and never
/// fewer than they have as numbers.
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
