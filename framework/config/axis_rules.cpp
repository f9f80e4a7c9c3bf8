#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "rfbench/config/number_syntax.hpp"
#include "rfbench/config/range.hpp"
#include "rfbench/config/rule.hpp"
#include "rfbench/config/value_content.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {
namespace {

// Points of a range are computed as doubles, which have all whole numbers below this one and then skip some.
constexpr double exact_integers = 9007199254740992.0;  // 2^53

std::string shown(double value) { return write_number(value); }
std::string shown(std::int64_t value) { return std::to_string(value); }

double number_in(const Value& value) {
    return value.kind() == Kind::integer ? static_cast<double>(value.integer()) : value.number();
}

// Axis values: doubles checked by real(bounds), or whole numbers checked by integer(least, greatest).
template <class Number>
class AxisRule : public Rule {
public:
    AxisRule(Schema element, std::string plural) : element_(std::move(element)), plural_(std::move(plural)) {}

    std::string takes() const override {
        return plural_ + " (one, a list, {linspace: [a, b, n]}, {logspace: [a, b, n]} or {powers: [a, b]})";
    }
    bool fits(Shape shape) const override { return shape != Shape::empty; }

    Value check(const Node& node, const std::string& path) const override {
        std::vector<Number> values;
        if (node.shape == Shape::scalar) {
            values.push_back(element(node, path));
        } else if (node.shape == Shape::list && !node.items.empty()) {
            values = list(node, path);
        } else if (node.shape == Shape::map) {
            values = range(node, path);
        } else {
            refuse_node(node, path, *this);
        }
        return make_value(std::move(values), node.place, path);
    }

private:
    Number element(const Node& node, const std::string& path) const {
        const Value value = element_.rule().check(node, path);
        return std::get<Number>(value.content().held);
    }

    std::vector<Number> list(const Node& node, const std::string& path) const {
        std::vector<Number> values;
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            values.push_back(element(node.items[i], joined(path, i)));
        }
        refuse_repetition(node, path, values);
        return values;
    }

    void refuse_repetition(const Node& node, const std::string& path, const std::vector<Number>& values) const {
        std::vector<std::size_t> order(values.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        // Equal values are neighbours once sorted; the sort is stable, so that of two the later one is refused.
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (values[order[i]] != values[order[i - 1]]) continue;
            throw Error(
                node.items[order[i]].place, joined(path, order[i]),
                fmt::format("{} is in the list twice, first as element {}.", shown(values[order[i]]), order[i - 1]));
        }
    }

    std::vector<Number> range(const Node& node, const std::string& path) const {
        static const std::vector<std::string> words{"linspace", "logspace", "powers"};
        if (node.keys.size() != 1) {
            throw Error(node.place, path,
                        fmt::format("must be {}; this map has {} keys instead of one.", takes(), node.keys.size()));
        }
        const Key& word = node.keys.front();
        const std::string here = joined(path, word.name);
        if (std::find(words.begin(), words.end(), word.name) == words.end()) {
            throw Error(
                word.place, here,
                fmt::format("there is no such range.{} Ranges: {}.", did_you_mean(word.name, words), listed(words)));
        }
        const Node& arguments = node.items.front();
        const bool doubles = word.name == "powers";
        const std::size_t count = doubles ? 2 : 3;
        if (arguments.shape != Shape::list || arguments.items.size() != count) {
            throw Error(arguments.place, here,
                        fmt::format("must be a list {}, not {}.", doubles ? "[a, b]" : "[a, b, n]", given(arguments)));
        }
        // Both ends pass the element's own rule; bounds that hold them hold the points between.
        const double a = number_in(element_.rule().check(arguments.items[0], joined(here, 0)));
        const double b = number_in(element_.rule().check(arguments.items[1], joined(here, 1)));
        return doubles ? powers(arguments, here, a, b) : spaced(arguments, here, a, b, word.name == "logspace");
    }

    std::vector<Number> powers(const Node& arguments, const std::string& path, double a, double b) const {
        refuse_unless_positive(arguments.items[0], joined(path, 0), a);
        if (b < a) {
            throw Error(arguments.items[1].place, joined(path, 1), "the end of doubling must not be below its start.");
        }
        const std::vector<double> points = doublings(a, b);
        // Doubling is exact in binary: the end is hit or missed, never nearly hit.
        if (points.back() != b) {
            throw Error(arguments.items[1].place, joined(path, 1),
                        fmt::format("doubling {} does not reach {}; it gives {}{}.", write_number(a), write_number(b),
                                    write_number(points.back()), next_power(points.back())));
        }
        return converted(arguments, path, points);
    }

    std::string next_power(double last) const {
        // Behind the greatest powers of two there is none to be named.
        return std::isfinite(2 * last) ? " and then " + write_number(2 * last) : std::string();
    }

    std::vector<Number> spaced(const Node& arguments, const std::string& path, double a, double b,
                               bool by_ratio) const {
        const Node& size = arguments.items[2];
        const Value count = integer(2, max_range_points).rule().check(size, joined(path, 2));
        if (by_ratio) {
            refuse_unless_positive(arguments.items[0], joined(path, 0), a);
            refuse_unless_positive(arguments.items[1], joined(path, 1), b);
        }
        const std::int64_t n = count.integer();
        std::vector<double> points = by_ratio ? logspace(a, b, n) : linspace(a, b, n);
        // Whole numbers in equal ratios do not exist: the nearest are meant.
        if (by_ratio && std::is_integral_v<Number>) {
            for (double& point : points) point = std::round(point);
        }
        std::vector<Number> values = converted(arguments, path, points);
        // Points too close to each other round to the same value, and an axis has no label twice.
        const bool rises = a < b;
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (rises ? values[i] > values[i - 1] : values[i] < values[i - 1] && a != b) continue;
            throw Error(
                size.place, joined(path, 2),
                fmt::format("{} points from {} to {} are not all different.", n, write_number(a), write_number(b)));
        }
        return values;
    }

    void refuse_unless_positive(const Node& node, const std::string& path, double value) const {
        if (!(value > 0)) {
            throw Error(node.place, path, fmt::format("must be above 0 here, not {}.", write_number(value)));
        }
    }

    std::vector<Number> converted(const Node& arguments, const std::string& path,
                                  const std::vector<double>& points) const {
        if constexpr (std::is_same_v<Number, double>) {
            return points;
        } else {
            std::vector<Number> values;
            for (const double point : points) {
                // A number that is not whole would silently become its neighbour.
                const bool exact = std::abs(point) < exact_integers && point == std::floor(point);
                if (!exact) {
                    throw Error(arguments.place, path,
                                fmt::format("gives {}, which is not a whole number below 2^53.", write_number(point)));
                }
                values.push_back(static_cast<Number>(point));
            }
            return values;
        }
    }

    Schema element_;
    std::string plural_;
};

/// "a number above 0" becomes "numbers above 0".
std::string plural(const std::string& singular, const std::string& noun) {
    return noun + "s" + singular.substr(std::string("a " + noun).size());
}

}  // namespace

Schema numbers(Bounds bounds) {
    const Schema element = real(bounds);
    return Schema(std::make_shared<AxisRule<double>>(element, plural(element.rule().takes(), "number")));
}

Schema integers(std::int64_t least, std::int64_t greatest) {
    const Schema element = integer(least, greatest);
    return Schema(std::make_shared<AxisRule<std::int64_t>>(element, plural(element.rule().takes(), "whole number")));
}

}  // namespace rfbench::config
