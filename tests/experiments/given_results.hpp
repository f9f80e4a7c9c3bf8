#pragma once
// Results with values that are given, and what reports make of them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "study/study.hpp"

namespace rfbench::given_results {

using namespace rfbench::experiments;

inline store::Axis words(const char* name, std::vector<std::string> labels) {
    return {name, std::move(labels), "", ""};
}
inline store::Axis numbers(const char* name, std::vector<double> labels) { return {name, std::move(labels), "", ""}; }

/// A variable over all axes but those named, filled in turn with these values.
inline store::Variable variable(const char* name, const std::vector<store::Axis>& axes,
                                const std::vector<double>& values, const std::vector<std::string>& without = {}) {
    store::Variable result{name, {}, {}, "", ""};
    std::size_t size = 1;
    for (const store::Axis& axis : axes)
        if (std::find(without.begin(), without.end(), axis.name) == without.end()) {
            result.axes.push_back(axis.name);
            size *= axis.size();
        }
    for (std::size_t i = 0; i < size; ++i) result.values.push_back(values[i % values.size()]);
    return result;
}

inline report::Table table(const Report& report, const std::string& name) {
    for (const report::Table& one : report.tables)
        if (one.name == name) return one;
    FAIL("there is no table " << name);
    return {};
}

}  // namespace rfbench::given_results
