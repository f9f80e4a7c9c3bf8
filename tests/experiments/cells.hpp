#pragma once
// What a study computes at single cells of a configuration.
#include <stdexcept>
#include <string>
#include <vector>

#include "parsed.hpp"

namespace rfbench::cells {

using namespace rfbench::experiments;

/// The first cell whose key has all these parts, such as "method=positive".
inline engine::Cell cell(const Sweep& sweep, const std::vector<std::string>& parts) {
    for (const engine::Cell& one : sweep.cells()) {
        bool all = true;
        for (const std::string& part : parts) all &= ("," + one.key + ",").find("," + part + ",") != std::string::npos;
        if (all) return one;
    }
    throw std::logic_error("no cell has " + (parts.empty() ? std::string("any part") : parts.front()));
}

inline store::Dataset computed(const Sweep& sweep, const std::vector<std::string>& parts) {
    return ::computed(sweep, cell(sweep, parts));
}

inline store::Dataset computed_at(const Sweep& sweep, const std::string& part) {
    return ::computed(sweep, cell(sweep, {part}));
}

inline const std::vector<double>& values(const store::Dataset& data, const std::string& variable) {
    return data.variable(variable).values;
}
inline double value(const store::Dataset& data, const std::string& variable) { return values(data, variable).at(0); }

}  // namespace rfbench::cells
