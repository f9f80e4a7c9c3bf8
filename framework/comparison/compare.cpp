#include "rfbench/comparison/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/paired_test.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "rfbench/statistics/two_samples.hpp"

namespace rfbench::comparison {

namespace {

constexpr double tolerance = 1e-9;
using statistics::confidence;
constexpr double half_width_errors = 1.959963984540054;  ///< of the normal law at 95 %
constexpr double split_overlap = 0.05 / 0.9;             ///< test rows over training rows, of all studies with splits

std::string text(const store::Axis& axis, std::size_t at) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&axis.labels)) return (*words)[at];
    return fmt::format("{:g}", std::get<std::vector<double>>(axis.labels)[at]);
}

/// Places of common labels on an axis of both, in a's order.
struct Common {
    store::Axis axis;
    std::vector<std::size_t> in_a, in_b;
};

template <class Label>
void find_common(const std::vector<Label>& a, const std::vector<Label>& b, Common& common) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto place = std::find(b.begin(), b.end(), a[i]);
        if (place == b.end()) continue;
        common.in_a.push_back(i);
        common.in_b.push_back(static_cast<std::size_t>(place - b.begin()));
    }
}

Common common_of(const store::Axis& a, const store::Axis& b, std::vector<std::string>& notes) {
    Common common{a, {}, {}};
    if (a.labels.index() == b.labels.index())
        std::visit(
            [&](const auto& labels) {
                find_common(labels, std::get<std::decay_t<decltype(labels)>>(b.labels), common);
            },
            a.labels);
    const std::size_t missing_a = b.size() - common.in_b.size(), missing_b = a.size() - common.in_a.size();
    if (missing_a + missing_b > 0)
        notes.push_back(fmt::format("axis {}: {} labels are in both, {} in the first alone, {} in the second alone",
                                    a.name, common.in_a.size(), missing_b, missing_a));
    return common;
}

const store::Variable* find(const store::Dataset& data, const std::string& name) {
    const auto found = std::find_if(data.variables.begin(), data.variables.end(),
                                    [&](const store::Variable& one) { return one.name == name; });
    return found == data.variables.end() ? nullptr : &*found;
}

/// Whether two values differ by no more than other instructions may make of one. Nothing finite is near infinity.
bool are_near(double a, double b) {
    return a == b || (std::isfinite(a - b) && std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)));
}

bool is_repeats(const std::string& axis) { return axis == "repeat" || axis == "seed" || axis == "split"; }

/// The seed that the configuration of a file has; empty where it says none.
std::string seed_of(const store::Dataset& data) {
    const auto config = data.attributes.find("config");
    if (config == data.attributes.end()) return {};
    const std::string lines = "\n" + config->second;
    const std::size_t at = lines.find("\nseed: ");
    return at == std::string::npos ? "" : lines.substr(at + 7, lines.find('\n', at + 7) - at - 7);
}

/// Two files of one configuration.
class Pair {
public:
    Pair(const store::Dataset& a, const store::Dataset& b, std::vector<std::string>& notes)
        : a_(a), b_(b), paired_(!seed_of(a).empty() && seed_of(a) == seed_of(b)) {
        for (const store::Axis& axis : a.axes)
            for (const store::Axis& other : b.axes)
                if (axis.name == other.name) common_.emplace(axis.name, common_of(axis, other, notes));
    }

    void compare(const store::Variable& in_a, const store::Variable& in_b, Compared& to) const {
        std::vector<const Common*> axes;
        for (const std::string& name : in_a.axes) axes.push_back(&common_.at(name));
        const auto repeats = std::find_if(in_a.axes.begin(), in_a.axes.end(), is_repeats);
        const auto over = static_cast<std::size_t>(repeats - in_a.axes.begin());
        std::vector<std::size_t> at(axes.size(), 0);
        if (std::any_of(axes.begin(), axes.end(), [](const Common* one) { return one->in_a.empty(); })) return;
        do {
            Sample sample = gather(in_a, in_b, axes, at, over);
            to.values += sample.a.size();
            to.equal += sample.equal;
            if (sample.equal == sample.a.size()) continue;
            to.cells.push_back(judged(in_a, axes, at, over, sample));
            to.cells.back().results = to.results;
        } while (next(at, axes, over));
    }

private:
    /// Values of one cell in both files, along the axis of repeats if there is one.
    struct Sample {
        std::vector<double> a, b;
        std::size_t equal = 0;
    };

    /// The next place; the axis `over` stays at its first.
    static bool next(std::vector<std::size_t>& at, const std::vector<const Common*>& axes, std::size_t over) {
        for (std::size_t k = at.size(); k-- > 0;) {
            if (k == over) continue;
            if (++at[k] < axes[k]->in_a.size()) return true;
            at[k] = 0;
        }
        return false;
    }

    std::size_t offset(const store::Dataset& data, const store::Variable& of,
                       const std::vector<std::size_t>& places) const {
        std::size_t result = 0;
        for (std::size_t k = 0; k < of.axes.size(); ++k) result = result * data.axis(of.axes[k]).size() + places[k];
        return result;
    }

    double in_a(const store::Variable& of, const std::vector<const Common*>& axes,
                const std::vector<std::size_t>& at) const {
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < at.size(); ++k) places.push_back(axes[k]->in_a[at[k]]);
        return of.values[offset(a_, of, places)];
    }
    double in_b(const store::Variable& of, const std::vector<const Common*>& axes,
                const std::vector<std::size_t>& at) const {
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < at.size(); ++k) places.push_back(axes[k]->in_b[at[k]]);
        return of.values[offset(b_, of, places)];
    }

    Sample gather(const store::Variable& va, const store::Variable& vb, const std::vector<const Common*>& axes,
                  std::vector<std::size_t> at, std::size_t over) const {
        Sample sample;
        const std::size_t count = over < axes.size() ? axes[over]->in_a.size() : 1;
        for (std::size_t r = 0; r < count; ++r) {
            if (over < axes.size()) at[over] = r;
            const double a = in_a(va, axes, at), b = in_b(vb, axes, at);
            sample.equal +=
                std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
            sample.a.push_back(a);
            sample.b.push_back(b);
        }
        return sample;
    }

    Cell judged(const store::Variable& va, const std::vector<const Common*>& axes, const std::vector<std::size_t>& at,
                std::size_t over, const Sample& sample) const {
        std::vector<std::string> words;
        for (std::size_t k = 0; k < at.size(); ++k)
            if (k != over)
                words.push_back(fmt::format("{} = {}", axes[k]->axis.name, text(axes[k]->axis, axes[k]->in_a[at[k]])));
        const statistics::Difference of =
            over < axes.size() ? over_repeats(va.axes[over], sample) : single(va, axes, at, sample.a[0], sample.b[0]);
        // Counts stand as shares, as their difference and its error do.
        const auto trials = over < axes.size() ? std::nullopt : trials_of(va, axes, at);
        const auto mean = [](const std::vector<double>& values) {
            double sum = 0, count = 0;
            for (const double value : values)
                if (!std::isnan(value)) sum += value, ++count;
            return sum / count;
        };
        return {{},
                va.name,
                fmt::format("{}", fmt::join(words, ", ")),
                mean(sample.a) / static_cast<double>(trials ? trials->first : 1),
                mean(sample.b) / static_cast<double>(trials ? trials->second : 1),
                -of.value,
                of.error,
                of.p,
                1};
    }

    statistics::Difference over_repeats(const std::string& axis, const Sample& sample) const {
        const double overlap = axis == "split" ? split_overlap : 0;
        std::vector<double> a, b, differences;
        bool same_places = true, finite = true, near = true;
        for (std::size_t r = 0; r < sample.a.size(); ++r) {
            const double x = sample.a[r], y = sample.b[r];
            same_places = same_places && std::isnan(x) == std::isnan(y);
            // An infinity in both of a pair is no difference.
            if (paired_ && std::isinf(x) && x == y) continue;
            finite = finite && !std::isinf(x) && !std::isinf(y);
            if (!std::isnan(x)) a.push_back(x);
            if (!std::isnan(y)) b.push_back(y);
            if (std::isnan(x) || std::isnan(y)) continue;
            differences.push_back(x - y);
            near = near && are_near(x, y);
        }
        // Repeats that pair have values at the same places, and infinite ones there, too.
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        if (a.empty() || b.empty() || !finite || (paired_ && !same_places))
            return paired_ ? statistics::Difference{unknown, 0, 0} : statistics::Difference{unknown, unknown, 1};
        // Without any spread the last bits alone would be a difference.
        if (near && same_places) return {0, 0, 1};
        if (!paired_) return statistics::welch(a, b, overlap);
        // One repeat of one seed has no error: it is the same value or it is not.
        if (differences.size() < 2) return {differences.front(), 0, 0};
        const auto of = statistics::paired_difference(differences, overlap, confidence);
        return {of.mean, of.half_width / statistics::student_quantile(differences.size(), confidence), of.p};
    }

    statistics::Difference single(const store::Variable& va, const std::vector<const Common*>& axes,
                                  const std::vector<std::size_t>& at, double a, double b) const {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        if (std::isnan(a) || std::isnan(b))
            return paired_ ? statistics::Difference{unknown, 0, 0} : statistics::Difference{unknown, unknown, 1};
        if (const auto known = known_errors(va, axes, at, a, b))
            return statistics::normal_difference(known->a, known->error_a, known->b, known->error_b);
        if (const auto trials = trials_of(va, axes, at))
            return statistics::share_difference(static_cast<std::uint64_t>(a), trials->first,
                                                static_cast<std::uint64_t>(b), trials->second);
        const bool near = are_near(a, b);
        // Another seed may give another value, and nothing says how far off.
        if (!near && !paired_) return {a - b, std::numeric_limits<double>::quiet_NaN(), 1};
        return {a - b, 0, near ? 1.0 : 0.0};
    }

    /// Two values whose standard errors are known.
    struct Known {
        double a, error_a, b, error_b;
    };

    /// By variables beside this one. Values beside stated ones are how far each is off: another seed may fit another
    /// mechanism, which states something else.
    std::optional<Known> known_errors(const store::Variable& va, const std::vector<const Common*>& axes,
                                      const std::vector<std::size_t>& at, double a, double b) const {
        const auto beside = [&](const std::string& name) -> std::optional<std::pair<double, double>> {
            const store::Variable *one = find(a_, name), *other = find(b_, name);
            if (!one || !other || one->axes != va.axes || other->axes != va.axes) return {};
            return std::pair(in_a(*one, axes, at), in_b(*other, axes, at));
        };
        if (va.name.ends_with("_z")) return Known{a, 1, b, 1};
        if (const auto half = beside(va.name + "_half_width")) {
            const Known known{a, half->first / half_width_errors, b, half->second / half_width_errors};
            // Widths that are not known, and two of zero, are no errors.
            const bool are_errors = std::isfinite(known.error_a + known.error_b) && known.error_a + known.error_b > 0;
            return are_errors ? std::optional(known) : std::nullopt;
        }
        const auto z = beside(va.name + "_z"), stated = beside("stated_" + va.name);
        if (!z || !stated || z->first == 0 || z->second == 0) return {};
        const double off_a = a - stated->first, off_b = b - stated->second;
        const Known known{off_a, off_a / z->first, off_b, off_b / z->second};
        if (!std::isfinite(known.error_a) || !std::isfinite(known.error_b)) return {};
        return known;
    }

    /// Numbers of trials, where the variable counts successes among them.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> trials_of(const store::Variable& va,
                                                                     const std::vector<const Common*>& axes,
                                                                     const std::vector<std::size_t>& at) const {
        const store::Variable *one = find(a_, "trials"), *other = find(b_, "trials");
        const bool counts = va.name == "above" || va.name == "below" || va.name == "exceed";
        if (!counts || !one || !other || one->axes != other->axes) return {};
        std::vector<const Common*> own;
        std::vector<std::size_t> there;
        for (const std::string& axis : one->axes) {
            const auto place = std::find(va.axes.begin(), va.axes.end(), axis);
            if (place == va.axes.end()) return {};
            own.push_back(axes[static_cast<std::size_t>(place - va.axes.begin())]);
            there.push_back(at[static_cast<std::size_t>(place - va.axes.begin())]);
        }
        const double a = in_a(*one, own, there), b = in_b(*other, own, there);
        if (!(a >= 1 && b >= 1)) return {};
        return std::pair(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    }

    const store::Dataset &a_, &b_;
    bool paired_;
    std::map<std::string, Common> common_;
};

/// Whether it only says how far another variable may be off.
bool is_error_of_another(const store::Dataset& data, const std::string& name) {
    for (const char* ending : {"_z", "_half_width"})
        if (name.ends_with(ending) && find(data, name.substr(0, name.size() - std::string(ending).size()))) return true;
    return false;
}

}  // namespace

Compared compare(const std::string& results, const store::Dataset& a, const store::Dataset& b) {
    Compared compared{results};
    const Pair pair(a, b, compared.notes);
    for (const store::Variable& variable : a.variables) {
        const store::Variable* other = find(b, variable.name);
        if (other == nullptr || other->axes != variable.axes)
            compared.notes.push_back(fmt::format("variable {}: {}", variable.name,
                                                 other ? "it has other axes in the second" : "the second has none"));
        else if (!is_error_of_another(a, variable.name))
            pair.compare(variable, *other, compared);
    }
    for (const store::Variable& variable : b.variables)
        if (find(a, variable.name) == nullptr)
            compared.notes.push_back(fmt::format("variable {}: the first has none", variable.name));
    return compared;
}

std::vector<Cell> ranked(const std::vector<Compared>& all) {
    std::vector<Cell> cells;
    for (const Compared& one : all) cells.insert(cells.end(), one.cells.begin(), one.cells.end());
    std::vector<double> p;
    for (const Cell& cell : cells) p.push_back(cell.p);
    const std::vector<double> adjusted = statistics::holm(p);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].adjusted_p = adjusted[i];
    const auto errors = [](const Cell& cell) {
        return cell.error > 0 ? std::abs(cell.difference) / cell.error : std::numeric_limits<double>::infinity();
    };
    // An infinite or missing value is as far off as can be, so that cells have one order.
    const auto relative = [](const Cell& cell) {
        if (cell.difference == 0) return 0.0;
        const double part = std::abs(cell.difference) / std::max(std::abs(cell.a), std::abs(cell.b));
        return std::isnan(part) ? std::numeric_limits<double>::infinity() : part;
    };
    std::stable_sort(cells.begin(), cells.end(), [&](const Cell& x, const Cell& y) {
        if (x.p != y.p) return x.p < y.p;
        if (errors(x) != errors(y)) return errors(x) > errors(y);
        return relative(x) > relative(y);
    });
    return cells;
}

bool differs(const std::vector<Cell>& ranked, double level) {
    return std::any_of(ranked.begin(), ranked.end(), [&](const Cell& cell) { return cell.adjusted_p <= level; });
}

}  // namespace rfbench::comparison
