// Time and memory of a run before it is begun, and where memory ends.
#include <cstdlib>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"
#include "small_gain.hpp"
#include "support/refusal.hpp"
#include "support/sanitizer.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

TEST_CASE("What a run will take is said before it is begun", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yml", small_gain);
    const std::string results = " --results " + folder.file("results");
    // Not yet timed; then by the cells of the run that was made.
    CHECK(contains(run_program("plan " + config + results).out, "3 to compute"));
    CHECK(contains(run_program("plan " + config + results).out, "unknown until"));
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    CHECK(std::filesystem::exists(folder / "results/variance/small.h5"));
    const Outcome done = run_program("plan " + config + results);
    INFO(done.out);
    CHECK(
        done.out.starts_with("variance/small (study variance/gain): 3 cells at 3 values of dimension\n"
                             "  nothing to compute\n  memory: "));
    CHECK(!contains(done.out, "dimension="));
    CHECK(contains(run_program("plan --cells " + config + results).out, "KiB\n  dimension=2\n  dimension=4\n"));
    // Times of a configuration are its own: with one value changed they are not known, with one more they are.
    CHECK(contains(run_program("plan " + config + results + " --set square_sums=3").out, "unknown until"));
    CHECK(contains(run_program("plan variance/regimes --set rows=77" + results).out,
                   "unknown with these values; those in the file take about"));
    // A profile's own minutes are of its values, unless --set changes them.
    const std::string timed =
        folder.write("timed.yaml", std::string(small_gain) + "profiles: {quick: {square_sums: 3, minutes: 7}}\n");
    const std::string quick = "plan " + timed + " --profile quick" + results;
    CHECK(contains(run_program(quick).out, "about 7 min 00 s on two cores, as the configuration says"));
    CHECK(contains(run_program(quick + " --set square_sums=4").out,
                   "unknown with these values; those in the file take about 7 min 00 s"));
    const Outcome again = run_program("plan " + config + results + " --set dimensions=[2,4,8,16]");
    INFO(again.out);
    CHECK(contains(again.out, "1 to compute"));
    CHECK(again.out.ends_with("KiB\n  dimension=16\n"));
    CHECK(contains(again.out, "about 0.0 s, as cells of this configuration took before"));

    // As many at a time as the run takes, whatever processors there are.
    const char* const before = std::getenv("OMP_NUM_THREADS");
    const std::string threads = before == nullptr ? "" : before;
    for (const char* asked : {"1", "3"}) {
        setenv("OMP_NUM_THREADS", asked, 1);
        CHECK(contains(run_program("plan " + config + results + " --set square_sums=3").out,
                       "3 to compute, " + std::string(asked) + " at a time"));
    }
    unsetenv("OMP_NUM_THREADS");
    if (before != nullptr) setenv("OMP_NUM_THREADS", threads.c_str(), 1);

    // Without names nothing is run.
    const std::string configs = " --configs " + folder.path().string();
    const Outcome offered = run_program("run" + configs + results);
    INFO(offered.out);
    CHECK(offered.code == 4);
    CHECK(contains(offered.out, "variance/small: 0 of 3 cells to compute"));
    CHECK(contains(offered.out, "nothing was run. 'rfbench run all'"));
    CHECK(contains(run_program("run all --no-figures" + configs + results).out, "3 from before"));

    // A line each is shown of several configurations, and the cells where they are asked for.
    const std::string both = config + " " + folder.write("others/other.yaml", small_gain) + results;
    const Outcome planned = run_program("plan " + both);
    INFO(planned.out);
    CHECK(planned.out.starts_with("variance/small: 3 cells, nothing to compute\nvariance/other: 3 cells, "));
    CHECK(std::count(planned.out.begin(), planned.out.end(), '\n') == 2);
    CHECK(contains(run_program("plan --cells " + both).out, "\n  dimension=4\n"));

    // The same name twice would be one place of results.
    folder.write("small.yaml", small_gain);
    const Outcome twice = run_program("plan" + configs);
    CHECK(twice.code == 2);
    CHECK(contains(twice.out, "in one place"));
}

TEST_CASE("What cannot fit into memory is refused, by plan and by run", "[cli]") {
    const std::string config =
        "attention/error --set heads.length=1000000 --set columns=65536 --set heads.dimension=1024 --threads 64";
    for (const char* verb : {"plan ", "run --no-figures "}) {
        const Outcome refused = run_program(verb + config);
        INFO(refused.out);
        CHECK(refused.code == 2);
        CHECK(contains(refused.out, "attention/error does not fit into memory: a cell takes about "));
        CHECK(contains(refused.out, "this machine has "));
    }
}

TEST_CASE("plan says what memory the largest arrays of a cell take", "[cli]") {
    // It says nothing about studies whose cells hold next to nothing, nor about classifiers, which have no one formula.
    for (const char* name : {"attention/causal", "cost/attention", "attention/depth", "attention/error",
                             "attention/negative", "concentration/uniform", "dof/bound", "dof/error", "dof/layers",
                             "dof/learned", "learned/match", "quasi/attention", "quasi/rate", "variance/regimes"}) {
        const Outcome plan = run_program(std::string("plan ") + name);
        INFO(plan.out);
        CHECK(plan.code == 0);
        CHECK(contains(plan.out, "  memory: about "));
    }
    // 2 heads and 2 outputs of 2 x 10^6 tokens by 128 in double.
    CHECK(contains(
        run_program("plan attention/causal --set heads.0.length=1000000 --set heads.1.dimension=128 --threads 1").out,
        "memory: about 7.6 GiB"));
}

// Sanitizers end a program that has no memory before it can say so, and have terabytes of addresses in use.
#if !RFBENCH_ADDRESS_SANITIZER && !RFBENCH_THREAD_SANITIZER

TEST_CASE("Where memory ends, a sentence says so", "[cli]") {
    const TemporaryFolder folder;
    const auto limited = [&](int mebibytes, const std::string& arguments) {
        const std::string shell = "ulimit -v " + std::to_string(1024 * mebibytes) + "; exec " RFBENCH_PROGRAM " ";
        const int status =
            std::system(("sh -c '" + shell + arguments + "' > " + (folder / "answer").string() + " 2>&1").c_str());
        return Outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of(folder / "answer")};
    };
    // The least limit, to within 64 MiB, at which a command ends as it does with all memory.
    const auto least = [&](const std::string& arguments) {
        int limit = 64;
        while (limit < 4096 && limited(limit, arguments).code != 0) limit += 64;
        REQUIRE(limit < 4096);
        return limit;
    };

    // A set of points of 128 MiB.
    const auto few = folder.write("few.csv", "1\n2\n");
    std::string rows;
    for (int i = 0; i < 16 << 20; ++i) rows += "1\n";
    const auto many = folder.write("many.csv", rows);
    const Outcome inspected = limited(least("inspect positive --x-file " + few + " --y-file " + few),
                                      "inspect positive --x-file " + many + " --y-file " + few);
    INFO(inspected.out);
    CHECK(inspected.code == 1);
    CHECK(inspected.out.starts_with("rfbench: there is not enough memory for this; a smaller configuration (--set)"));

    // In a cell: others may fit. A head of 10^6 tokens by 32 has 732 MiB; reports of a failure have 64 of their own.
    const std::string config =
        folder.write("large.yaml",
                     "experiment: attention\nstudy: error\nheads: {use: normal, length: 1000000, dimension: 32}\n"
                     "methods: [positive]\nsamplings: iid\ncolumns: 8\nrepeats: 2\n");
    const auto run_of = [&](const std::string& results) {
        return "run --no-figures --threads 1 " + config + " --results " + (folder / results).string();
    };
    const Outcome run = limited(least(run_of("small") + " --set heads.length=8") + 64, run_of("large"));
    INFO(run.out);
    CHECK(run.code == 3);
    CHECK(contains(run.out, "there was not enough memory for this cell; fewer --threads or a smaller configuration"));
}
#endif
