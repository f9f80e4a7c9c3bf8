#pragma once
// A classification table: typed columns declared beforehand, one of which is the class.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/datasets/delimited.hpp"
#include "rfbench/datasets/text_rows.hpp"
#include "rfbench/matrix.hpp"

namespace rfbench::datasets {

/// number: a finite double. category: one of `categories`. label: the class, one of `categories`.
/// ignored: read past (a row's name).
enum class ColumnType { number, category, label, ignored };

struct Column {
    std::string name;
    ColumnType type;
    std::vector<std::string> categories;  ///< for category and label; their order gives the codes 0, 1, ...
};

/// How the text is laid out. Exactly one column is the label.
struct Layout {
    Separator separator = Separator::comma;
    std::size_t header_lines = 0;  ///< lines at the front that are not data
    std::vector<Column> columns;   ///< every field of a line, in file order
    bool drop_missing = false;     ///< rows with a missing value (is_missing()) in a column that is read are left out
    bool real_label = false;       ///< the label's categories are numbers to be predicted
    TextForm form = TextForm::delimited;  ///< ARFF and LIBSVM's rows have no separator and no lines in front
};

struct Table {
    std::vector<Column> columns;           ///< of `values`: the number and category columns, in file order
    Points values;                         ///< n x columns.size(): the number, or the category's code
    std::vector<int> classes;              ///< n: index into class_names
    std::vector<std::string> class_names;  ///< the label's categories
    bool real_label = false;               ///< which are numbers to be predicted
    std::size_t dropped = 0;               ///< rows left out for a missing value
};

/// Whether a field stands for no value: empty, ?, NA, NaN, null, n/a.
bool is_missing(std::string_view field);

/// Reads a text of rows (text_rows.hpp). `file` names it in messages. Throws DataError "file:row:column: ..." for a
/// blank line between rows, a wrong number of fields, an empty, unparsable or non-finite number, an unknown category or
/// class, and for a text without rows; std::invalid_argument when the layout has not exactly one label or has a
/// category column without categories.
Table read_table(std::string_view text, const Layout&, std::string_view file);

/// Rows of each class, in the order of class_names.
std::vector<std::size_t> class_counts(const Table&);

}  // namespace rfbench::datasets
