#include "rfbench/datasets/delimited.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "rfbench/text/trimmed.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::string_view blanks = " \t";
constexpr char quote = '"';

/// The length of a field's beginning in quotation marks, spaces before it included; 0 without, or where they do not
/// end.
std::size_t quoted_part(std::string_view line) {
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos || line[first] != quote) return 0;
    // Doubled marks stand for one within the field.
    for (std::size_t at = first + 1; at < line.size(); ++at) {
        if (line[at] != quote) continue;
        if (at + 1 == line.size() || line[at + 1] != quote) return at + 1;
        ++at;
    }
    return 0;
}

std::string_view unquoted(std::string_view field) {
    if (field.size() < 2 || field.front() != quote || field.back() != quote) return field;
    const std::string_view inside = field.substr(1, field.size() - 2);
    return inside.find(quote) == std::string_view::npos ? inside : field;
}

}  // namespace

bool is_blank(std::string_view line) { return trimmed(line, blanks).empty(); }

std::vector<Line> lines_of(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());

    std::vector<Line> lines;
    // A last line without an end is a line; after a last end there is none.
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back({number, line});
    }
    while (!lines.empty() && is_blank(lines.back().text)) lines.pop_back();
    return lines;
}

Separator separator_of(std::string_view line) {
    if (line.find(';') != std::string_view::npos) return Separator::semicolon;
    if (line.find(',') != std::string_view::npos) return Separator::comma;
    const std::size_t tab = line.find('\t');
    // A tab before the first field is an indent.
    return tab != std::string_view::npos && !is_blank(line.substr(0, tab)) ? Separator::tab : Separator::spaces;
}

void split(std::string_view line, Separator separator, std::vector<std::string_view>& fields) {
    fields.clear();
    if (separator == Separator::spaces) {
        for (line = trimmed(line, blanks); !line.empty();) {
            const std::size_t end = std::min(line.find_first_of(blanks, quoted_part(line)), line.size());
            fields.push_back(unquoted(line.substr(0, end)));
            line = trimmed(line.substr(end), blanks);
        }
        return;
    }
    // Unlike spaces, two marks in a row have an empty field between them.
    const char mark = separator == Separator::comma ? ',' : separator == Separator::semicolon ? ';' : '\t';
    for (;;) {
        const std::size_t end = line.find(mark, quoted_part(line));
        fields.push_back(unquoted(trimmed(line.substr(0, end), blanks)));
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + 1);
    }
}

bool is_quoted(std::string_view field) { return field.starts_with(quote); }

bool has_decimal_comma(std::string_view field) {
    const std::size_t comma = field.find(',');
    if (comma == std::string_view::npos) return false;
    std::string with_point(field);
    with_point[comma] = '.';
    return parse_number(with_point).state == NumberState::number;
}

ParsedNumber parse_number(std::string_view field) {
    // from_chars takes no plus sign; one is taken off here, but not before another sign.
    if (field.size() > 1 && field[0] == '+' && field[1] != '-' && field[1] != '+') field.remove_prefix(1);
    double value = 0;
    const char* const end = field.data() + field.size();
    const auto [stopped, failure] = std::from_chars(field.data(), end, value);
    if (stopped != end || failure == std::errc::invalid_argument) return {0, NumberState::not_a_number};
    if (failure == std::errc::result_out_of_range) return {0, NumberState::out_of_range};
    return {value, std::isfinite(value) ? NumberState::number : NumberState::not_finite};
}

double number(std::string_view field, const Place& place) {
    if (field.empty()) refuse(place, "the field is empty; a number is needed");
    const ParsedNumber parsed = parse_number(field);
    switch (parsed.state) {
        case NumberState::number: return parsed.value;
        case NumberState::not_finite: refuse(place, in_quotes(field) + " is not finite; every number must be");
        case NumberState::out_of_range: refuse(place, in_quotes(field) + " is outside the range of a double");
        case NumberState::not_a_number: break;
    }
    if (has_decimal_comma(field))
        refuse(place, in_quotes(field) + " has a decimal comma; numbers are written with a point");
    refuse(place, in_quotes(field) + " is not a number");
}

std::string name_of(Separator separator) {
    switch (separator) {
        case Separator::comma: return "comma";
        case Separator::semicolon: return "semicolon";
        case Separator::tab: return "tab";
        case Separator::spaces: break;
    }
    return "spaces";
}

}  // namespace rfbench::datasets
