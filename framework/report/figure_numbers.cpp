#include "rfbench/report/figure_numbers.hpp"

#include <fmt/format.h>

#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/html_text.hpp"
#include "rfbench/report/table.hpp"

namespace rfbench::report {

namespace {

std::string four_digits(double value) { return entry_text(value, {Format::Kind::significant, 4}); }

std::string row(const std::string& panel, const std::string& series, double x, double y, const std::string& third) {
    return fmt::format("<tr><td>{}<td>{}<td>{}<td>{}<td>{}\n", html_text(panel), html_text(series), four_digits(x),
                       four_digits(y), third);
}

std::size_t num_points(const Figure& figure) {
    std::size_t points = 0;
    for (const Panel& panel : figure.panels) {
        for (const Series& series : panel.series) points += series.x.size();
        if (panel.map) points += panel.map->x.size() * panel.map->y.size();
    }
    return points;
}

std::string rows_of(const std::string& panel, const Series& series) {
    std::string rows;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        const bool has_interval = !series.low.empty() && !series.high.empty();
        rows += row(panel, series.label, series.x[i], series.y[i],
                    has_interval ? four_digits(series.low[i]) + " to " + four_digits(series.high[i]) : "");
    }
    return rows;
}

std::string rows_of(const std::string& panel, const HeatMap& map) {
    std::string rows;
    for (std::size_t i = 0; i < map.x.size(); ++i)
        for (std::size_t j = 0; j < map.y.size(); ++j)
            rows += row(panel, "", map.x[i], map.y[j], four_digits(map.z[i * map.y.size() + j]));
    return rows;
}

}  // namespace

std::string numbers_part(const Figure& figure, std::size_t max_rows) {
    const std::size_t points = num_points(figure);
    if (points == 0 || points > max_rows) return {};
    const std::vector<std::string> names = panel_names(figure);
    std::string rows;
    bool has_map = false;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        for (const Series& series : figure.panels[p].series) rows += rows_of(names[p], series);
        if (!figure.panels[p].map) continue;
        has_map = true;
        rows += rows_of(names[p], *figure.panels[p].map);
    }
    return fmt::format(
        "<details class=\"numbers\"><summary>Its {} numbers</summary><div class=\"table\" "
        "role=\"region\" tabindex=\"0\" aria-label=\"its numbers\"><table>\n"
        "<thead><tr><th>panel<th>series<th>x<th>y<th>{}</thead>\n<tbody>\n{}</tbody>\n</table></div></details>\n",
        points, has_map ? "z, or from and to" : "from and to", rows);
}

}  // namespace rfbench::report
