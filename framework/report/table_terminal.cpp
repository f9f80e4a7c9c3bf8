#include "rfbench/report/table_grid.hpp"

namespace rfbench::report {

namespace {

constexpr std::size_t gap = 2;

std::string terminal_line(const std::vector<std::string>& texts, const Table& table,
                          const std::vector<std::size_t>& width) {
    std::string result;
    for (std::size_t c = 0; c < texts.size(); ++c) {
        result += std::string(c ? gap : 0, ' ') + aligned(texts[c], width[c], table.columns[c].alignment);
    }
    // Spaces at the end of a line would wrap on a narrow screen.
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
}

std::string rule(const std::vector<std::size_t>& width) {
    std::size_t total = gap * (width.size() - 1);
    for (const std::size_t w : width) total += w;
    std::string result;
    for (std::size_t i = 0; i < total; ++i) result += "─";
    return result + "\n";
}

}  // namespace

std::string terminal(const Table& table) {
    const Grid texts = grid(table);
    const std::vector<std::size_t> width = widths(texts);
    std::string result;
    if (!table.caption.empty()) result += in_one_line(table.caption) + "\n";
    result += rule(width) + terminal_line(texts.head, table, width) + rule(width);
    for (std::size_t r = 0; r < texts.rows.size(); ++r) {
        if (table.rows[r].rule_above && r > 0) result += rule(width);
        result += terminal_line(texts.rows[r], table, width);
    }
    result += rule(width);
    for (const std::string& note : table.notes) result += in_one_line(note) + "\n";
    return result;
}

}  // namespace rfbench::report
