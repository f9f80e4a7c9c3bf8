#include "study/project.hpp"

#include <stdexcept>
#include <system_error>

#include "rfbench/datasets/own_manifest.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::experiments {
namespace {

namespace fs = std::filesystem;

/// The folder of the running program, wherever its prefix was moved to; empty where the system does not tell.
fs::path program_folder() {
    std::error_code not_linux;
    return fs::read_symlink("/proc/self/exe", not_linux).parent_path();
}

/// Folder of installed configurations and data, as seen from the program.
fs::path installed() { return (program_folder() / RFBENCH_SHARE_FROM_PROGRAM).lexically_normal(); }

}  // namespace

fs::path project() {
    if (fs::path found = datasets::find_project(fs::current_path()); !found.empty()) return found;
    const fs::path program = program_folder();
    if (program.empty()) throw FileError("start rfbench in a checkout: where it is installed is not known here");
    // The folder itself: one that is found further up is another project, and not what was installed.
    if (fs::path share = installed(); datasets::find_project(share) == share) return share;
    if (fs::path found = datasets::find_project(program); !found.empty()) return found;
    throw FileError("there is no data/manifest.yaml in " + installed().string() +
                    ", where it is installed beside this program, and none upwards from the current folder: "
                    "install rfbench whole ('cmake --install'), or start it in a checkout");
}

datasets::Manifest data_manifest() {
    return datasets::with_own(datasets::load_manifest(project() / "data" / "manifest.yaml"),
                              datasets::own_manifest_path());
}

datasets::Places data_places() {
    const fs::path found = project();
    return datasets::places_of_this_machine(found == installed() ? fs::path() : found);
}

}  // namespace rfbench::experiments
