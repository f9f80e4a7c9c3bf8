// Reports of a result, by the study that made it.
#include "study/configuration.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
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
