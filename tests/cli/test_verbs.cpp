// The verbs on real configurations: exit codes, resumed runs, the same bytes for any number of threads.
#include "catch.hpp"
#include "program.hpp"

using namespace rfbench::tests;

namespace {

const std::string small_gain =
    "experiment: variance\nstudy: gain\ndimensions: [2, 4, 8]\nsquare_sums: {linspace: [1, 100, 5]}\n";

const std::string small_monte_carlo =
    "experiment: variance\nstudy: monte-carlo\nmechanisms: [positive, trigonometric, poisson, dense-centred]\n"
    "samplings: [iid, orthogonal, sobol]\ndimensions: [3]\nrepeats: 100\n";

}  // namespace

TEST_CASE("list, describe, plan, completion and help", "[cli]") {
    CHECK(contains(run_program("--help").out, "Exit codes"));
    for (const char* what : {"experiments", "mechanisms", "samplings", "datasets"}) {
        const Outcome run = run_program(std::string("list ") + what);
        INFO(run.out);
        CHECK(run.code == 0);
    }
    CHECK(contains(run_program("list").out, "optimal-positive"));
    CHECK(contains(run_program("describe optimal-positive").out, "rho"));
    CHECK(contains(run_program("describe orthogonal").out, "marginals"));
    CHECK(contains(run_program("describe variance/regimes").out, "gammas"));
    CHECK(contains(run_program("describe optdigits").out, "CC BY 4.0"));
    const Outcome misspelt = run_program("describe optimal-postive");
    CHECK(misspelt.code == 2);
    CHECK(contains(misspelt.out, "Did you mean 'optimal-positive'"));
    const Outcome plan = run_program("plan variance/gain --profile smoke");
    INFO(plan.out);
    CHECK(plan.code == 0);
    CHECK(contains(plan.out, "dimension=2"));
    const Folder folder;
    const auto script = folder.write("completion", run_program("completion bash").out);
    CHECK(std::system(("bash -n " + script.string()).c_str()) == 0);
    CHECK(run_program("completion fish").code == 2);
    CHECK(run_program("").code == 2);
    CHECK(run_program("runn").code == 2);
}

TEST_CASE("run, status, table, plot and verify, with their exit codes", "[cli]") {
    const Folder folder;
    const std::string config = folder.write("small.yaml", small_gain).string();
    const std::string results = " --results " + (folder / "results").string();
    CHECK(run_program("verify" + results).code == 4);
    CHECK(run_program("plot" + results).code == 4);
    const Outcome first = run_program("run " + config + results);
    INFO(first.out);
    REQUIRE(first.code == 0);
    CHECK(contains(first.out, "3 computed"));
    const std::string bytes = contents(folder / "results/variance/small.h5");
    CHECK(!bytes.empty());
    CHECK(std::filesystem::exists(folder / "results/variance/figures/small.svg"));
    CHECK(std::filesystem::exists(folder / "results/variance/figures/small.pdf"));
    CHECK(std::filesystem::exists(folder / "results/variance/tables/small.tex"));
    CHECK(contains(run_program("run " + config + results).out, "0 computed, 3 already done"));
    CHECK(contents(folder / "results/variance/small.h5") == bytes);
    CHECK(run_program("status " + config + results).code == 0);
    CHECK(run_program("table" + results).code == 0);
    CHECK(run_program("plot" + results + " variance/small").code == 0);
    CHECK(run_program("verify" + results).code == 0);
    // One flipped bit is found, and the next run mends it.
    std::string damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(folder / "results/variance/small.h5", std::ios::binary) << damaged;
    CHECK(run_program("verify" + results).code == 5);
    CHECK(run_program("plot" + results).code == 1);
    CHECK(run_program("run " + config + results).code == 0);
    CHECK(contents(folder / "results/variance/small.h5") == bytes);
}

TEST_CASE("The same bytes for 1, 2 and 3 threads", "[cli]") {
    const Folder folder;
    const std::string config = folder.write("small.yaml", small_monte_carlo).string();
    std::string bytes;
    for (const char* threads : {"1", "2", "3"}) {
        const std::string results = (folder / threads).string();
        const Outcome run = run_program("run --no-figures --threads " + std::string(threads) + " " + config + " --results " + results);
        INFO(run.out);
        REQUIRE(run.code == 0);
        const std::string own = contents(folder / (std::string(threads) + "/variance/small.h5"));
        CHECK(!own.empty());
        if (bytes.empty()) bytes = own;
        CHECK(own == bytes);
    }
}

TEST_CASE("Bad configurations are refused with their place", "[cli]") {
    const Folder folder;
    const std::pair<std::string, std::string> cases[] = {
        {"experiment: variance\nstudy: gian\n", "bad.yaml:2:8: study: there is no study 'variance/gian'. Did you mean"},
        {small_gain + "dimension: 3\n", "bad.yaml:5:1: dimension: "},
        {"experiment: variance\nstudy: gain\ndimensions: [2, 2]\nsquare_sums: 1\n", "bad.yaml:3:"},
        {"study: gain\n", "'experiment' is missing"},
    };
    for (const auto& [text, message] : cases) {
        const Outcome run = run_program("plan " + folder.write("bad.yaml", text).string());
        INFO(run.out);
        CHECK(run.code == 2);
        CHECK(contains(run.out, message));
    }
    CHECK(run_program("run variance/nothing").code == 2);
    CHECK(run_program("run --configs " + folder.str() + "/none").code == 4);
    CHECK(contains(run_program("plan variance/gain --set square_sum=3").out, "square_sums"));
}

TEST_CASE("An interrupted run says so and goes on", "[cli]") {
    const Folder folder;
    const std::string config =
        folder.write("small.yaml", small_monte_carlo + "description: long\n").string() + " --set repeats=4000";
    const std::string results = " --results " + (folder / "results").string();
    const std::string command = std::string("timeout --preserve-status -s INT 0.4 ") + RFBENCH_PROGRAM +
                                " run --no-figures --threads 1 " + config + results + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    const Outcome rest = run_program("run --no-figures " + config + results);
    INFO(rest.out);
    CHECK(rest.code == 0);
    CHECK(std::filesystem::exists(folder / "results/variance/small.h5"));
}
