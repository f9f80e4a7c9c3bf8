#include <fmt/format.h>

#include <algorithm>

#include "rfbench/report/table_grid.hpp"

namespace rfbench::report {

namespace {

// Escapes what Markdown, or the HTML inside it, would read as markup.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '<') {
            result += "&lt;";
        } else if (c == '&') {
            result += "&amp;";
        } else {
            if (std::string("\\|*_`~[]#>").find(c) != std::string::npos) result += '\\';
            result += c;
        }
    }
    return result;
}

Grid escaped(Grid grid) {
    for (std::string& title : grid.head) title = escaped(title);
    for (auto& row : grid.rows) {
        for (std::string& text : row) text = escaped(text);
    }
    return grid;
}

std::string markdown_line(const std::vector<std::string>& texts, const Table& table,
                          const std::vector<std::size_t>& width) {
    std::string result = "|";
    for (std::size_t c = 0; c < texts.size(); ++c) {
        result += fmt::format(" {} |", aligned(texts[c], width[c], table.columns[c].alignment));
    }
    return result + "\n";
}

std::string rule(const Table& table, const std::vector<std::size_t>& width) {
    std::string result = "|";
    for (std::size_t c = 0; c < width.size(); ++c) {
        const Alignment alignment = table.columns[c].alignment;
        std::string dashes(width[c] + 2, '-');
        if (alignment != Alignment::right) dashes.front() = ':';
        if (alignment != Alignment::left) dashes.back() = ':';
        result += dashes + "|";
    }
    return result + "\n";
}

}  // namespace

std::string markdown(const Table& table) {
    // Escaped before widths are taken, since a backslash has a width too.
    const Grid texts = escaped(grid(table));
    std::vector<std::size_t> width = widths(texts);
    // So that three dashes are left in a rule with colons, which all readers of Markdown take for one.
    for (std::size_t& w : width) w = std::max<std::size_t>(w, 3);

    std::string result;
    if (!table.caption.empty()) result += escaped(in_one_line(table.caption)) + "\n\n";
    result += markdown_line(texts.head, table, width) + rule(table, width);
    for (std::size_t r = 0; r < texts.rows.size(); ++r) {
        const bool between_groups = table.rows[r].rule_above && r > 0;
        if (between_groups) result += markdown_line(std::vector<std::string>(width.size()), table, width);
        result += markdown_line(texts.rows[r], table, width);
    }
    for (const std::string& note : table.notes) result += fmt::format("\n{}\n", escaped(in_one_line(note)));
    return result;
}

}  // namespace rfbench::report
