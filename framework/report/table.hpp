#pragma once
// What a table is, and its four forms. All text is plain UTF-8, escaped by each form as it needs.
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rfbench::report {

/// A value and the error (standard error, standard deviation, half an interval) shown with it.
struct Estimate {
    double value;
    double error;
};

/// Nothing to show: a dash on paper, an empty field in CSV. Shown for NaN too.
struct Missing {};

using Entry = std::variant<Missing, double, Estimate, std::string>;

/// How the numbers of a column are written on paper; CSV always has them in full.
struct Format {
    enum class Kind {
        significant,  ///< digits in all: 0.0123, 1.23e-7; whole numbers as they are: 64
        fixed,        ///< digits behind the point
        percent,      ///< of 100 x value, digits behind the point, followed by %
    };
    Kind kind = Kind::significant;
    /// 1 to 17 for significant, 0 to 17 otherwise; an Estimate instead shows 2 digits of its error and its value to the
    /// same place, except in a fixed or percent column.
    int digits = 3;
};

/// So many digits behind the point.
constexpr Format decimals(int digits) { return {Format::Kind::fixed, digits}; }

enum class Alignment { left, right, centre };

struct Column {
    std::string title;
    std::string unit = {};  ///< shown behind the title in brackets
    Alignment alignment = Alignment::right;
    Format format = {};
};

/// Words, aligned left.
inline Column word_column(std::string title) { return {std::move(title), "", Alignment::left}; }
/// Numbers without a unit, written so.
inline Column number_column(std::string title, Format format) {
    return {std::move(title), "", Alignment::right, format};
}

struct Row {
    std::vector<Entry> entries;
    bool rule_above = false;  ///< begins a group
};

struct Table {
    std::string name;  ///< of its files: letters, digits and . _ - only
    std::string caption = {};
    std::vector<Column> columns = {};
    std::vector<Row> rows = {};
    std::vector<std::string> notes = {};  ///< below the table, one paragraph each
};

/// Throws std::invalid_argument naming the table, row and column when there is no column, titles repeat, a row has
/// another number of entries, or digits are out of range.
void check(const Table&);

/// One entry as it stands on paper, in plain UTF-8: "0.012", "1.2e-7", "1.23 ± 0.05", "12.5 %", "–", "∞".
std::string entry_text(const Entry&, const Format&);

std::string markdown(const Table&);  ///< aligned pipe table below its caption, notes below; rules become empty rows
std::string latex(const Table&);     ///< a table environment for package booktabs
std::string csv(const Table&);       ///< RFC 4180; an Estimate column is followed by "<title> error"; infinities: inf
std::string terminal(const Table&);  ///< for a fixed-width screen

/// The files of one table.
struct TableFiles {
    std::filesystem::path markdown, latex, csv;
};

/// Writes <folder>/<name>.md, .tex and .csv, each whole or not at all; the folder is made when missing. Throws what
/// check and store::write_file throw.
TableFiles write_table(const Table&, const std::filesystem::path& folder);

}  // namespace rfbench::report
