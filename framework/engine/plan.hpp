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
    std::string resolved;           ///< the whole configuration as canonical YAML
    std::string data_hash;          ///< of the data the cells read; empty when they read none
    int schema_version = 1;         ///< counted up when the meaning of a cell's values changes
    std::vector<store::Axis> axes;  ///< the sweep's axes; not every combination need be a cell
    std::vector<Cell> cells;
    std::map<std::string, std::string> attributes;  ///< provenance, written to every file; no wall-clock times
};

/// Throws std::invalid_argument with a sentence when a name cannot be a file name, a key is empty or occurs twice, two
/// cells share their coordinates, or coordinates do not fit the axes.
void check(const Plan&);

/// What a cell's result depends on: sha256 of experiment, configuration, data hash, schema version and key, in hex. A
/// result is used again only while its identity stays the same.
std::string identity(const Plan&, const Cell&);

/// The file of a cell: its key and ".h5"; where the key is too long or holds characters that are not safe in file names
/// on every system, a shortened key and a hash of the whole.
std::string file_name(const Cell&);

}  // namespace rfbench::engine
