#include "rfbench/datasets/delimited.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace rfbench::datasets {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view field) {
    const std::size_t first = field.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

}  // namespace

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

std::vector<Line> lines_of(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());

    std::vector<Line> lines;
    // A last line without an end is a line; behind a last end there is none.
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

void split(std::string_view line, Separator separator, std::vector<std::string_view>& fields) {
    fields.clear();
    if (separator == Separator::spaces) {
        for (line = trimmed(line); !line.empty();) {
            const std::size_t end = std::min(line.find_first_of(blanks), line.size());
            fields.push_back(line.substr(0, end));
            line = trimmed(line.substr(end));
        }
        return;
    }
    // Unlike spaces, two marks in a row have an empty field between them.
    const char mark = separator == Separator::comma ? ',' : '\t';
    for (;;) {
        const std::size_t end = line.find(mark);
        fields.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return;
        line.remove_prefix(end + 1);
    }
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
    refuse(place, in_quotes(field) + " is not a number");
}

std::string name_of(Separator separator) {
    switch (separator) {
        case Separator::comma: return "comma";
        case Separator::tab: return "tab";
        case Separator::spaces: break;
    }
    return "spaces";
}

}  // namespace rfbench::datasets
