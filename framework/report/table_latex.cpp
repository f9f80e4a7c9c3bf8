#include "rfbench/report/latex_text.hpp"
#include "rfbench/report/table_grid.hpp"

namespace rfbench::report {

namespace {

char letter(Alignment alignment) {
    return alignment == Alignment::left ? 'l' : alignment == Alignment::right ? 'r' : 'c';
}

std::string row_of(const std::vector<std::string>& texts) {
    std::string line = "    ";
    for (std::size_t c = 0; c < texts.size(); ++c) line += (c ? " & " : "") + texts[c];
    return line + " \\\\\n";
}

}  // namespace

std::string latex(const Table& table) {
    const Grid texts = grid(table);
    std::string columns;
    for (const Column& column : table.columns) columns += letter(column.alignment);

    std::string result = "% Needs \\usepackage{booktabs}.\n\\begin{table}\n  \\centering\n";
    if (!table.caption.empty()) result += "  \\caption{" + latex_text(table.caption) + "}\n";
    result += "  \\label{tab:" + table.name + "}\n  \\begin{tabular}{" + columns + "}\n    \\toprule\n";
    std::vector<std::string> head;
    for (const std::string& title : texts.head) head.push_back(latex_text(title));
    result += row_of(head) + "    \\midrule\n";
    for (std::size_t r = 0; r < texts.rows.size(); ++r) {
        if (table.rows[r].rule_above && r > 0) result += "    \\midrule\n";
        std::vector<std::string> row;
        for (std::size_t c = 0; c < texts.rows[r].size(); ++c) {
            // A word that looks like a number stays a word.
            const bool words = std::holds_alternative<std::string>(table.rows[r].entries[c]);
            row.push_back(words ? latex_text(texts.rows[r][c]) : latex_number(texts.rows[r][c]));
        }
        result += row_of(row);
    }
    result += "    \\bottomrule\n  \\end{tabular}\n";
    for (const std::string& note : table.notes) result += "  \\par\\smallskip\\footnotesize " + latex_text(note) + "\n";
    return result + "\\end{table}\n";
}

}  // namespace rfbench::report
