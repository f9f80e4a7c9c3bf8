#include "report/cost_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rfbench/statistics/crossing.hpp"
#include "rfbench/statistics/median.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {

CostLine::CostLine(const store::Dataset& data, const report::Fixed& fixed, const std::string& along,
                   const std::string& held) {
    const auto times = report::slice(data, "seconds", fixed, {"repeat", along}).values;
    const auto peaks = report::slice(data, held, fixed, {along}).values;
    const auto& all = report::numbers(data, along);
    seconds.resize(report::numbers(data, "repeat").size());
    // Labels stand in the order of the configuration; crossings need lengths that ascend.
    std::vector<std::size_t> ascending(all.size());
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    std::sort(ascending.begin(), ascending.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
    for (const std::size_t i : ascending) {
        // Nothing was measured at this length.
        if (std::isnan(peaks[i])) continue;
        lengths.push_back(all[i]);
        bytes.push_back(peaks[i]);
        for (std::size_t r = 0; r < seconds.size(); ++r) seconds[r].push_back(times[r * all.size() + i]);
    }
}

std::size_t CostLine::rounds_from(std::size_t first) const {
    const auto whole = [&](const auto& round) {
        return std::none_of(round.begin() + static_cast<std::ptrdiff_t>(first), round.end(),
                            [](double time) { return std::isnan(time); });
    };
    return static_cast<std::size_t>(std::find_if_not(seconds.begin(), seconds.end(), whole) - seconds.begin());
}

std::vector<double> CostLine::times(std::size_t point) const {
    std::vector<double> all;
    for (const auto& round : seconds)
        if (!std::isnan(round[point])) all.push_back(round[point]);
    std::sort(all.begin(), all.end());
    return all;
}

double CostLine::median(std::size_t point) const { return statistics::median(times(point)); }

std::size_t common_points(const CostLine& one, const CostLine& other) {
    // Either was measured from the shortest length on, up to its own longest: they part once.
    const auto [end, unused] =
        std::mismatch(one.lengths.begin(), one.lengths.end(), other.lengths.begin(), other.lengths.end());
    return static_cast<std::size_t>(end - one.lengths.begin());
}

namespace {

/// Ratios of two methods' times in one round, at the lengths at which both were measured.
std::vector<double> ratios(const CostLine& over, const CostLine& under, std::size_t round) {
    std::vector<double> result;
    for (std::size_t i = 0; i < common_points(over, under); ++i) {
        result.push_back(over.seconds[round][i] / under.seconds[round][i]);
        // Long runs have fewer rounds: where one of the two has none, the line of this round ends.
        if (std::isnan(result.back())) return {result.begin(), result.end() - 1};
    }
    return result;
}

}  // namespace

std::vector<double> crossings(const CostLine& own, const CostLine& other) {
    std::vector<double> all;
    std::size_t needed = 1;
    for (std::size_t r = 0; r < own.seconds.size(); ++r) {
        const auto ratio = ratios(own, other, r);
        // A round that ends before the length at which the first one crossed cannot tell where it would cross.
        if (ratio.size() < needed) continue;
        const auto end = own.lengths.begin() + static_cast<std::ptrdiff_t>(ratio.size());
        all.push_back(statistics::log_crossing({own.lengths.begin(), end}, ratio, 1));
        if (r == 0)
            needed =
                1 + static_cast<std::size_t>(std::lower_bound(own.lengths.begin(), end, all[0]) - own.lengths.begin());
    }
    return all;
}

std::vector<double> last_ratios(const CostLine& over, const CostLine& under) {
    std::vector<double> all;
    const std::size_t common = common_points(over, under);
    for (std::size_t r = 0; r < over.seconds.size(); ++r)
        if (const auto ratio = ratios(over, under, r); ratio.size() == common) all.push_back(ratio.back());
    return all;
}

bool is_exact(const store::Dataset& data, const std::string& method) {
    const auto all = report::slice(data, "exact", {{"method", method}}).values;
    return std::find(all.begin(), all.end(), 1.0) != all.end();
}

std::optional<std::string> exact_of(const store::Dataset& data) {
    for (const std::string& method : report::words(data, "method"))
        if (is_exact(data, method)) return method;
    return {};
}

bool is_copy(const store::Dataset& data, const std::string& method) {
    return method_identity(data, method).name == "copy";
}

report::Panel cost_panel(const store::Dataset& data, const report::Fixed& place, const CostCurves& curves) {
    report::Panel panel;
    panel.x = {.label = curves.x, .log = true};
    panel.y = {.label = curves.y, .log = true};
    for (const std::string& method : report::words(data, "method")) {
        const CostLine own = curves.line({method, place});
        if (own.points() == 0) continue;
        report::Series series{method, own.lengths, {}};
        series.style = is_copy(data, method) ? report::Style::reference : report::Style::line_points;
        for (std::size_t i = 0; i < own.points(); ++i) {
            const auto [y, low, high] = curves.value(own, i);
            series.y.push_back(y);
            if (std::isnan(low)) continue;
            series.low.push_back(low);
            series.high.push_back(high);
            series.spread = report::Spread::bars;
        }
        panel.series.push_back(std::move(series));
    }
    return panel;
}

}  // namespace rfbench::experiments
