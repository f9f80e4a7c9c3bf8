#pragma once
// Types of the columns of a user's file: numbers where every field is one, else words. Nothing is guessed in between.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/datasets/delimited.hpp"
#include "rfbench/datasets/table.hpp"

namespace rfbench::datasets {

/// One column of a file whose first line names its columns.
struct SeenColumn {
    std::string name;
    std::vector<std::string> words;      ///< the different fields as they are written, in order of first appearance
    std::vector<std::size_t> word_rows;  ///< how many rows have each
    std::size_t number_line = 0;         ///< line of the first field that is a number, from 1; 0: none is
    std::size_t word_line = 0;           ///< of the first that is none; 0: all are
    double least = 0, greatest = 0;      ///< of the numbers
    bool many = false;                   ///< more words than a category may have; no more were kept
    bool whole = true;                   ///< no number has a fraction
    std::size_t missing = 0;             ///< fields without a value: empty, ?, NA, NaN, null
    std::size_t missing_at = 0;          ///< line of the first
    std::string missing_as;              ///< how it is written
    bool is_label = false;               ///< all different fields are kept where they are numbers
    bool is_ignored = false;             ///< nothing of it is looked at
    bool is_declared_words = false;      ///< its file says that it has words, whatever they look like

    bool is_numbers() const { return word_line == 0; }
    /// Some fields are numbers and some are none: it must be said what it is.
    bool is_mixed() const { return number_line != 0 && word_line != 0; }
};

/// Contents of a file.
struct SeenTable {
    TextForm form;
    Separator separator;  ///< of delimited text
    std::size_t rows;
    std::size_t header_lines;  ///< before the first row
    std::vector<SeenColumn> columns;
};

/// The most different words that a category, or the class, may have.
constexpr std::size_t max_words = 1000;

/// Kind of the label: classes, or a number to be predicted, which is inferred where some label has a fraction.
enum class Target { inferred, classes, number };

/// Choices of the user about a file's columns.
struct ColumnChoice {
    std::string label;                    ///< the class
    std::vector<std::string> categories;  ///< taken as words although they are numbers, or some of them are
    std::vector<std::string> ignored;
    bool drop_missing = false;  ///< rows with a missing value in a column that is read are left out
    Target target = Target::inferred;
};

/// ARFF and LIBSVM's rows are known by their first line, and declare their columns: numbers, or words in the order of
/// their declaration, those left out that no row has. In other texts fields are separated by semicolons, commas, tabs
/// or spaces, the first of these that the first line holds. It names the columns where one is called as the label, or
/// unless it is a row itself (names_line.hpp): columns are then called 'column 1' and on. Columns that are ignored are
/// not looked at. Throws DataError "file:row:column: ..." for a name that is empty or there twice, a line with another
/// number of fields, a blank line between rows, a quotation mark that does not end, a decimal comma, a number that is
/// not finite or that double cannot hold, and for a text without rows.
SeenTable look_at(std::string_view text, std::string_view file, const ColumnChoice& = {});

/// For read_table(). Categories and classes have the order of their first appearance. Throws DataError for a name that
/// is no column (with the nearest), for one that is said twice, a mixed column (with the place of the field that does
/// not fit), a missing value unless such rows are dropped, more than `max_words` words, fewer than two classes, and
/// where no column is left beside the class.
Layout layout_of(const SeenTable&, const ColumnChoice&, std::string_view file);

/// Some lines: rows, columns, what each is, and how many rows each word has.
std::string describe(const SeenTable&, const std::string& file);

}  // namespace rfbench::datasets
