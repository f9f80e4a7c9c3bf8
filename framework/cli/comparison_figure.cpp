#include "comparison_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/text/counted.hpp"

namespace rfbench::cli {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double normal_97_5 = 1.959963984540054;

/// "4, positive" of "dimension = 4, method = positive": names of axes are in the table.
std::string labels_of(const std::string& place) {
    std::string text;
    for (std::size_t at = 0; at < place.size();) {
        const std::size_t end = std::min(place.find(", ", at), place.size());
        const std::string part = place.substr(at, end - at);
        const std::size_t sign = part.find(" = ");
        text += (text.empty() ? "" : ", ") + (sign == std::string::npos ? part : part.substr(sign + 3));
        at = end + 2;
    }
    return text;
}

report::Series points(const char* label) { return {.label = label, .x = {}, .y = {}, .style = report::Style::points}; }

}  // namespace

report::Figure comparison_figure(const std::vector<comparison::Cell>& ranked, std::size_t rows) {
    report::Panel both{.title = "values"}, errors{.title = "difference"};
    report::Series first = points("first"), second = points("second"), apart = points("second - first");
    // Intervals lie along x: one line with a gap after each.
    report::Series interval{.label = "95 % of the difference", .x = {}, .y = {}};
    const std::size_t count = rows == 0 ? ranked.size() : std::min(rows, ranked.size());
    const bool several = std::any_of(ranked.begin(), ranked.end(),
                                     [&](const auto& cell) { return cell.results != ranked.front().results; });
    std::size_t unscaled = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const comparison::Cell& cell = ranked[k];
        const double row = -static_cast<double>(k + 1), size = std::abs(cell.a);
        const bool scaled = size > 0 && std::isfinite(cell.b);
        unscaled += !scaled;
        const std::string place = labels_of(cell.place);
        both.y.ticks.push_back({row, fmt::format("{}{}{}{}", several ? cell.results + " " : "", cell.variable,
                                                 place.empty() ? "" : ": ", place)});
        errors.y.ticks.push_back({row, fmt::format("{}", k + 1)});
        first.x.push_back(scaled ? cell.a / size : missing);
        second.x.push_back(scaled ? cell.b / size : missing);
        const double half = cell.error > 0 && scaled ? normal_97_5 * cell.error / size : missing;
        for (const double end : {cell.b / size - half, cell.b / size + half, missing}) interval.x.push_back(end);
        apart.x.push_back(cell.error > 0 ? cell.difference / cell.error : missing);
        for (report::Series* one : {&first, &second, &apart}) one->y.push_back(row);
        for (const double y : {row, row, missing}) interval.y.push_back(y);
    }
    const auto known = [](double value) { return std::isfinite(value); };
    const bool with_errors = std::any_of(apart.x.begin(), apart.x.end(), known);
    both.x = {.label = "value / |first value|"};
    errors.x = {.label = "difference / standard error"};
    both.y.range = errors.y.range = {{-static_cast<double>(count) - 0.7, -0.3}};
    both.series = {first, second};
    if (with_errors) both.series.insert(both.series.begin(), interval);
    errors.vertical = {{0}};
    errors.series = {apart};
    report::Figure figure{.name = "comparison",
                          .title = "Two results side by side",
                          .caption = "The surest difference on top; rows are those of the table.",
                          .panels = {both},
                          .columns = 1};
    if (with_errors) {
        figure.interval = "Lines: 95 % intervals that the error of the difference allows";
        figure.panels.push_back(errors);
        figure.columns = 2;
    }
    if (unscaled > 0)
        figure.interval += fmt::format("{}No points: {} with a first value of 0, or a second one that is not finite",
                                       figure.interval.empty() ? "" : ". ", counted(unscaled, "row"));
    return figure;
}

}  // namespace rfbench::cli
