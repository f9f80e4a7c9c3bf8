#pragma once
// Tables, and their four forms. All text is plain UTF-8, escaped by each form as it needs.
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rfbench::report {

/// A value and what is shown after ±; the table says what that is: half the 95 % interval of the mean, unless it says
/// otherwise. NaN: there is none, as of a single value, which then stands alone.
struct Estimate {
    double value;
    double error;
    std::string mark = {};  ///< after both, such as "*" for what a note explains
};

/// A value of which only an upper limit is known: "< 0.0012".
struct Below {
    double limit;
};

/// Nothing to show: a dash on paper, an empty field in CSV. Shown for NaN too.
struct Missing {};

using Entry = std::variant<Missing, double, Estimate, Below, std::string>;

/// How the numbers of a column are written on paper; CSV always has them in full. Every digit that is shown is one of
/// the value, rounded to the last of them.
struct Format {
    enum class Kind {
        significant,  ///< digits in all, zeros after the point among them: 0.0123, 1.50, 718, 1.23e-7; whole parts of
                      ///< more digits, below a million, are shown to the unit: 1234
        whole,        ///< whole numbers below 1e9 as they are: 64; all others as significant
        fixed,        ///< digits after the point
        percent,      ///< of 100 x value, digits after the point; the head of the column has the sign
    };
    Kind kind = Kind::significant;
    /// 1 to 17 for significant and whole, 0 to 17 otherwise; an Estimate instead shows 2 digits of its error and its
    /// value to the same place, except in a fixed or percent column.
    int digits = 3;
};

/// So many digits after the point.
constexpr Format decimals(int digits) { return {Format::Kind::fixed, digits}; }

enum class Alignment { left, right, centre };

struct Column {
    std::string title;
    std::string unit = {};  ///< shown after the title in brackets; % where none is given for a percent column
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

/// Begins a group at every row that has another word or number than the row before in its first `columns` entries.
void group_by_first(Table&, std::size_t columns = 1);

/// Throws std::invalid_argument naming the table, row and column when there is no column, titles repeat, a row has
/// another number of entries, or digits are out of range.
void check(const Table&);

/// One entry as it stands on paper, in plain UTF-8: "0.0120", "1.20e-7", "1.23 ± 0.05", "< 0.0012", "–", "∞".
std::string entry_text(const Entry&, const Format&);

/// How a column of this table is written: as its own format says, or, where that is `significant` and all of the
/// column's numbers without an error are whole, as whole numbers.
Format format_of(const Table&, std::size_t column);

std::string markdown(const Table&);  ///< aligned pipe table below its caption, notes below; rules become empty rows
std::string latex(const Table&);     ///< a table environment for package booktabs
/// RFC 4180, one number a field, shares where paper has percent. A column with an Estimate is followed by
/// "<title> error", one with a mark by "<title> mark", one with a Below by "<title> upper limit"; infinities: inf.
std::string csv(const Table&);
std::string terminal(const Table&);  ///< for a fixed-width screen

/// The files of one table.
struct TableFiles {
    std::filesystem::path markdown, latex, csv;
};

/// Writes <folder>/<name>.md, .tex and .csv, each whole or not at all; the folder is made when missing. Throws what
/// check and store::write_file throw.
TableFiles write_table(const Table&, const std::filesystem::path& folder);

}  // namespace rfbench::report
