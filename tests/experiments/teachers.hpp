#pragma once
// Results of training/teachers in its smoke profile, on which other configurations stand.
#include <filesystem>
#include <vector>

#include "rfbench/engine/collect.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"
#include "study/foundation.hpp"
#include "support/temporary_folder.hpp"

namespace rfbench::tests {

/// While one lives, prepare() of this thread finds these results.
class Teachers {
public:
    Teachers() : there_(folder_.path()) {
        using namespace experiments;
        const auto file = std::filesystem::path(RFBENCH_SOURCE_DIR) / "configs/training/teachers.yaml";
        const Configuration configuration = load_configuration(file, {"smoke", {}});
        const Sweep sweep = configuration.study->prepare(configuration.value);
        const engine::Plan whole = plan(configuration, sweep, {{"name", configuration.name}});
        std::filesystem::create_directories(folder_ / "training");
        store::write(folder_ / "training/teachers.h5",
                     engine::collect(whole, std::vector<bool>(whole.cells.size(), false), [&](std::size_t cell) {
                         return sweep.measure(sweep.point(whole.cells[cell].coordinates));
                     }));
    }

private:
    TemporaryFolder folder_;
    experiments::FoundationFolder there_;
};

}  // namespace rfbench::tests
