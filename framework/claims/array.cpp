#include "rfbench/claims/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rfbench/text/nearest.hpp"

namespace rfbench::claims {

namespace {

std::vector<std::string> names_of(const Array& array) {
    std::vector<std::string> names;
    for (const store::Axis& axis : array.axes) names.push_back(axis.name);
    return names;
}

std::size_t size_of(const std::vector<store::Axis>& axes) {
    std::size_t size = 1;
    for (const store::Axis& axis : axes) size *= axis.size();
    return size;
}

/// Stride of each of `axes` in the array, 0 for one that it does not have.
std::vector<std::size_t> strides(const Array& array, const std::vector<store::Axis>& axes) {
    const auto names = names_of(array);
    std::vector<std::size_t> result;
    for (const store::Axis& axis : axes) {
        const auto place = std::find(names.begin(), names.end(), axis.name);
        std::size_t stride = place == names.end() ? 0 : 1;
        if (stride != 0)
            for (auto a = static_cast<std::size_t>(place - names.begin()) + 1; a < array.axes.size(); ++a)
                stride *= array.axes[a].size();
        result.push_back(stride);
    }
    return result;
}

}  // namespace

bool Array::has(const std::string& axis) const {
    return std::any_of(axes.begin(), axes.end(), [&](const store::Axis& own) { return own.name == axis; });
}

std::size_t Array::missing() const {
    return static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
}

Array mapped(const Array& array, const std::function<double(double)>& f) {
    Array result = array;
    for (double& value : result.values) value = f(value);
    return result;
}

Array combined(const Array& a, const Array& b, const std::function<double(double, double)>& f) {
    Array result{a.axes, {}};
    for (const store::Axis& axis : b.axes) {
        const auto own = std::find_if(a.axes.begin(), a.axes.end(),
                                      [&](const store::Axis& other) { return other.name == axis.name; });
        if (own == a.axes.end())
            result.axes.push_back(axis);
        else if (own->labels != axis.labels)
            throw std::invalid_argument(
                fmt::format("two values have the axis '{}' with other labels in one than in the other", axis.name));
    }
    const auto in_a = strides(a, result.axes), in_b = strides(b, result.axes);
    const std::size_t size = size_of(result.axes);
    for (std::size_t i = 0; i < size; ++i) {
        // The digits of i, in the sizes of the axes as bases, are the places on them.
        std::size_t rest = i, at_a = 0, at_b = 0;
        for (std::size_t k = result.axes.size(); k-- > 0;) {
            const std::size_t place = rest % result.axes[k].size();
            rest /= result.axes[k].size();
            at_a += place * in_a[k];
            at_b += place * in_b[k];
        }
        result.values.push_back(f(a.values[at_a], b.values[at_b]));
    }
    return result;
}

Lines lines(const Array& array, const std::string& axis) {
    const auto names = names_of(array);
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), axis) - names.begin());
    if (place == names.size())
        throw std::invalid_argument(fmt::format("there is no axis '{}' here; the axes are: {}.{}", axis,
                                                fmt::join(names, ", "), did_you_mean(axis, names)));
    Lines result{array.axes, array.axes[place], {}};
    result.axes.erase(result.axes.begin() + static_cast<std::ptrdiff_t>(place));
    std::size_t inner = 1;
    for (std::size_t a = place + 1; a < array.axes.size(); ++a) inner *= array.axes[a].size();
    const std::size_t length = result.along.size(), count = size_of(result.axes);
    for (std::size_t g = 0; g < count; ++g) {
        std::vector<double>& own = result.values.emplace_back();
        for (std::size_t i = 0; i < length; ++i)
            own.push_back(array.values[g / inner * length * inner + i * inner + g % inner]);
    }
    return result;
}

Array reduced(const Array& array, const std::string& axis, const Reduction& f) {
    const Lines of = lines(array, axis);
    const auto* numbers = std::get_if<std::vector<double>>(&of.along.labels);
    Array result{of.axes, {}};
    for (const auto& values : of.values) result.values.push_back(f(values, numbers ? *numbers : std::vector<double>()));
    return result;
}

}  // namespace rfbench::claims
