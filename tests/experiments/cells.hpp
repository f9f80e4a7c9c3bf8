#pragma once
// Results of a study at single cells of a configuration.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "parsed.hpp"
#include "rfbench/engine/collect.hpp"
#include "study/configuration.hpp"

namespace rfbench::cells {

using namespace rfbench::experiments;

/// Whether a cell's key has this part, such as "method=positive".
inline bool has(const engine::Cell& cell, const std::string& part) {
    return ("," + cell.key + ",").find("," + part + ",") != std::string::npos;
}

/// The values at all cells whose keys have these parts, one cell after the other.
inline store::Dataset computed(const Sweep& sweep, const std::vector<std::string>& parts) {
    store::Dataset all;
    for (const engine::Cell& cell : sweep.cells()) {
        if (!std::all_of(parts.begin(), parts.end(), [&](const std::string& part) { return has(cell, part); }))
            continue;
        const store::Dataset data = ::computed(sweep, cell);
        if (all.variables.empty()) {
            all = data;
            continue;
        }
        for (std::size_t v = 0; v < data.variables.size(); ++v) {
            const auto& values = data.variables[v].values;
            all.variables[v].values.insert(all.variables[v].values.end(), values.begin(), values.end());
        }
    }
    if (all.variables.empty())
        throw std::logic_error("no cell has " + (parts.empty() ? std::string("any part") : parts.front()));
    return all;
}

inline store::Dataset computed_at(const Sweep& sweep, const std::string& part) {
    return computed(sweep, std::vector{part});
}

inline const std::vector<double>& values(const store::Dataset& data, const std::string& variable) {
    return data.variable(variable).values;
}
/// Means of as many at a time, as a cell has the losses of its steps between two looks.
inline std::vector<double> means_of(std::size_t at_a_time, const std::vector<double>& all) {
    std::vector<double> means;
    for (std::size_t i = 0; i < all.size(); i += at_a_time) {
        double sum = 0;
        for (std::size_t k = i; k < i + at_a_time; ++k) sum += all.at(k);
        means.push_back(sum / static_cast<double>(at_a_time));
    }
    return means;
}

inline double value(const store::Dataset& data, const std::string& variable) { return values(data, variable).at(0); }

/// Result of a study, as a run collects it.
inline store::Dataset collected(const Study& study, const std::string& yaml) {
    const Sweep sweep = prepared(study, yaml);
    const Configuration configuration{&study, "mine", "mine.yaml", parsed(study, yaml)};
    const engine::Plan whole = plan(configuration, sweep, {{"name", "mine"}});
    return engine::collect(whole, std::vector<bool>(whole.cells.size(), false),
                           [&](std::size_t cell) { return ::computed(sweep, whole.cells[cell]); });
}

}  // namespace rfbench::cells
