#include "rfbench/report/table_latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rfbench/report/latex_text.hpp"
#include "rfbench/report/table_grid.hpp"
#include "rfbench/report/text_width.hpp"

namespace rfbench::report {

namespace {

char letter(Alignment alignment) {
    return alignment == Alignment::left ? 'l' : alignment == Alignment::right ? 'r' : 'c';
}

std::string row_of(const std::vector<std::string>& texts) {
    // A row after \\ must not begin with what would be its argument.
    const bool is_argument = !texts.empty() && (texts[0].starts_with('[') || texts[0].starts_with('*'));
    std::string line = is_argument ? "    {}" : "    ";
    for (std::size_t c = 0; c < texts.size(); ++c) line += (c ? " & " : "") + texts[c];
    return line + " \\\\\n";
}

/// The words of a head in as few lines as the column is wide without it. Heads are often wider than their numbers.
std::vector<std::string> lines_of(const std::string& head, std::size_t width) {
    std::vector<std::string> lines{""};
    for (std::size_t at = 0; at <= head.size();) {
        const std::size_t end = std::min(head.find(' ', at), head.size());
        const std::string word = head.substr(at, end - at);
        std::string& line = lines.back();
        if (line.empty())
            line = word;
        else if (display_width(line) + 1 + display_width(word) <= width)
            line += " " + word;
        else
            lines.push_back(word);
        at = end + 1;
    }
    return lines;
}

/// The lines in LaTeX, on top of each other. A bracket after a line break would be an argument of it.
std::string stacked(const std::vector<std::string>& lines, Alignment alignment) {
    if (lines.size() == 1) return latex_text(lines[0]);
    std::string stack = std::string("\\shortstack[") + letter(alignment) + "]{";
    for (std::size_t l = 0; l < lines.size(); ++l) stack += (l ? "\\\\{}" : "") + latex_text(lines[l]);
    return stack + "}";
}

/// The largest size in which so many characters fit a width in points, by the width of a digit in mathematics and a
/// tenth more, which capitals and signs take; `fits` is whether the smallest does.
struct Size {
    const char* command;
    bool fits;
};
Size size_for(std::size_t characters, double width) {
    constexpr std::pair<const char*, double> sizes[] = {
        {"\\small", 5.1}, {"\\footnotesize", 4.6}, {"\\scriptsize", 4.3}};
    for (const auto& [command, points] : sizes)
        if (static_cast<double>(characters) * points <= width) return {command, true};
    return {"\\scriptsize", false};
}

/// Rows that a page holds beside heads, caption and notes, whatever the size.
constexpr std::size_t max_rows = 36;

/// First rows of the parts that a long table is set in, and its end: a part begins with a group where one begins in the
/// second half of the page before.
std::vector<std::size_t> parts_of(const Table& table) {
    std::vector<std::size_t> starts{0};
    while (table.rows.size() - starts.back() > max_rows) {
        std::size_t next = starts.back() + max_rows;
        while (next > starts.back() + max_rows / 2 && !table.rows[next].rule_above) --next;
        if (!table.rows[next].rule_above) next = starts.back() + max_rows;
        starts.push_back(next);
    }
    starts.push_back(table.rows.size());
    return starts;
}

}  // namespace

std::string latex(const Table& table) { return latex(table, LatexStyle{}); }

std::string latex(const Table& table, const LatexStyle& style) {
    const Grid texts = grid(table);
    std::string columns;
    for (const Column& column : table.columns) columns += letter(column.alignment);

    // Heads are broken where their column's entries are narrower; then the size follows from the width.
    std::vector<std::string> head;
    std::size_t characters = 0;
    for (std::size_t c = 0; c < texts.head.size(); ++c) {
        std::size_t width = 0;
        for (const auto& row : texts.rows) width = std::max(width, display_width(row[c]));
        const std::vector<std::string> lines = lines_of(texts.head[c], width);
        for (const std::string& line : lines) width = std::max(width, display_width(line));
        head.push_back(stacked(lines, table.columns[c].alignment));
        characters += width + 2;
    }

    const Size size = size_for(characters, style.width);
    const std::vector<std::size_t> parts = parts_of(table);
    std::string result =
        fmt::format("% Needs \\usepackage{{booktabs}}{}.\n", size.fits ? "" : " and \\usepackage{graphicx}");
    for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
        const bool first = part == 0, last = part + 2 == parts.size();
        result += fmt::format("\\begin{{table}}\n  \\centering\n  {}\n  \\setlength{{\\tabcolsep}}{{{}pt}}\n",
                              size.command, style.width < article_width ? 2 : 4);
        // A label is given once.
        if (!table.caption.empty() || !first)
            result += "  \\caption{" + (first ? latex_text(table.caption) : std::string("Continued.")) + "}\n";
        if (first) result += "  \\label{tab:" + (style.label.empty() ? table.name : style.label) + "}\n";
        // A table too wide in the smallest size is scaled to the width that there is.
        if (!size.fits) result += "  \\resizebox{\\linewidth}{!}{%\n";
        result += "  \\begin{tabular}{" + columns + "}\n    \\toprule\n";
        result += row_of(head) + "    \\midrule\n";
        for (std::size_t r = parts[part]; r < parts[part + 1]; ++r) {
            if (table.rows[r].rule_above && r > parts[part]) result += "    \\midrule\n";
            std::vector<std::string> row;
            for (std::size_t c = 0; c < texts.rows[r].size(); ++c) {
                // A word that looks like a number stays a word.
                const bool words = std::holds_alternative<std::string>(table.rows[r].entries[c]);
                row.push_back(words ? latex_text(texts.rows[r][c]) : latex_number(texts.rows[r][c]));
            }
            result += row_of(row);
        }
        result += std::string("    \\bottomrule\n  \\end{tabular}") + (size.fits ? "\n" : "}\n");
        if (last)
            for (const std::string& note : table.notes)
                result += "  \\par\\smallskip\\footnotesize " + latex_text(note) + "\n";
        result += "\\end{table}\n";
    }
    return result;
}

}  // namespace rfbench::report
