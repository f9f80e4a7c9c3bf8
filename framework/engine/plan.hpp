#pragma once
// A sweep, written out: which cells there are and where each belongs. The engine knows no more of an experiment than
// this and one function that computes a cell.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::engine {

/// One point of the sweep.
struct Cell {
    std::string key;                       ///< readable and unique, e.g. "regime=normal,gamma=0.1,repeat=0"
    std::vector<std::size_t> coordinates;  ///< index along each of the plan's axes, in their order
};

struct Plan {
    std::string experiment;         ///< folder in results/, e.g. "variance"
    std::string config;             ///< name of the collected file in it, e.g. "regimes"
    std::string profile;            ///< folder in results/ around that of the experiment; empty for the full profile
    std::string resolved;           ///< the whole configuration as canonical YAML
    std::string data_hash;          ///< of all data that cells read; empty when they read none
    int schema_version = 1;         ///< counted up when the meaning of a cell's values changes
    std::vector<store::Axis> axes;  ///< the sweep's axes; not every combination need be a cell
    std::vector<Cell> cells;
    std::map<std::string, std::string> attributes;  ///< of the collected file; no wall-clock times
    std::map<std::string, std::string> provenance;  ///< of the program, stored with every cell too

    /// Everything that all values depend on, beside their place in the sweep: "name: text", a line each.
    std::string common;
    /// Everything that values at a label of an axis depend on beside that label, by axis and label: lines "name: text",
    /// or nothing.
    std::vector<std::vector<std::string>> contents;
    /// Values are measurements of this machine: computing them again gives others.
    bool measured = false;
};

/// "variance/regimes", "smoke/variance/regimes": its folder below the root of all results.
std::string place(const Plan&);

/// Throws std::invalid_argument with a sentence when a name cannot be a file name, a key is empty or occurs twice, two
/// cells share their coordinates, or coordinates do not fit the axes.
void check(const Plan&);

}  // namespace rfbench::engine
