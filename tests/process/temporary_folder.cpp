#include "rfbench/process/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "support/refusal.hpp"

using rfbench::process::TemporaryFolder;
namespace fs = std::filesystem;

TEST_CASE("a temporary folder is new, its owner's alone, and goes with all that is in it") {
    fs::path place;
    {
        const TemporaryFolder folder, other;
        place = folder.path();
        CHECK(place != other.path());
        CHECK(place.is_absolute());
        CHECK(fs::is_empty(place));
        CHECK(fs::status(place).permissions() == fs::perms::owner_all);
        fs::create_directories(place / "a/b");
        std::ofstream(place / "a/b/file") << "text";
    }
    CHECK_FALSE(fs::exists(place));
}

TEST_CASE("a temporary folder is refused where there is no place for one") {
    const char* set = std::getenv("TMPDIR");
    const std::string before = set == nullptr ? "" : set;
    ::setenv("TMPDIR", "/nowhere at all", 1);
    const std::string said = rfbench::tests::refusal<rfbench::FileError>([] { TemporaryFolder(); });
    if (set == nullptr)
        ::unsetenv("TMPDIR");
    else
        ::setenv("TMPDIR", before.c_str(), 1);
    CHECK(said.starts_with("there is no folder for temporary files (TMPDIR): "));
}
