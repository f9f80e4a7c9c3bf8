#pragma once
// Delimited text, taken apart line by line without guessing. Accepted: line ends LF or CR LF, a missing last line end,
// blank lines at the end, a UTF-8 byte order mark at the front, spaces around a field, quotation marks around a field.
// Numbers do not depend on the locale.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

enum class Separator {
    comma,
    semicolon,
    tab,
    spaces
};  ///< spaces: a run of spaces and tabs, also before the first field

/// One line without its end. `number` counts from 1 in the file.
struct Line {
    std::size_t number;
    std::string_view text;
};

/// The lines up to the last that is not blank; they view into `text`.
std::vector<Line> lines_of(std::string_view text);

/// True when the line holds nothing but spaces and tabs.
bool is_blank(std::string_view line);

/// The first of semicolons, commas and tabs that a line holds, else spaces. Semicolons go first: where they separate,
/// commas stand in numbers.
Separator separator_of(std::string_view line);

/// The fields of a line, spaces and a pair of double quotation marks around each taken off, into `fields` (cleared
/// first). Between quotation marks a separator is text. A field keeps its marks where they do not end on the line or
/// stand doubled within (is_quoted()).
void split(std::string_view line, Separator, std::vector<std::string_view>& fields);

/// Whether a field that split() gave still has its quotation mark.
bool is_quoted(std::string_view field);

/// Whether a field would be a number with a point in place of its comma.
bool has_decimal_comma(std::string_view field);

/// State of a field read as a number.
enum class NumberState { number, not_finite, out_of_range, not_a_number };
struct ParsedNumber {
    double value;
    NumberState state;
};

/// Decimal or scientific notation with '.', an optional sign, and nothing after it. "nan" and "inf" in any case are
/// not_finite.
ParsedNumber parse_number(std::string_view field);

/// The finite double nearest to the field. Throws DataError at `place` when it is empty, not a number, NaN or infinite,
/// or outside the range of double.
double number(std::string_view field, const Place& place);

/// "comma", "semicolon", "tab", "spaces".
std::string name_of(Separator);

}  // namespace rfbench::datasets
