// --set KEY=A,B: a run for each value, with results of a name of its own.
#include <filesystem>

#include "catch.hpp"
#include "program.hpp"
#include "small_gain.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

struct Regimes {
    TemporaryFolder folder;

    Regimes() {
        folder.write("configs/variance/small.yaml",
                     "experiment: variance\nstudy: regimes\nmethods: [positive]\npoints: [normal]\ngammas: [0.5, 1]\n"
                     "rows: 8\nrepeats: 2\n");
        folder.write("configs/variance/gain.yaml", small_gain);
    }
    Outcome rfbench(const std::string& command) const {
        return run_program(command + " --configs " + folder.file("configs") + " --results " + folder.file("results"));
    }
    std::string result(const std::string& name) const {
        return bytes_of(folder / ("results/variance/" + name + ".h5"));
    }
};

}  // namespace

TEST_CASE("several values of --set are a run each, shown by plan, with the values of a run alone", "[cli]") {
    const Regimes own;
    const Outcome plan = own.rfbench("plan variance/small --set seed=1,2");
    INFO(plan.out);
    CHECK(plan.code == 0);
    CHECK(contains(plan.out, "variance/small-seed-1 (study variance/regimes)"));
    CHECK(contains(plan.out, "variance/small-seed-2 (study variance/regimes)"));

    const Outcome run = own.rfbench("run --no-figures variance/small --set seed=1,2");
    INFO(run.out);
    REQUIRE(run.code == 0);
    CHECK(run.out.find("variance/small-seed-1: done") < run.out.find("variance/small-seed-2: done"));
    CHECK(own.result("small-seed-1") != own.result("small-seed-2"));
    CHECK(!std::filesystem::exists(own.folder / "results/variance/small.h5"));
    // Each is the result of the one value, and its cells are known to a run of that value.
    REQUIRE(own.rfbench("run --no-figures variance/small --set seed=2 --as second").code == 0);
    const Outcome same = run_program("compare " + own.folder.file("results/variance/small-seed-2.h5") + " " +
                                     own.folder.file("results/variance/second.h5"));
    INFO(same.out);
    CHECK(same.code == 0);
    CHECK(contains(own.rfbench("status variance/small --set seed=2,3").out, "variance/small-seed-3"));
}

TEST_CASE("several keys with several values are all combinations, and lists and quotes are one value", "[cli]") {
    const Regimes own;
    const Outcome plan = own.rfbench("plan variance/small --set seed=1,2 --set 'gammas=[0.5, 1],2' --as mine");
    INFO(plan.out);
    CHECK(plan.code == 0);
    for (const char* name :
         {"mine-seed-1-gammas--0.5--1-", "mine-seed-1-gammas-2", "mine-seed-2-gammas--0.5--1-", "mine-seed-2-gammas-2"})
        CHECK(contains(plan.out, std::string("variance/") + name + " "));
    CHECK(contains(own.rfbench("plan variance/small --set 'gammas=[0.5, 1]'").out, "variance/small (study"));
    CHECK(contains(own.rfbench("plan variance/small --set 'description=\"a, b\"'").out, "variance/small (study"));
}

TEST_CASE("a value that is wrong, missing or given twice is refused before the first run", "[cli]") {
    const Regimes own;
    struct Case {
        const char *command, *said;
    };
    for (const Case& one : {Case{"run variance/small --set rows=8,0", "--set rows=0"},
                            Case{"run variance/small --set seed=1,", "a value is missing beside a comma"},
                            Case{"run variance/small --set seed=1,2,1", "1 is given twice"},
                            Case{"run variance/small --set 'gammas=[1],{1}'", "would have results of one name"},
                            Case{"slurm variance/small --set seed=1,2", "slurm takes one at a time"}}) {
        INFO(one.command);
        const Outcome refused = own.rfbench(one.command);
        INFO(refused.out);
        CHECK(refused.code == 2);
        CHECK(contains(refused.out, one.said));
        CHECK(!std::filesystem::exists(own.folder / "results/variance"));
    }
}
