#pragma once
// Where the files of a plan are, under the root folder of all results:
//   <experiment>/<config>.h5                 the collected dataset
//   <experiment>/<config>/cells/<key>.h5     one file a cell
//   <experiment>/<config>/journal            what was done when, what failed and why
//   <experiment>/<config>/SHA256SUMS         of all these files; `sha256sum -c` accepts it
//   <experiment>/<config>/lock               held by the run at work
#include <filesystem>

#include "rfbench/engine/plan.hpp"

namespace rfbench::engine {

struct Layout {
    std::filesystem::path collected, folder, cells, journal, sums, lock;
    std::filesystem::path draft;  ///< the collected file before it is moved to its place

    Layout(const std::filesystem::path& results, const Plan&);
    std::filesystem::path cell(const Cell&) const;
};

}  // namespace rfbench::engine
