// Every digit on paper is one of the number: what is printed reads back as the number rounded to the printed digits,
// over the whole range of double and at every rounding across a power of ten.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "catch.hpp"
#include "not_finite.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/table.hpp"

using namespace rfbench::report;
using Kind = Format::Kind;

namespace {

/// A number as a reader sees it.
struct Printed {
    double value;
    int digits;    // significant ones
    int decimals;  // after the point, of what stands before an exponent
    int power;     // the exponent, 0 without one

    explicit Printed(const std::string& text) {
        char* end = nullptr;
        value = std::strtod(text.c_str(), &end);
        REQUIRE(end == text.c_str() + text.size());
        const std::size_t e = std::min(text.find('e'), text.size());
        power = e < text.size() ? std::stoi(text.substr(e + 1)) : 0;
        const std::size_t point = text.find('.');
        decimals = point == std::string::npos ? 0 : static_cast<int>(e - point - 1);
        digits = 0;
        for (const char c : text.substr(0, e)) digits += (c >= '1' && c <= '9') || (c == '0' && digits > 0);
    }
};

/// By the C library, which rounds exactly: the oracle.
double to_digits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return std::strtod(text, nullptr);
}
double to_decimals(double value, int decimals) {
    char text[512];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return std::strtod(text, nullptr);
}

/// Numbers of either sign from the least to the largest, with those at which rounding adds a digit.
std::vector<double> numbers() {
    std::vector<double> all;
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<double> mantissa(1, 10);
    for (int power = -307; power <= 307; ++power) {
        const double ten = std::pow(10.0, power);
        for (const double m : {1.0, 1.005, 2.5, 7.17948, 9.94, 9.95, 9.96, 9.994999, 9.995, 9.9996, 9.99999999})
            all.push_back(m * ten);
        for (int i = 0; i < 2; ++i) all.push_back(mantissa(engine) * ten);
    }
    for (double whole = 1; whole < 1200; ++whole) all.push_back(whole);
    for (const double edge : {99.5, 999.4, 999.5, 999.6, 9999.5, 99999.5, 999999.4, 999999.5, 1e6, 1e9, 5e-324, 1e308})
        all.push_back(edge);
    const std::size_t positive = all.size();
    for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
    return all;
}

}  // namespace

TEST_CASE("significant digits: as many as asked for, and each is right", "[numbers]") {
    for (const double value : numbers())
        for (const int digits : {1, 2, 3, 7, 17}) {
            const std::string text = entry_text(value, {Kind::significant, digits});
            const Printed printed(text);
            INFO(fmt::format("{:.17g} with {} digits: {}", value, digits, text));
            // Whole parts below a million are shown to the unit, however many digits that takes.
            const bool to_the_unit = printed.digits > digits;
            REQUIRE(printed.digits >= digits);
            if (to_the_unit) REQUIRE((printed.decimals == 0 && printed.power == 0 && std::abs(printed.value) < 1e6));
            REQUIRE(printed.value == (to_the_unit ? to_decimals(value, 0) : to_digits(value, digits)));
            // Plain where that is short.
            const double rounded = std::abs(to_digits(value, digits));
            REQUIRE((printed.power == 0) == (rounded >= 1e-4 && rounded < 1e6));
        }
}

TEST_CASE("whole numbers are as they are, others have their digits", "[numbers]") {
    for (const double value : numbers()) {
        const std::string text = entry_text(value, {Kind::whole, 3});
        INFO(fmt::format("{:.17g}: {}", value, text));
        if (std::trunc(value) == value && std::abs(value) < 1e9)
            REQUIRE(text == fmt::format("{}", static_cast<long>(value)));
        else
            REQUIRE(text == entry_text(value, {Kind::significant, 3}));
    }
}

TEST_CASE("fixed and percent: so many decimals, rounded to the last", "[numbers]") {
    for (const double value : numbers())
        for (const int decimals : {0, 1, 3, 17}) {
            const std::string text =
                entry_text(value, decimals == 0 ? Format{Kind::fixed, 0} : rfbench::report::decimals(decimals));
            INFO(fmt::format("{:.17g} with {} decimals: {}", value, decimals, text));
            const Printed printed(text);
            REQUIRE(printed.decimals == decimals);
            REQUIRE(printed.value == to_decimals(value, decimals));
            REQUIRE((printed.value != 0 || text.front() != '-'));
            if (std::abs(value) > 1e300) continue;
            const Printed share(entry_text(value, {Kind::percent, decimals}));
            REQUIRE(share.decimals == decimals);
            REQUIRE(share.value == to_decimals(100 * value, decimals));
        }
}

TEST_CASE("a value and its error end at one place, two digits into the error", "[numbers]") {
    const std::string sign = " ± ";
    for (const double value : numbers())
        for (const double relative : {1e-25, 1e-14, 3e-4, 0.00995, 0.0996, 0.5, 0.996, 17.0, 995.0}) {
            const double error = relative * std::abs(value);
            if (!(error > 1e-307 && error < 1e303) || std::abs(value) < 1e-290) continue;
            std::string text = entry_text(Estimate{value, error}, {});
            INFO(fmt::format("{:.17g} ± {:.17g}: {}", value, error, text));
            double scale = 1;
            if (text.front() == '(') {
                const std::size_t end = text.find(")e");
                scale = std::pow(10.0, std::stoi(text.substr(end + 2)));
                text = text.substr(1, end - 1);
            }
            const Printed left(text.substr(0, text.find(sign))), right(text.substr(text.find(sign) + sign.size()));
            if (scale == 1 && text.find('e') != std::string::npos) {  // below what double holds of the value
                REQUIRE(relative < 1e-12);
                REQUIRE(right.value == to_digits(error, 2));
                continue;
            }
            REQUIRE(left.decimals == right.decimals);
            REQUIRE((right.digits == 2 || right.decimals == 0));
            REQUIRE(right.digits >= 2);
            // Half a unit of the last place, and the ulps of dividing by the power of ten.
            const double unit = scale * std::pow(10.0, -right.decimals);
            REQUIRE(std::abs(scale * left.value - value) <= 0.5 * unit * (1 + 1e-9) + 4e-16 * std::abs(value));
            REQUIRE(std::abs(scale * right.value - error) <= 0.5 * unit * (1 + 1e-9) + 4e-16 * error);
        }
}

TEST_CASE("numbers in text: the shortest that reads back", "[numbers]") {
    for (const double value : numbers()) REQUIRE(std::strtod(shortest(value).c_str(), nullptr) == value);
    CHECK(shortest(nan_value) == "NaN");
    CHECK(shortest(-infinity) == "-inf");
}
