#pragma once
// Tasks of cost/growth: runs that are timed while one of their sizes grows, and the order in which their time should.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

/// Sizes by the names that configurations have: rows (N), length (L), columns (M), dimension (d), cells, threads.
using GrowthSizes = std::map<std::string, Index>;

/// A task whose time is c N^a M^b ... for large sizes.
struct GrowthTask {
    std::string name;
    std::string order;                        ///< of its time, in the sizes' letters
    std::map<std::string, double> exponents;  ///< of each size that may grow; of threads, where they share the work
    /// A run at these sizes, on the threads of the surrounding OpenMP settings. Its inputs and buffers stay from run to
    /// run.
    std::function<void()> (*make)(const GrowthSizes&, const Stream&);
};

/// All of them.
const std::vector<GrowthTask>& growth_tasks();

}  // namespace rfbench::experiments
