// Reports of a result, by the study that made it.
#include "study/configuration.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using rfbench::tests::contains;
using rfbench::tests::refusal;

TEST_CASE("a report that fails says which study's it is; a file that names no study is the file's mistake",
          "[experiments]") {
    store::Dataset empty;
    empty.attributes["study"] = "variance/angle";
    const std::string said = refusal<StudyError>([&] { report_of(empty); });
    INFO(said);
    CHECK(said.starts_with("the report of the study variance/angle failed: "));
    CHECK(said.size() > std::string("the report of the study variance/angle failed: ").size());
    CHECK(contains(refusal<FileError>([] { report_of({}); }), "it is no collected result"));
}

TEST_CASE("what has another name now says so, and its results of before are read", "[experiments]") {
    for (const char* before : {"attention/cost", "attention/decoding", "conversion/decoding", "training/low-memory",
                               "training/network-cost"}) {
        const std::string name = before, now = present_name(name);
        CAPTURE(name, now);
        const std::size_t slash = name.find('/');
        CHECK(refusal<InputError>([&] { find(name.substr(0, slash), name.substr(slash + 1)); }) ==
              "the study '" + name + "' is called '" + now + "' now.");
        CHECK(refusal<InputError>([&] { configuration_files(RFBENCH_SOURCE_DIR "/configs", {name}); }) ==
              "the configuration '" + name + "' is called '" + now + "' now.");
        CHECK(configuration_files(RFBENCH_SOURCE_DIR "/configs", {now}).size() == 1);
        store::Dataset empty;
        empty.attributes["study"] = name;
        CHECK(contains(refusal<StudyError>([&] { report_of(empty); }), "the report of the study " + now + " failed: "));
    }
    CHECK(present_name("variance/gain") == "variance/gain");
}
