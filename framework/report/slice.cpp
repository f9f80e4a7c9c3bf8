#include "rfbench/report/slice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "rfbench/text/nearest.hpp"

namespace rfbench::report {

namespace {

using Names = std::vector<std::string>;

std::size_t place_of(const Names& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Names names_of(const std::vector<store::Axis>& axes) {
    Names names;
    for (const store::Axis& axis : axes) names.push_back(axis.name);
    return names;
}

[[noreturn]] void no_such_axis(const std::string& what, const std::string& axis, const Names& axes) {
    throw std::invalid_argument(fmt::format("{} has no axis '{}'; its axes are: {}.{}", what, axis,
                                            fmt::join(axes, ", "), did_you_mean(axis, axes)));
}

// All labels for a message, the first and last ones of a long axis.
std::string listed(const store::Axis& axis) {
    Names words;
    if (const auto* texts = std::get_if<Names>(&axis.labels)) {
        words = *texts;
    } else {
        for (const double number : std::get<std::vector<double>>(axis.labels))
            words.push_back(fmt::format("{}", number));
    }
    constexpr std::size_t most = 24;
    if (words.size() <= most) return fmt::format("{}", fmt::join(words, ", "));
    return fmt::format("{}, ..., {}", fmt::join(words.begin(), words.begin() + most - 1, ", "), words.back());
}

std::size_t index_of(const store::Axis& axis, const Label& label) {
    const auto* word = std::get_if<std::string>(&label.value);
    if (const auto* words = std::get_if<Names>(&axis.labels)) {
        if (!word) {
            throw std::invalid_argument(fmt::format("axis '{}' has words as labels, not the number {}: {}.", axis.name,
                                                    std::get<double>(label.value), listed(axis)));
        }
        const std::size_t place = place_of(*words, *word);
        if (place < words->size()) return place;
        throw std::invalid_argument(fmt::format("axis '{}' has no label '{}'; its labels are: {}.{}", axis.name, *word,
                                                listed(axis), did_you_mean(*word, *words)));
    }
    if (word) {
        throw std::invalid_argument(
            fmt::format("axis '{}' has numbers as labels, not the word '{}': {}.", axis.name, *word, listed(axis)));
    }
    const double wanted = std::get<double>(label.value);
    const auto& numbers = std::get<std::vector<double>>(axis.labels);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        // Equality first: the difference of two infinities is no number.
        const double tolerance = 1e-12 * std::max(std::abs(numbers[i]), std::abs(wanted));
        if (numbers[i] == wanted || std::abs(numbers[i] - wanted) <= tolerance) return i;
    }
    throw std::invalid_argument(
        fmt::format("axis '{}' has no label {}; its labels are: {}.", axis.name, wanted, listed(axis)));
}

// For each axis of the variable the index it is fixed at, if it is.
std::vector<std::optional<std::size_t>> fixed_places(const store::Dataset& data, const store::Variable& variable,
                                                     const Fixed& fixed) {
    std::vector<std::optional<std::size_t>> places(variable.axes.size());
    for (const auto& [name, label] : fixed) {
        const std::size_t place = place_of(variable.axes, name);
        if (place == variable.axes.size()) no_such_axis("variable '" + variable.name + "'", name, variable.axes);
        if (places[place]) throw std::invalid_argument(fmt::format("axis '{}' is fixed twice.", name));
        places[place] = index_of(data.axis(name), label);
    }
    return places;
}

// Positions, among the variable's axes, of those that stay, in the order asked for.
std::vector<std::size_t> kept_places(const store::Variable& variable,
                                     const std::vector<std::optional<std::size_t>>& fixed, const Names& order) {
    std::vector<std::size_t> kept;
    Names free;
    for (std::size_t a = 0; a < fixed.size(); ++a) {
        if (fixed[a]) continue;
        kept.push_back(a);
        free.push_back(variable.axes[a]);
    }
    if (order.empty()) return kept;
    Names wanted = order;
    std::sort(free.begin(), free.end());
    std::sort(wanted.begin(), wanted.end());
    // Sorted, they are equal just where one is a permutation of the other.
    if (free != wanted) {
        throw std::invalid_argument(
            fmt::format("variable '{}' is to be ordered by ({}), but the axes left over are ({}).", variable.name,
                        fmt::join(order, ", "), fmt::join(free, ", ")));
    }
    for (std::size_t k = 0; k < order.size(); ++k) kept[k] = place_of(variable.axes, order[k]);
    return kept;
}

/// Product of the sizes from `first` on: the row-major stride of the axis before it.
std::size_t product(const std::vector<std::size_t>& sizes, std::size_t first) {
    std::size_t p = 1;
    for (std::size_t i = first; i < sizes.size(); ++i) p *= sizes[i];
    return p;
}

template <class Labels>
const Labels& labels_of(const std::vector<store::Axis>& axes, const std::string& name, const char* kind) {
    const Names names = names_of(axes);
    const std::size_t place = place_of(names, name);
    if (place == names.size()) no_such_axis("the slice", name, names);
    const auto* labels = std::get_if<Labels>(&axes[place].labels);
    if (!labels) throw std::invalid_argument(fmt::format("the labels of axis '{}' are not {}.", name, kind));
    return *labels;
}

}  // namespace

const std::vector<double>& Slice::numbers(const std::string& axis) const {
    return labels_of<std::vector<double>>(axes, axis, "numbers");
}

const std::vector<std::string>& Slice::words(const std::string& axis) const {
    return labels_of<Names>(axes, axis, "words");
}

const std::vector<std::string>& words(const store::Dataset& data, const std::string& axis) {
    return labels_of<Names>(data.axes, axis, "words");
}

const std::vector<double>& numbers(const store::Dataset& data, const std::string& axis) {
    return labels_of<std::vector<double>>(data.axes, axis, "numbers");
}

bool has_word(const store::Dataset& data, const std::string& axis, const std::string& word) {
    const Names& labels = words(data, axis);
    return place_of(labels, word) < labels.size();
}

bool all_missing(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

double first_measured(const std::vector<double>& values) {
    const auto found = std::find_if(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
    return found == values.end() ? std::nan("") : *found;
}

Fixed joined(Fixed one, const Fixed& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

namespace {

const Label& label_at(const Fixed& place, const std::string& axis) {
    for (const auto& [name, label] : place)
        if (name == axis) return label;
    throw std::out_of_range(fmt::format("the place has no label on the axis '{}'.", axis));
}

std::vector<Label> all_labels(const store::Axis& axis) {
    return std::visit([](const auto& all) { return std::vector<Label>(all.begin(), all.end()); }, axis.labels);
}

}  // namespace

double number_at(const Fixed& place, const std::string& axis) { return std::get<double>(label_at(place, axis).value); }

const std::string& word_at(const Fixed& place, const std::string& axis) {
    return std::get<std::string>(label_at(place, axis).value);
}

std::vector<Fixed> places(const store::Dataset& data, const std::vector<std::string>& axes) {
    std::vector<Fixed> all(1);
    for (const std::string& axis : axes) {
        std::vector<Fixed> longer;
        for (const Fixed& place : all)
            for (const Label& label : all_labels(data.axis(axis))) longer.push_back(joined(place, {{axis, label}}));
        all = std::move(longer);
    }
    return all;
}

Slice slice(const store::Dataset& data, const std::string& name, const Fixed& fixed,
            const std::vector<std::string>& order) {
    const store::Variable& variable = data.variable(name);
    const auto places = fixed_places(data, variable, fixed);
    const auto kept = kept_places(variable, places, order);

    std::vector<std::size_t> sizes;
    for (const std::string& axis : variable.axes) sizes.push_back(data.axis(axis).size());
    // Fixed axes give one offset; each axis that is left keeps its stride in the whole variable.
    std::size_t start = 0;
    for (std::size_t a = 0; a < sizes.size(); ++a) start += places[a].value_or(0) * product(sizes, a + 1);

    Slice result{{}, {}, variable.unit};
    std::vector<std::size_t> counts, strides;
    for (const std::size_t a : kept) {
        result.axes.push_back(data.axis(variable.axes[a]));
        counts.push_back(sizes[a]);
        strides.push_back(product(sizes, a + 1));
    }
    const std::size_t total = product(counts, 0);
    for (std::size_t i = 0; i < total; ++i) {
        // The digits of i, in the counts as bases, are the indices on the axes that are left.
        std::size_t offset = start;
        for (std::size_t k = 0; k < counts.size(); ++k) offset += i / product(counts, k + 1) % counts[k] * strides[k];
        result.values.push_back(variable.values[offset]);
    }
    return result;
}

bool Averages::empty() const {
    return std::all_of(count.begin(), count.end(), [](std::size_t n) { return n == 0; });
}

namespace {

/// The values along one axis that are there, a list for each place on the other axes.
struct Groups {
    std::vector<store::Axis> axes;  ///< the others
    std::vector<std::vector<double>> values;
    std::size_t along;  ///< length of the axis
};

Groups groups(const Slice& slice, const std::string& axis) {
    const Names names = names_of(slice.axes);
    const std::size_t place = place_of(names, axis);
    if (place == names.size()) no_such_axis("the slice", axis, names);
    std::vector<std::size_t> sizes;
    for (const store::Axis& a : slice.axes) sizes.push_back(a.size());
    const std::size_t inner = product(sizes, place + 1), length = sizes[place];

    Groups result{slice.axes, {}, length};
    result.axes.erase(result.axes.begin() + static_cast<std::ptrdiff_t>(place));
    const std::size_t count = product(sizes, 0) / std::max<std::size_t>(length, 1);
    for (std::size_t g = 0; length > 0 && g < count; ++g) {
        // The values of one group are `inner` apart: g counts places before the axis by `inner`, and those after it
        // singly.
        const double* first = slice.values.data() + g / inner * length * inner + g % inner;
        auto& own = result.values.emplace_back();
        for (std::size_t i = 0; i < length; ++i)
            if (!std::isnan(first[i * inner])) own.push_back(first[i * inner]);
    }
    return result;
}

double quantile(const std::vector<double>& sorted, double p) {
    if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(below);
    // The neighbour may be infinite, and zero times that no number; above the last value there is none.
    if (part == 0) return sorted[below];
    return (1 - part) * sorted[below] + part * sorted[below + 1];
}

}  // namespace

Averages average(const Slice& slice, const std::string& axis) {
    Groups of = groups(slice, axis);
    Averages result{std::move(of.axes), {}, {}, {}, of.along};
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& values : of.values) {
        const double count = static_cast<double>(values.size());
        // Two passes: a mean of squares less the square of the mean cancels where values hardly differ.
        double sum = 0, squares = 0;
        for (const double value : values) sum += value;
        const double mean = values.empty() ? nan : sum / count;
        for (const double value : values) squares += (value - mean) * (value - mean);
        result.mean.push_back(mean);
        result.standard_deviation.push_back(values.size() > 1 ? std::sqrt(squares / (count - 1)) : nan);
        result.count.push_back(values.size());
    }
    return result;
}

Quartiles quartiles(const Slice& slice, const std::string& axis) {
    Groups of = groups(slice, axis);
    Quartiles result{std::move(of.axes), {}, {}, {}, {}};
    for (auto& values : of.values) {
        std::sort(values.begin(), values.end());
        double sum = 0;
        for (const double value : values) sum += value;
        result.lower.push_back(quantile(values, 0.25));
        result.median.push_back(quantile(values, 0.5));
        result.upper.push_back(quantile(values, 0.75));
        result.largest_share.push_back(values.empty() ? std::numeric_limits<double>::quiet_NaN() : values.back() / sum);
    }
    return result;
}

Averages average(const store::Dataset& data, const std::string& variable, const Fixed& fixed, const std::string& axis) {
    return average(slice(data, variable, fixed), axis);
}

}  // namespace rfbench::report
