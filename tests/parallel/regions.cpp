// The tree's own sources: an exception that crosses the border of a parallel region, or leaves a thread, ends the
// process. Loop keeps them; so nothing else may open a region, and other threads are listed with what becomes of
// theirs.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "rfbench_places.hpp"

namespace {

/// Files of the framework and the experiments with a line that matches, with the number of such lines.
std::map<std::string, int> files_with(const std::regex& pattern) {
    namespace fs = std::filesystem;
    std::map<std::string, int> found;
    const fs::path root = RFBENCH_SOURCE_DIR;
    for (const char* folder : {"framework", "experiments"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const fs::path& path = entry.path();
            if (path.extension() != ".cpp" && path.extension() != ".hpp") continue;
            std::ifstream file(path);
            for (std::string line; std::getline(file, line);)
                if (std::regex_search(line, pattern)) ++found[path.lexically_relative(root).generic_string()];
        }
    return found;
}

}  // namespace

TEST_CASE("parallel regions are opened by Loop alone, which lets no exception cross their borders") {
    // teams, tasks and sections included; `simd` stays within a thread.
    const std::regex opens(R"(#\s*pragma\s+omp\s+(?!simd|critical|for\b)\w+|_Pragma\s*\(\s*"omp)");
    CHECK(files_with(opens) == std::map<std::string, int>{{"framework/parallel/loop.hpp", 1}});
    const std::regex shares(R"(#\s*pragma\s+omp\s+for\b)");
    CHECK(files_with(shares) == std::map<std::string, int>{{"framework/parallel/loop.hpp", 2}});
}

TEST_CASE("threads beside those of loops are known, and keep what they throw") {
    // The line of progress: its thread catches all. Baselines of studies are deferred: the thread that asks first
    // computes them, and the future keeps what is thrown.
    const std::regex makes(R"(std::(jthread|async|thread)\s*[({]|std::thread\s+\w|pthread_create)");
    CHECK(files_with(makes) == std::map<std::string, int>{{"experiments/sources/image_baselines.cpp", 1},
                                                          {"experiments/training/budget.cpp", 2},
                                                          {"experiments/training/masked_text.cpp", 1},
                                                          {"experiments/training/text.cpp", 1},
                                                          {"framework/engine/progress.cpp", 1}});
    const std::regex deferred(R"(std::async\(std::launch::deferred)");
    CHECK(files_with(deferred).size() == 4);
}
