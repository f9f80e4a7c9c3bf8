#include "rfbench/report/contour_labels.hpp"

#include <algorithm>
#include <cmath>

namespace rfbench::report {

namespace {

constexpr double least_room = 0.045;  // of the frame's height or width

double part(const Axis& axis, Interval ends, double value) {
    if (axis.log) return std::log(value / ends.first) / std::log(ends.second / ends.first);
    return (value - ends.first) / (ends.second - ends.first);
}

struct Place {
    double x, y;
    double across, up;  // parts of the axes
};

// Points where the level lies between two neighbouring nodes, by linear interpolation.
std::vector<Place> crossings(const Panel& panel, const PanelView& view, double level) {
    const HeatMap& map = *panel.map;
    const std::size_t columns = map.y.size();
    std::vector<Place> places;
    const auto try_edge = [&](std::size_t i0, std::size_t j0, std::size_t i1, std::size_t j1) {
        const double a = map.z[i0 * columns + j0], b = map.z[i1 * columns + j1];
        if (!std::isfinite(a) || !std::isfinite(b) || (a < level) == (b < level)) return;
        const double t = (level - a) / (b - a);
        Place place{std::lerp(map.x[i0], map.x[i1], t), std::lerp(map.y[j0], map.y[j1], t), 0, 0};
        place.across = part(panel.x, view.x, place.x);
        place.up = part(panel.y, view.y, place.y);
        places.push_back(place);
    };
    for (std::size_t i = 0; i < map.x.size(); ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            if (i + 1 < map.x.size()) try_edge(i, j, i + 1, j);
            if (j + 1 < columns) try_edge(i, j, i, j + 1);
        }
    }
    return places;
}

double distance(const Place& a, const Place& b) { return std::hypot(a.across - b.across, a.up - b.up); }

}  // namespace

std::vector<ContourLabel> contour_labels(const Panel& panel, const PanelView& view) {
    std::vector<double> levels = panel.map->contours;
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    std::vector<ContourLabel> labels;
    std::vector<Place> before;
    for (const double level : levels) {
        const Place* best = nullptr;
        double widest = -1;
        const std::vector<Place> places = crossings(panel, view, level);
        for (const Place& place : places) {
            // A label is about three times as wide as high, so the sides of the frame are kept further away.
            double room = std::min({place.across * 0.7, (1 - place.across) * 0.7, place.up, 1 - place.up, 0.25});
            for (const Place& other : before) room = std::min(room, distance(place, other));
            if (room > widest) {
                widest = room;
                best = &place;
            }
        }
        if (!best || widest < 0) continue;
        const bool has_room = widest >= least_room;
        if (has_room) before.push_back(*best);
        labels.push_back({level, best->x, best->y, has_room});
    }
    return labels;
}

}  // namespace rfbench::report
