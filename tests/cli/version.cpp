// One version: the header's, the program's, CMake's and that of the files it writes.
#include "rfbench/version.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

TEST_CASE("the program, the package and result files are of the version that the header says", "[cli]") {
    const std::string version = rfbench::version;
    CHECK(version == RFBENCH_PACKAGE_VERSION);
    const std::string said = run_program("--version").out;
    CHECK(said.starts_with("rfbench " + version + "\n"));

    const TemporaryFolder folder;
    const auto config = folder.write(
        "small.yaml", "experiment: variance\nstudy: gain\ndimensions: [2]\nsquare_sums: {linspace: [1, 9, 3]}\n");
    REQUIRE(run_program("run --no-figures " + config + " --results " + folder.path().string() + "/results").code == 0);
    const auto result = rfbench::store::read(folder / "results/variance/small.h5");
    CHECK(result.attributes.at("version") == version);
    // The program says of itself what its files say of it.
    for (const char* fact :
         {"git_commit", "git_dirty", "compiler", "compile_flags", "instruction_set", "hdf5", "eigen"})
        CHECK(said.find(fmt::format("\n{}: {}\n", fact, result.attributes.at(fact))) != std::string::npos);
}
