#pragma once
// Sweeps of a study: axes whose values have a type, and points on them, which are asked for values by axis.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/config/value.hpp"
#include "rfbench/engine/checkpoint.hpp"
#include "rfbench/matrix.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Named values; each has a label, a number or a word, in results.
///
/// Results at one value must not depend on other values or on their order, since they are kept when a sweep grows.
/// `keys` are the keys of the configuration that the values come from. They enter the identity of a cell only through
/// the cell's own value: its label and, if the label does not determine the value, its content and data.
template <class T>
struct Axis {
    std::string name;
    std::vector<T> values;
    std::variant<std::vector<double>, std::vector<std::string>> labels;
    std::string unit;
    std::string description;
    std::vector<std::string> keys = {};
    std::vector<std::string> contents = {};  ///< settings of each value, in words; none: labels say all
    std::vector<std::string> data = {};      ///< hash of the data of each value, empty where it has none; none: no data
    std::vector<std::string> code = {};      ///< digest of what is behind each value alone (code.hpp); none: nothing is

    std::size_t size() const { return values.size(); }
    store::Axis stored() const { return {name, labels, unit, description}; }
    auto begin() const { return values.begin(); }
    auto end() const { return values.end(); }
};

/// A key of a configuration that lists what an axis has.
struct Key {
    const config::Value& configuration;
    std::string name;

    const config::Value& value() const { return configuration.at(name); }
};

/// Axis of numbers or words that are their own labels. Whole numbers are given as any integers.
inline Axis<double> axis(std::string name, std::vector<double> values, std::string description, std::string unit = "") {
    return {std::move(name), values, values, std::move(unit), std::move(description)};
}
inline Axis<std::string> axis(std::string name, std::vector<std::string> values, std::string description) {
    return {std::move(name), values, values, "", std::move(description)};
}
inline Axis<Index> whole_axis(std::string name, const std::vector<std::int64_t>& values, std::string description) {
    return {std::move(name),
            {values.begin(), values.end()},
            std::vector<double>(values.begin(), values.end()),
            "",
            std::move(description)};
}
/// 0, 1, ..., count - 1: what is repeated.
inline Axis<std::uint64_t> repeat_axis(std::string name, std::int64_t count, std::string description) {
    Axis<std::uint64_t> result{std::move(name), {}, std::vector<double>{}, "", std::move(description)};
    for (std::int64_t i = 0; i < count; ++i) {
        result.values.push_back(static_cast<std::uint64_t>(i));
        std::get<std::vector<double>>(result.labels).push_back(static_cast<double>(i));
    }
    return result;
}

/// The same, listed by a key of the configuration.
template <class T>
Axis<T> listed_by(const Key& key, Axis<T> axis) {
    axis.keys = {key.name};
    return axis;
}
inline Axis<double> axis(std::string name, const Key& key, std::string description, std::string unit = "") {
    return listed_by(key, axis(std::move(name), key.value().numbers(), std::move(description), std::move(unit)));
}
inline Axis<std::string> word_axis(std::string name, const Key& key, std::string description) {
    return listed_by(key, axis(std::move(name), key.value().texts(), std::move(description)));
}
/// Counts ascend, however they are listed: reports take the first and the last for the least and the largest.
inline Axis<Index> whole_axis(std::string name, const Key& key, std::string description) {
    std::vector<std::int64_t> counts = key.value().integers();
    std::sort(counts.begin(), counts.end());
    return listed_by(key, whole_axis(std::move(name), counts, std::move(description)));
}
inline Axis<std::uint64_t> repeat_axis(std::string name, const Key& key, std::string description) {
    return listed_by(key, repeat_axis(std::move(name), key.value().integer(), std::move(description)));
}

/// One point of a sweep.
class Point {
public:
    Point(std::shared_ptr<const std::vector<std::string>> names, std::vector<std::size_t> at,
          engine::Checkpoint* checkpoint = nullptr)
        : names_(std::move(names)), at_(std::move(at)), checkpoint_(checkpoint) {}

    /// The value there of an axis of the sweep. Throws std::logic_error for an axis it does not have.
    template <class T>
    const T& operator[](const Axis<T>& axis) const {
        return axis.values[index(axis.name)];
    }
    /// Which of the axis' values that is.
    std::size_t index(const std::string& axis) const {
        const auto found = std::find(names_->begin(), names_->end(), axis);
        if (found == names_->end()) throw std::logic_error("this sweep has no axis '" + axis + "'");
        return at_[static_cast<std::size_t>(found - names_->begin())];
    }

    /// Checkpoint of the cell there; keeps nothing if nobody asked for it.
    engine::Checkpoint& checkpoint() const {
        static engine::Checkpoint none;
        return checkpoint_ != nullptr ? *checkpoint_ : none;
    }

private:
    std::shared_ptr<const std::vector<std::string>> names_;
    std::vector<std::size_t> at_;
    engine::Checkpoint* checkpoint_;
};

}  // namespace rfbench::experiments
