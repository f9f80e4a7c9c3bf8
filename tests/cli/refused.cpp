// Refusals of what would be taken for something else.
#include <filesystem>

#include "catch.hpp"
#include "program.hpp"
#include "small_gain.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using Catch::Matchers::Contains;

namespace {

std::string refusal_of(const std::string& arguments) {
    const Outcome of = run_program(arguments);
    INFO(arguments << "\n" << of.out);
    CHECK(of.code == 2);
    return of.out;
}

}  // namespace

TEST_CASE("results with no value in common are not the same", "[cli]") {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& points) {
        REQUIRE(run_program("run variance/regimes --profile smoke --quiet --no-figures --as " + points +
                            " --set points=[" + points + "] --results " + folder.file("results"))
                    .code == 0);
        return folder.file("results/smoke/variance/" + points + ".h5");
    };
    CHECK_THAT(refusal_of("compare " + run("normal") + " " + run("sphere")), Contains("have no value in common"));
}

TEST_CASE("a paper's name that is given another sampling is not labelled as the paper's", "[cli]") {
    const auto planned = [](const std::string& methods) {
        return run_program("plan training/text --profile smoke --cells --set 'methods=[exact, " + methods + "]'").out;
    };
    CHECK_THAT(planned("FAVOR+"), Contains("method=FAVOR+,"));
    CHECK_THAT(planned("{use: FAVOR+, redraw: 2}"), Contains("method=FAVOR+,"));
    CHECK_THAT(planned("{use: FAVOR+, sampling: orthogonal}"), Contains("method=FAVOR+,"));
    const std::string changed = planned("{use: FAVOR+, sampling: iid}");
    INFO(changed);
    CHECK_THAT(changed, Contains("method=\"positive, iid\"") || Contains("method=positive, iid"));
    CHECK_THAT(changed, !Contains("FAVOR+"));
    CHECK_THAT(planned("{use: FAVOR+, sampling: iid, label: mine}"), Contains("method=mine,"));
}

TEST_CASE("a name among numeric that is no data set is refused at its place", "[cli]") {
    CHECK_THAT(refusal_of("plan regression/ridge --set numeric=[abalon]"),
               Contains("numeric.0") && Contains("Did you mean 'abalone'?"));
}

TEST_CASE("names of results, profiles and files that mislead are refused", "[cli]") {
    const TemporaryFolder folder;
    const std::string small = folder.write("small.yaml", small_gain);
    CHECK_THAT(refusal_of("plan " + small + " --as 'my best'"), Contains("--as my best: ") && !Contains("Rename"));
    const std::string profiled = folder.write("p.yaml", std::string(small_gain) + "profiles: {variance: {}}\n");
    CHECK_THAT(refusal_of("plan " + profiled + " --profile variance"), Contains("cannot be called 'variance'"));
    CHECK_THAT(
        refusal_of("export training/recall --reference --to csv --variables accuracy --out " + folder.file("t.npz")),
        Contains("ends in .csv"));
    CHECK_FALSE(std::filesystem::exists(folder / "t.npz"));
}

TEST_CASE("a value of a method's parameter is one value", "[cli]") {
    const TemporaryFolder folder;
    const std::string features = "features optimal-positive --x " + folder.write("x.csv", "1,0\n0,1\n") + " --out " +
                                 folder.file("f.npy") + " --columns 4 --set ";
    for (const char* wrong : {"'A=-0.1, label: hello'", "A=-0.1,2", "'A=-0.1}'"}) refusal_of(features + wrong);
    CHECK(run_program(features + "A=-0.1").code == 0);
    CHECK_THAT(refusal_of("plan variance/regimes --set methods=positive,trigonometric"), Contains("a list is [a, b]"));
}
