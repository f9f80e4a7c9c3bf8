#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rfbench/report/column_text.hpp"

namespace rfbench::report {

namespace {

constexpr const char* dash = "–";

std::optional<std::string> words_for(double value) {
    if (std::isnan(value)) return dash;
    if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
    return std::nullopt;
}

// So many digits after the point; never -0.
std::string fixed(double value, int digits) {
    const std::string text = fmt::format("{:.{}f}", value, digits);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.front() == '-' ? text.substr(1) : text;
}

// One digit before the point and an exponent: 1.20e-7.
struct Scientific {
    std::string mantissa;
    int power;

    Scientific(double value, int digits) {
        const std::string text = fmt::format("{:.{}e}", value, digits - 1);
        const std::size_t e = text.find('e');
        mantissa = text.substr(0, e);
        power = std::stoi(text.substr(e + 1));
    }
    std::string text() const { return fmt::format("{}e{}", mantissa, power); }
};

constexpr int min_power = -4, end_of_powers = 6;  // between them numbers are written without an exponent

// The power is that of the rounded value: 999.6 with three digits is 1.00e3.
std::string significant(double value, int digits) {
    if (value == 0) return "0";
    const Scientific rounded(value, digits);
    if (rounded.power < min_power || rounded.power >= end_of_powers) return rounded.text();
    return fixed(value, std::max(0, digits - 1 - rounded.power));
}

bool is_whole(double value) { return std::trunc(value) == value && std::abs(value) < 1e9; }

std::string number_text(double value, const Format& format) {
    if (const auto special = words_for(value)) return *special;
    switch (format.kind) {
        case Format::Kind::significant: return significant(value, format.digits);
        case Format::Kind::whole: return is_whole(value) ? fixed(value, 0) : significant(value, format.digits);
        case Format::Kind::fixed: return fixed(value, format.digits);
        case Format::Kind::percent: break;
    }
    return fixed(100 * value, format.digits);
}

// Both to the place of the error's second digit; far from 1, over a common power of ten.
std::string to_the_error(const Estimate& estimate, int digits) {
    constexpr int max_places = 17;
    const double larger = std::max(std::abs(estimate.value), estimate.error);
    const int power = Scientific(larger, 2).power;
    const bool plain = power >= min_power && power < end_of_powers;
    const double scale = plain ? 1.0 : std::pow(10.0, power);
    const double error = estimate.error / scale;
    // The printed form says where the error's second digit is after rounding: 0.0996 is 0.10.
    const int place = 1 - Scientific(error, 2).power;
    // Beyond what double holds of the value, each has its own digits.
    if (place > max_places) return significant(estimate.value, digits) + " ± " + Scientific(estimate.error, 2).text();
    const int places = std::max(place, 0);
    const std::string pair = fixed(estimate.value / scale, places) + " ± " + fixed(error, places);
    return plain ? pair : fmt::format("({})e{}", pair, power);
}

/// Digits after the point that a number, alone or with an error, shows by itself; none where it has an exponent.
std::optional<int> places_of(double value, double error, int digits) {
    const bool by_error = error > 0;
    const double larger = by_error ? std::max(std::abs(value), error) : value;
    if (larger == 0) return 0;
    const int power = Scientific(larger, by_error ? 2 : digits).power;
    if (power < min_power || power >= end_of_powers) return std::nullopt;
    return std::max(0, by_error ? 1 - Scientific(error, 2).power : digits - 1 - power);
}

std::string estimate_text(const Estimate& estimate, const Format& format) {
    const std::string mark = estimate.mark.empty() ? "" : " " + estimate.mark;
    const std::string value = number_text(estimate.value, format);
    if (!std::isfinite(estimate.value) || std::isnan(estimate.error)) return value + mark;
    const bool by_error = format.kind == Format::Kind::significant || format.kind == Format::Kind::whole;
    // An error of zero has no second digit to go by.
    if (estimate.error == 0) return value + " ± 0" + mark;
    if (by_error && std::isfinite(estimate.error)) return to_the_error(estimate, format.digits) + mark;
    return value + " ± " + number_text(estimate.error, format) + mark;
}

}  // namespace

std::string entry_text(const Entry& entry, const Format& format) {
    if (const auto* text = std::get_if<std::string>(&entry)) return *text;
    if (const auto* number = std::get_if<double>(&entry)) return number_text(*number, format);
    if (const auto* estimate = std::get_if<Estimate>(&entry)) return estimate_text(*estimate, format);
    if (const auto* below = std::get_if<Below>(&entry)) return "< " + number_text(below->limit, format);
    return dash;
}

namespace {

/// Digits after the point of all numbers of a column.
struct Places {
    int least = std::numeric_limits<int>::max(), most = -1;
    int most_of_exact = -1;  ///< of numbers whose error is 0, which may have more
    std::size_t numbers = 0;
    bool estimates = false;  ///< some have an error
    bool comparable = true;  ///< none has an exponent, is infinite or a limit
};

/// Numbers whose error is 0 count as others do where `exact` says so.
Places places_in(const Table& table, std::size_t column, bool exact) {
    Places all;
    for (const Row& row : table.rows) {
        const Entry& entry = row.entries[column];
        const auto* number = std::get_if<double>(&entry);
        const auto* estimate = std::get_if<Estimate>(&entry);
        if (std::holds_alternative<Below>(entry)) all.comparable = false;
        if (number == nullptr && estimate == nullptr) continue;
        const double value = number != nullptr ? *number : estimate->value;
        const double error = number != nullptr ? std::nan("") : estimate->error;
        if (std::isnan(value)) continue;
        ++all.numbers;
        // A zero has as many places as one likes.
        if (number != nullptr && value == 0) continue;
        const bool finite = std::isfinite(value) && !std::isinf(error);
        const auto places = finite ? places_of(value, error, table.columns[column].format.digits) : std::nullopt;
        all.comparable = all.comparable && places.has_value();
        if (places && error == 0 && !exact) {
            all.most_of_exact = std::max(all.most_of_exact, *places);
        } else if (places) {
            all.least = std::min(all.least, *places);
            all.most = std::max(all.most, *places);
        }
        all.estimates = all.estimates || !std::isnan(error);
    }
    return all;
}

/// The same digits after the point for all of a column, so that it can be compared at a glance: as many as any of them
/// shows by itself, where that adds one digit at most to an estimate and two to a number.
std::optional<Format> common_places(const Places& all) {
    const int most = std::max(all.most, all.most_of_exact);
    if (!all.comparable || all.numbers < 2 || most - all.least > (all.estimates ? 1 : 2)) return std::nullopt;
    return decimals(std::max(most, 0));
}

/// Those that others show decide about numbers whose error is 0; of these alone, they themselves.
Places all_places(const Table& table, std::size_t column) {
    const Places of_others = places_in(table, column, false);
    return of_others.most < 0 ? places_in(table, column, true) : of_others;
}

}  // namespace

Format format_of(const Table& table, std::size_t column) {
    Format format = table.columns[column].format;
    if (format.kind != Format::Kind::significant) return format;
    const std::optional<Format> common = common_places(all_places(table, column));
    const Format with_digits = common ? *common : format;
    // One number with a fraction, and all of them show their digits. Estimates with an error go by that error.
    const auto broken = [](double value) { return std::isfinite(value) && !is_whole(value); };
    for (const Row& row : table.rows) {
        const Entry& entry = row.entries[column];
        const auto* number = std::get_if<double>(&entry);
        const auto* alone = std::get_if<Estimate>(&entry);
        if (number && broken(*number)) return with_digits;
        if (alone && (common || std::isnan(alone->error)) && broken(alone->value)) return with_digits;
    }
    format.kind = Format::Kind::whole;
    return format;
}

ColumnText::ColumnText(const Table& table, std::size_t column) : format_(format_of(table, column)), exact_digits_(-1) {
    // Other columns have the digits that they ask for, which may be none.
    const Format::Kind kind = table.columns[column].format.kind;
    if (kind == Format::Kind::significant || kind == Format::Kind::whole)
        exact_digits_ = std::min(places_in(table, column, false).most, 17);
}

std::string ColumnText::operator()(const Entry& entry) const {
    const auto* estimate = std::get_if<Estimate>(&entry);
    const bool by_error = format_.kind == Format::Kind::significant || format_.kind == Format::Kind::whole;
    if (estimate == nullptr || estimate->error != 0 || !by_error || !std::isfinite(estimate->value))
        return entry_text(entry, format_);
    const auto own = places_of(estimate->value, 0, format_.digits);
    if (!own || *own > exact_digits_) return entry_text(entry, format_);
    return entry_text(entry, decimals(exact_digits_));
}

}  // namespace rfbench::report
