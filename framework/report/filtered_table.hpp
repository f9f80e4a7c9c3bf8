#pragma once
#include <string>

#include "rfbench/report/page.hpp"

namespace rfbench::report {

/// The HTML of a table with its menus, and the script that hides rows; without scripts all rows are there. Throws what
/// check(Table) does, and std::invalid_argument for a column that the table does not have.
std::string filtered_part(const FilteredTable&);

}  // namespace rfbench::report
