#pragma once
// Rows of a text in any form that is read: delimited text, ARFF, LIBSVM's sparse rows. The form follows from the text.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/datasets/delimited.hpp"

namespace rfbench::datasets {

enum class TextForm { delimited, arff, libsvm };

/// "text", "arff", "libsvm", as a manifest calls them.
std::string name_of(TextForm);

/// The form that a text begins as: ARFF's @relation after comments, or a number and entries such as 3:0.5.
TextForm form_of(std::string_view text);

/// A column as its file declares it.
struct DeclaredColumn {
    /// numbers: each field is one. nominal: each is one of `values`. words: whatever they look like.
    enum class Kind { numbers, nominal, words };
    std::string name;
    Kind kind = Kind::numbers;
    std::vector<std::string> values = {};
    std::size_t line = 0;  ///< of the declaration, from 1
};

/// Rows and how they are taken apart. Lines and fields view into the text, which must outlive them.
struct TextRows {
    std::vector<Line> lines;
    std::vector<DeclaredColumn> columns;  ///< none of delimited text, which declares none
    /// The fields of a row into a vector, cleared first. Of ARFF and LIBSVM's rows one for each column, "0" (or the
    /// first value declared) where a sparse row has none, and an empty one for ARFF's missing value.
    std::function<void(const Line&, std::vector<std::string_view>&)> split;
};

/// Opens a text of that form; its first `header_lines` lines are no rows where it is delimited. Throws DataError as
/// arff_rows() and libsvm_rows().
TextRows rows_of(std::string_view text, TextForm, Separator, std::size_t header_lines, std::string_view file);

/// Whether a field stands for no value: is_missing() of table.hpp in delimited text, an empty one else.
bool is_missing(std::string_view field, TextForm);

}  // namespace rfbench::datasets
