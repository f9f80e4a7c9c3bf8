#pragma once
// How a table is set by LaTeX.
#include <filesystem>
#include <string>

#include "rfbench/report/table.hpp"

namespace rfbench::report {

inline constexpr double article_width = 345;  ///< points: the text of a page of `article`
inline constexpr double column_width = 252;   ///< points: a column of a journal in two columns

struct LatexStyle {
    std::string label = {};  ///< after "tab:"; the table's name where it is empty
    double width =
        article_width;  ///< points that the table may take: fonts get smaller, and what is too wide is scaled
};

/// A table environment for packages booktabs and, where it is scaled, graphicx.
std::string latex(const Table&, const LatexStyle&);

/// As write_table(Table, folder), its .tex in this style.
TableFiles write_table(const Table&, const std::filesystem::path& folder, const LatexStyle&);

}  // namespace rfbench::report
