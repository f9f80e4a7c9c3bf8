#include "rfbench/store/entries_below.hpp"

#include <fstream>

#include "catch.hpp"
#include "rfbench/store/error.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

std::vector<std::string> names_below(const std::filesystem::path& folder, const std::filesystem::path& except = {}) {
    std::vector<std::string> names;
    for (const auto& entry : entries_below(folder, except))
        names.push_back(entry.path().lexically_relative(folder).generic_string());
    return names;
}

}  // namespace

TEST_CASE("what is below a folder comes in the order of names, and links are not followed", "[store]") {
    const TemporaryFolder folder;
    const auto& top = folder.path();
    std::filesystem::create_directories(top / "b/inner");
    std::filesystem::create_directories(top / "a");
    for (const char* name : {"c", "b/inner/z", "b/inner/y", "a/x", ".hidden"}) std::ofstream(top / name) << name;
    std::filesystem::create_directory_symlink(top, top / "b/to-the-top");
    std::filesystem::create_symlink(top / "nowhere", top / "dangling");
    const std::vector<std::string> all{".hidden",   "a",         "a/x",          "b", "b/inner",
                                       "b/inner/y", "b/inner/z", "b/to-the-top", "c", "dangling"};
    CHECK(names_below(top) == all);
    CHECK(names_below(top, top / "b") == std::vector<std::string>{".hidden", "a", "a/x", "c", "dangling"});
    CHECK(names_below(top / "a") == std::vector<std::string>{"x"});
    CHECK_THROWS_AS(entries_below(top / "missing"), Error);
    CHECK_THROWS_AS(entries_below(top / "c"), Error);
}
