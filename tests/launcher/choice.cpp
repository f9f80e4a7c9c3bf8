#include "rfbench/launcher/choice.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "support/refusal.hpp"

using namespace rfbench::launcher;
using namespace rfbench::tests;

namespace {

const std::vector<std::string> built{"x86-64-v2", "x86-64-v3", "x86-64-v4"};

std::string refused(const std::vector<std::string>& levels, int processor, const char* asked) {
    return refusal<rfbench::InputError>([&] { chosen_level(levels, processor, asked); });
}

}  // namespace

TEST_CASE("the best level that a processor has is chosen", "[launcher]") {
    for (const char* nothing : {static_cast<const char*>(nullptr), ""}) {
        CHECK(chosen_level(built, 2, nothing) == "x86-64-v2");
        CHECK(chosen_level(built, 3, nothing) == "x86-64-v3");
        CHECK(chosen_level(built, 4, nothing) == "x86-64-v4");
    }
    // Levels in between need not be there.
    CHECK(chosen_level({"x86-64", "x86-64-v3"}, 1, nullptr) == "x86-64");
    CHECK(chosen_level({"x86-64", "x86-64-v3"}, 2, nullptr) == "x86-64");
    CHECK(chosen_level({"x86-64", "x86-64-v3"}, 4, nullptr) == "x86-64-v3");
    CHECK(chosen_level({"x86-64-v4"}, 4, nullptr) == "x86-64-v4");
}

TEST_CASE("a level that is asked for is chosen where the processor has it", "[launcher]") {
    for (int processor = 2; processor <= 4; ++processor)
        for (int asked = 2; asked <= 4; ++asked) {
            const std::string level = built[static_cast<std::size_t>(asked) - 2];
            INFO(level << " on a processor of level " << processor);
            if (asked <= processor)
                CHECK(chosen_level(built, processor, level.c_str()) == level);
            else
                CHECK(refused(built, processor, level.c_str()) == "RFBENCH_INSTRUCTION_SET is " + level +
                                                                      ", and this processor has x86-64-v" +
                                                                      std::to_string(processor) + " at most");
        }
    CHECK(chosen_level({"x86-64", "x86-64-v3"}, 1, "x86-64") == "x86-64");
    CHECK(contains(refused({"x86-64", "x86-64-v3"}, 1, "x86-64-v3"), "this processor has x86-64 at most"));
}

TEST_CASE("names of levels that are not there, and processors without any, are refused", "[launcher]") {
    for (const char* name : {"x86-64-v5", "x86-64", "v3", "avx2", "native", " "})
        CHECK(refused(built, 4, name) ==
              std::string("RFBENCH_INSTRUCTION_SET is '") + name + "'; here are x86-64-v2, x86-64-v3 and x86-64-v4");
    CHECK(contains(refused({"x86-64-v3"}, 4, "v3"), "; here are x86-64-v3"));
    CHECK(refused(built, 1, nullptr) ==
          "this package is for processors that have x86-64-v2 (Intel's since 2009, AMD's since 2011), and this one has "
          "x86-64: build rfbench from source for it");
}

TEST_CASE("folders beside the levels are none", "[launcher]") {
    for (const char* level : {"x86-64", "x86-64-v2", "x86-64-v4"}) CHECK(is_level(level));
    for (const char* other : {"", "x86-64-", "x86-64-v", "x86-64-v1", "x86-64-v3.old", "x86-64-v3-2", "x86_64-v3"})
        CHECK_FALSE(is_level(other));
}
