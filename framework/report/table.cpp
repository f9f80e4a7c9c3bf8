#include "rfbench/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "rfbench/report/file_name.hpp"
#include "rfbench/report/repeated_name.hpp"
#include "rfbench/report/table_latex.hpp"
#include "rfbench/store/atomic_file.hpp"

namespace rfbench::report {

void check(const Table& table) {
    check_file_name("table", table.name);
    const auto refuse = [&](const std::string& sentence) {
        throw std::invalid_argument(fmt::format("table '{}': {}", table.name, sentence));
    };
    if (table.columns.empty()) refuse("it has no column.");
    std::set<std::string> titles;
    for (const Column& column : table.columns) {
        if (!titles.insert(column.title).second)
            throw RepeatedName(fmt::format("table '{}': two columns have the title '{}'.", table.name, column.title),
                               column.title);
        // A number has at least one digit in all; after the point there may be none.
        const bool in_all =
            column.format.kind == Format::Kind::significant || column.format.kind == Format::Kind::whole;
        const int least = in_all ? 1 : 0;
        if (column.format.digits < least || column.format.digits > 17) {
            refuse(fmt::format("column '{}' asks for {} digits; {} to 17 are possible.", column.title,
                               column.format.digits, least));
        }
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const std::size_t entries = table.rows[r].entries.size();
        if (entries == table.columns.size()) continue;
        refuse(fmt::format("row {} has {} entries for {} columns.", r + 1, entries, table.columns.size()));
    }
}

namespace {

bool alike(const Entry& one, const Entry& other) {
    if (const auto* word = std::get_if<std::string>(&one)) {
        const auto* second = std::get_if<std::string>(&other);
        return second && *word == *second;
    }
    const auto *number = std::get_if<double>(&one), *second = std::get_if<double>(&other);
    return number && second && *number == *second;
}

}  // namespace

void group_by_first(Table& table, std::size_t columns) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto begins = table.rows[r].entries.begin();
        table.rows[r].rule_above = r == 0 || !std::equal(begins, begins + static_cast<std::ptrdiff_t>(columns),
                                                         table.rows[r - 1].entries.begin(), alike);
    }
}

TableFiles write_table(const Table& table, const std::filesystem::path& folder) {
    return write_table(table, folder, LatexStyle{});
}

TableFiles write_table(const Table& table, const std::filesystem::path& folder, const LatexStyle& style) {
    check(table);
    TableFiles files{folder / (table.name + ".md"), folder / (table.name + ".tex"), folder / (table.name + ".csv")};
    std::filesystem::create_directories(folder);
    store::write_file(files.markdown, markdown(table));
    store::write_file(files.latex, latex(table, style));
    store::write_file(files.csv, csv(table));
    return files;
}

}  // namespace rfbench::report
