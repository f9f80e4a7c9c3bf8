#include "rfbench/datasets/names_line.hpp"

#include <algorithm>
#include <charconv>

#include "rfbench/datasets/delimited.hpp"

namespace rfbench::datasets {

namespace {

/// Whether the fields are digits alone and count up by one.
bool count_up(const std::vector<std::string_view>& fields) {
    long before = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        long value = 0;
        const char* const end = fields[i].data() + fields[i].size();
        const auto [stopped, failure] = std::from_chars(fields[i].data(), end, value);
        if (failure != std::errc{} || stopped != end || (i > 0 && value != before + 1)) return false;
        before = value;
    }
    return !fields.empty();
}

/// Whether a number is written with a point or an exponent.
bool has_fraction(const std::vector<std::string_view>& fields) {
    return std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
        return parse_number(field).state == NumberState::number && field.find_first_of(".eE") != std::string_view::npos;
    });
}

}  // namespace

bool is_words(const std::vector<std::string_view>& fields) {
    return std::all_of(fields.begin(), fields.end(), [](std::string_view field) {
        return !field.empty() && parse_number(field).state == NumberState::not_a_number;
    });
}

bool are_numbered_names(const std::vector<std::string_view>& first, const std::vector<std::string_view>& second,
                        const Place& place) {
    if (!count_up(first)) return false;
    const bool from_zero = first.front() == "0", fractions = has_fraction(second), several = first.size() > 2;
    if (from_zero && fractions && several) return true;
    // Names above whole numbers, or those of one column or two, cannot be told from data.
    if ((from_zero && (fractions || several)) || (fractions && several))
        refuse(place, "may be a point or names of columns that are numbers, " + in_quotes(first.front()) +
                          " and on; leave it out if it is names, and write its numbers with a point (" +
                          std::string(first.front()) + ".0) if it is data");
    return false;
}

}  // namespace rfbench::datasets
