#pragma once
// Results of training/teachers and teachers-lists in their smoke profiles, on which other configurations stand.
#include <filesystem>
#include <string>
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
        std::filesystem::create_directories(folder_ / "training");
        for (const std::string name : {"training/teachers", "training/teachers-lists"}) train(name);
    }

private:
    void train(const std::string& name) {
        using namespace experiments;
        const auto file = std::filesystem::path(RFBENCH_SOURCE_DIR) / "configs" / (name + ".yaml");
        const Configuration configuration = load_configuration(file, {"smoke", {}});
        const Sweep sweep = configuration.study->prepare(configuration.value);
        const engine::Plan whole = plan(configuration, sweep, {{"name", configuration.name}});
        store::write(folder_ / (name + ".h5"),
                     engine::collect(whole, std::vector<bool>(whole.cells.size(), false), [&](std::size_t cell) {
                         return sweep.measure(sweep.point(whole.cells[cell].coordinates));
                     }));
    }

    TemporaryFolder folder_;
    experiments::FoundationFolder there_;
};

}  // namespace rfbench::tests
