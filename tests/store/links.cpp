#include "rfbench/store/links.hpp"

#include "catch.hpp"
#include "rfbench/store/error.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

TEST_CASE("a link is found on the way from a folder, and not on the way to it", "[links]") {
    const TemporaryFolder root;
    namespace fs = std::filesystem;
    fs::create_directories(root / "real/variance/gain");
    fs::create_directory_symlink(root / "real", root / "results");
    const fs::path results = root / "results";
    CHECK(!link_below(results, "variance/gain/figures/a.svg"));
    CHECK(!link_below(results, ""));
    CHECK(!link_below(results / "variance/gain", "../gain.h5"));
    fs::create_symlink("nowhere", root / "real/variance/gain/lock");
    fs::create_directory_symlink(root.path(), root / "real/smoke");
    CHECK(link_below(results, "variance/gain/lock") == results / "variance/gain/lock");
    CHECK(link_below(results, "smoke/variance/gain") == results / "smoke");
    CHECK_NOTHROW(require_no_link(results, "variance/gain"));
    const auto said = refusal<Error>([&] { require_no_link(results, "smoke/variance"); });
    CHECK(contains(said, (results / "smoke").string()));
}
