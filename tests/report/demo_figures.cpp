#include "demo_figures.hpp"

#include <cmath>

#include "not_finite.hpp"

namespace rfbench::report {

Figure seventeen_series() {
    Figure figure{.name = "seventeen",
                  .title = "Seventeen series",
                  .caption = "Bands.",
                  .interval = "bands: one standard deviation"};
    Panel panel{.title = "normal"};
    panel.x.label = "γ";
    panel.y.label = "mean ln Var";
    for (int s = 0; s < 17; ++s) {
        Series series{.label = "mechanism " + std::to_string(s), .x = {}, .y = {}, .style = Style::line_points};
        for (int i = 1; i <= 10; ++i) {
            const double x = 0.1 * i, y = s + 3 * s * x * x;
            series.x.push_back(x);
            series.y.push_back(s == 3 && i == 5 ? nan_value : y);
            series.low.push_back(y - x);
            series.high.push_back(y + x);
        }
        panel.series.push_back(series);
    }
    panel.series.push_back({.label = "bound", .x = {0.1, 1}, .y = {0, 60}, .style = Style::reference});
    panel.horizontal = {{0, "equal"}};
    panel.vertical = {{0.5, "γ = ½"}};
    panel.annotations = {{0.2, 30, "here"}};
    figure.panels = {panel};
    return figure;
}

Figure log_log() {
    Figure figure{.name = "log-log", .title = "Error bars", .columns = 2};
    for (const Key key : {Key::shared, Key::bottom_left}) {
        Panel panel{.key = key};
        panel.title = key == Key::shared ? "shared key" : "own key";
        panel.x = {.label = "M", .log = true};
        panel.y = {.label = "variance", .log = true};
        for (const char* label : {"iid", "orthogonal"}) {
            Series series{.label = label, .x = {}, .y = {}, .spread = Spread::bars};
            for (int i = 1; i <= 9; ++i) {
                const double x = std::ldexp(1.0, i), y = 1 / x;
                series.x.push_back(x);
                series.y.push_back(i == 4 ? -y : i == 6 ? infinity : y);
                series.low.push_back(i == 4 ? -2 * y : i == 8 ? -y : i == 6 ? nan_value : y / 2);
                series.high.push_back(i == 4 ? 0 : i == 6 ? nan_value : 2 * y);
            }
            panel.series.push_back(series);
        }
        panel.series.push_back({.label = "nothing", .x = {1, 2}, .y = {nan_value, nan_value}});
        figure.panels.push_back(panel);
    }
    return figure;
}

Figure maps() {
    Figure figure{.name = "maps", .columns = 2};
    for (int kind = 0; kind < 3; ++kind) {
        HeatMap map{.x = {}, .y = {}, .z = {}, .label = "ln Var", .contours = {-2, 0, 2, 1e6}};
        if (kind == 1) map.palette = Palette::diverging;
        for (int i = 0; i < 12; ++i)
            map.x.push_back(kind == 0 ? 0.25 * i : kind == 1 ? 0.02 * i * i : std::pow(10, -2 + 0.4 * i));
        for (int j = 0; j < 9; ++j) map.y.push_back(0.4 * j);
        for (const double x : map.x) {
            for (const double y : map.y) {
                map.z.push_back(x == map.x[5] && y == map.y[4] ? nan_value
                                                               : (kind == 2 ? std::log(x) : x * x) * std::cos(y));
            }
        }
        Panel panel{.map = map, .vertical = {{0.5, "half"}}};
        panel.x = {.label = "norm", .log = kind == 2};
        panel.y = {.label = "angle / rad"};
        figure.panels.push_back(panel);
    }
    Panel hollow{.map = HeatMap{{0, 1}, {0, 1}, {nan_value, nan_value, nan_value, nan_value}, "nothing", {0}}};
    figure.panels.push_back(hollow);
    return figure;
}

Figure small_panels() {
    Figure figure{.name = "small", .columns = 3};
    Panel one{.series = {{.label = "one", .x = {1e-5}, .y = {3e6}}}};
    Panel none{.series = {{.label = "none", .x = {1, 2}, .y = {nan_value, nan_value}}}};
    Panel words{.series = {{.label = "steps", .x = {0, 1, 2}, .y = {2, 2, 2}, .style = Style::steps}}};
    words.x.ticks = {{0, "centred-optimal-positive"}, {1, "generalized-exponential"}, {2, "a_b^{c}"}};
    figure.panels = {one, none, words};
    return figure;
}

}  // namespace rfbench::report
