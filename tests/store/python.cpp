// Files open as they are in Debian's python3-h5py and python3-xarray.
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "catch.hpp"
#include "datasets.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench_places.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

/// The exit status of a command and what it printed.
struct Outcome {
    int code = -1;
    std::string output;
};

Outcome run(const std::string& command) {
    Outcome outcome;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, got);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
    return outcome;
}

}  // namespace

TEST_CASE("h5py and xarray see the axes, coordinates, units and texts", "[python]") {
    const TemporaryFolder folder;
    rfbench::store::write(folder / "varied.h5", varied_dataset());
    for (const std::string reader : {"h5py", "xarray"}) {
        const Outcome outcome = run("/usr/bin/python3 '" RFBENCH_SOURCE_DIR "/tests/store/read_result.py' " + reader +
                                    " '" + (folder / "varied.h5").string() + "'");
        INFO(outcome.output);
        CHECK(outcome.code == 0);
        CHECK(outcome.output == reader + ": all as written\n");
    }
}
