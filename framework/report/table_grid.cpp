#include "rfbench/report/table_grid.hpp"

#include <algorithm>

#include "rfbench/report/column_text.hpp"
#include "rfbench/report/text_width.hpp"

namespace rfbench::report {

std::string in_one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return text;
}

Grid grid(const Table& table) {
    check(table);
    Grid result;
    std::vector<ColumnText> texts_of;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        texts_of.emplace_back(table, c);
        // The head has the sign, and the numbers go without.
        const bool in_percent = column.unit.empty() && texts_of.back().format().kind == Format::Kind::percent;
        const std::string unit = in_percent ? "%" : column.unit;
        result.head.push_back(in_one_line(unit.empty() ? column.title : column.title + " [" + unit + "]"));
    }
    for (const Row& row : table.rows) {
        std::vector<std::string> texts;
        for (std::size_t c = 0; c < row.entries.size(); ++c) {
            texts.push_back(in_one_line(texts_of[c](row.entries[c])));
        }
        result.rows.push_back(std::move(texts));
    }
    return result;
}

std::string aligned(const std::string& text, std::size_t width, Alignment alignment) {
    // In columns of a terminal: bytes of UTF-8 are more than what is seen.
    const std::size_t used = display_width(text);
    const std::size_t spare = width > used ? width - used : 0;
    const std::size_t before = alignment == Alignment::left ? 0 : alignment == Alignment::right ? spare : spare / 2;
    return std::string(before, ' ') + text + std::string(spare - before, ' ');
}

std::vector<std::size_t> widths(const Grid& grid) {
    std::vector<std::size_t> result;
    for (const std::string& title : grid.head) result.push_back(display_width(title));
    for (const auto& row : grid.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) result[c] = std::max(result[c], display_width(row[c]));
    }
    return result;
}

}  // namespace rfbench::report
