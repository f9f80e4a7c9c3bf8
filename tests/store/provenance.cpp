#include "rfbench/store/provenance.hpp"

#include "catch.hpp"
#include "rfbench/store/instruction_set.hpp"

using namespace rfbench::store;

TEST_CASE("provenance names the program that made a result", "[provenance]") {
    const auto facts = provenance();
    for (const char* key : {"version", "git_commit", "git_dirty", "compiler", "compile_flags", "build",
                            "instruction_set", "instruction_extensions", "hdf5", "fmt"}) {
        INFO(key);
        CHECK(facts.count(key) == 1);
    }
    CHECK(facts.at("compiler").find("++ ") != std::string::npos);
    CHECK(facts.at("hdf5").substr(0, 2) == "1.");
    CHECK(facts.at("instruction_set") == instruction_set());
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512CD__)
    CHECK(instruction_set() == "x86-64-v4");
#elif defined(__AVX2__) && defined(__FMA__)
    CHECK(instruction_set() == "x86-64-v3");
#endif
}

TEST_CASE("provenance is the same from call to call, and takes what the caller knows", "[provenance]") {
    CHECK(provenance() == provenance());
    const auto facts = provenance({{"eigen", "3.4.0"}, {"git_commit", "abc"}});
    CHECK(facts.at("eigen") == "3.4.0");
    CHECK(facts.at("git_commit") == "abc");
    CHECK(facts.size() == provenance().size() + 1);
}
