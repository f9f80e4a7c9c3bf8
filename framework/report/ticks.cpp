#include "rfbench/report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/report/gnuplot_text.hpp"
#include "rfbench/report/number_text.hpp"
#include "rfbench/report/text_width.hpp"

namespace rfbench::report {

namespace {

double step_of(Interval shown, double most_marks) {
    const double least = (shown.second - shown.first) / std::max(most_marks, 1.0);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
}

// Of the number as gnuplot's %h shows it: 1.5e-06 as 1.5 x 10 with a raised -6.
double shown_width(double value) {
    const std::string text = rounded(value, 6);
    const std::size_t exponent = text.find('e');
    if (exponent == std::string::npos) return pixel_width(text, tick_font);
    return pixel_width(text.substr(0, exponent) + "x10", tick_font) +
           0.8 * pixel_width(text.substr(exponent + 1), tick_font);
}

double widest_number(Interval shown, double step) {
    double widest = 0;
    for (double k = std::ceil(shown.first / step); k <= std::floor(shown.second / step); ++k) {
        widest = std::max(widest, shown_width(k * step));
    }
    return widest;
}

Ticks linear(Interval shown, double marks) {
    const double step = step_of(shown, marks);
    return {rounded(step, 6), "%h", 0, widest_number(shown, step)};
}

Ticks in_parentheses(const std::vector<double>& places) {
    Ticks result{"(", "%g"};
    for (std::size_t i = 0; i < places.size(); ++i) {
        result.places += (i ? ", " : "") + rounded(places[i], 12);
        result.widest = std::max(result.widest, pixel_width(rounded(places[i], 6), tick_font));
    }
    result.places += ")";
    return result;
}

std::vector<double> marks_of_decades(Interval shown, const std::vector<double>& factors) {
    std::vector<double> places;
    for (double k = std::floor(std::log10(shown.first)); k <= std::ceil(std::log10(shown.second)); ++k) {
        for (const double factor : factors) {
            const double place = factor * std::pow(10.0, k);
            if (place >= shown.first * (1 - 1e-9) && place <= shown.second * (1 + 1e-9)) places.push_back(place);
        }
    }
    return places;
}

Ticks logarithmic(Interval shown, double marks) {
    const std::vector<double> powers = marks_of_decades(shown, {1});
    if (powers.size() >= 3) {
        // Every second, fifth, ... decade when there is no room for all: then without minor marks, which gnuplot 5.4
        // searches for without end when a step spans several decades.
        const double decades = static_cast<double>(powers.size());
        const double every = std::max(1.0, step_of({0, decades}, marks));
        const int minor = every == 1 ? 10 : 0;
        const double widest = pixel_width("10", tick_font) +
                              0.8 * std::max(pixel_width(fmt::format("{:.0f}", std::log10(powers.front())), tick_font),
                                             pixel_width(fmt::format("{:.0f}", std::log10(powers.back())), tick_font));
        // With the first mark: left to itself, gnuplot may count decades from the end of the range.
        return {fmt::format("1e{:.0f},1e{:.0f}", std::log10(powers.front()), every), "10^{%L}", minor, widest};
    }
    const std::vector<double> finer = marks_of_decades(shown, {1, 2, 5});
    if (finer.size() >= 3) return in_parentheses(finer);
    std::vector<double> places;
    const double step = step_of(shown, std::min(marks, 5.0));
    for (double k = std::ceil(shown.first / step); k <= std::floor(shown.second / step); ++k)
        places.push_back(k * step);
    return in_parentheses(places);
}

// gnuplot takes the text of a mark for a format.
std::string without_format(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '%' ? std::string("%%") : std::string(1, c);
    return result;
}

Ticks given(const Axis& axis, double length, bool beside) {
    Ticks result{"(", ""};
    for (const Tick& tick : axis.ticks) {
        const std::string text = tick.text.empty() ? rounded(tick.at, 6) : tick.text;
        result.places +=
            (result.places.size() > 1 ? ", " : "") + gnuplot_quoted(without_format(text)) + " " + shortest(tick.at);
        result.widest = std::max(result.widest, pixel_width(text, tick_font));
    }
    result.places += ")";
    result.slanted = beside && (result.widest + 8) * static_cast<double>(axis.ticks.size()) > length;
    return result;
}

}  // namespace

Ticks ticks(const Axis& axis, Interval shown, double length, double spacing, bool beside) {
    if (!axis.ticks.empty()) return given(axis, length, beside);
    if (axis.log) return logarithmic(shown, length / spacing);
    const Ticks chosen = linear(shown, length / spacing);
    const double needed = chosen.widest + 16;
    return beside && needed > spacing ? linear(shown, length / needed) : chosen;
}

}  // namespace rfbench::report
