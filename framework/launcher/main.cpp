// The program `rfbench` of a package: becomes the one in lib/rfbench/<level>/ that is for the processor at hand.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "rfbench/errors.hpp"
#include "rfbench/launcher/choice.hpp"
#include "rfbench/launcher/processor.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rfbench;

/// Names of the levels in a folder, lowest first.
std::vector<std::string> levels_in(const fs::path& folder) {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (std::string name = entry.path().filename(); launcher::is_level(name)) found.push_back(std::move(name));
    std::sort(found.begin(), found.end());
    return found;
}

/// The program for this processor, wherever the prefix was moved to.
fs::path program() {
    const fs::path launcher = fs::read_symlink("/proc/self/exe");
    const fs::path folder = launcher.parent_path().parent_path() / "lib" / "rfbench";
    const std::vector<std::string> levels = fs::exists(folder) ? levels_in(folder) : std::vector<std::string>{};
    if (levels.empty()) throw FileError("there are no programs in " + folder.string() + ": install rfbench whole");
    return folder / launcher::chosen_level(levels, launcher::processor_level(), std::getenv(launcher::variable)) /
           "rfbench";
}

}  // namespace

int main(int, char** argv) {
    // Exit codes are those of the program (docs/results.md).
    try {
        const fs::path chosen = program();
        ::execv(chosen.c_str(), argv);
        std::cerr << "rfbench: " << chosen.string() << " cannot be run (" << std::strerror(errno)
                  << "): install rfbench whole\n";
        return 1;
    } catch (const InputError& error) {
        std::cerr << "rfbench: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "rfbench: " << error.what() << '\n';
        return 1;
    }
}
