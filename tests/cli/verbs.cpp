// The verbs on real configurations: exit codes, resumed runs, the same bytes for any number of threads.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench_places.hpp"
#include "small_gain.hpp"
#include "support/changed_variable.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

const std::string small_monte_carlo =
    "experiment: variance\nstudy: monte-carlo\nmethods: [positive, trigonometric, poisson, dense-centred]\n"
    "samplings: [iid, orthogonal, sobol]\ndimensions: [3]\nrepeats: 100\n";

/// Completions that bash offers for a begun word behind a verb and other words, one a line.
std::string completed(const std::string& script, const std::string& verb, const std::string& word) {
    const std::string offered = script + ".offered";
    const std::string command =
        ". '" + script + "'; COMP_WORDS=(rfbench " + verb + " " + word +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rfbench; printf \"%s\\n\" \"${COMPREPLY[@]}\"";
    std::ofstream(script + ".asked") << command;
    if (std::system(("bash " + script + ".asked > " + offered).c_str()) != 0) return "failed";
    return bytes_of(offered);
}

}  // namespace

TEST_CASE("list, describe, plan, completion and help", "[cli]") {
    CHECK(contains(run_program("--help").out, "Exit codes"));
    for (const char* what : {"experiments", "mechanisms", "samplings", "methods", "datasets"}) {
        const Outcome run = run_program(std::string("list ") + what);
        INFO(run.out);
        CHECK(run.code == 0);
    }
    CHECK(contains(run_program("list").out, "optimal-positive"));
    CHECK(contains(run_program("list methods").out, "linformer"));
    CHECK(contains(run_program("describe optimal-positive").out, "rho"));
    CHECK(contains(run_program("describe orthogonal").out, "marginals"));
    CHECK(contains(run_program("describe DiJiang").out, "{use: discrete-cosine, sampling: dct, label: DiJiang}"));
    CHECK(contains(run_program("describe linformer").out, "attention/error"));
    const std::string regimes = run_program("describe variance/regimes").out;
    CHECK(contains(regimes, "gammas"));
    CHECK(contains(regimes, "gammas (required): "));
    CHECK(contains(regimes, "points' has what each takes"));
    CHECK(contains(run_program("describe optdigits").out, "CC BY 4.0"));
    CHECK(contains(run_program("describe attention").out, "attention/depth: "));
    CHECK(contains(run_program("describe regression/mechanisms").out, "of regression/accuracy: "));
    const std::string shared = run_program("describe error").out;
    CHECK(contains(shared, "attention/error: "));
    CHECK(contains(shared, "dof/error: "));
    const Outcome misspelt = run_program("describe optimal-postive");
    CHECK(misspelt.code == 2);
    CHECK(contains(misspelt.out, "Did you mean 'optimal-positive'"));
    const Outcome plan = run_program("plan variance/gain --profile smoke");
    INFO(plan.out);
    CHECK(plan.code == 0);
    CHECK(contains(plan.out, "dimension=2"));
    const TemporaryFolder folder;
    const auto script = folder.write("completion", run_program("completion bash").out);
    CHECK(std::system(("bash -n " + script).c_str()) == 0);
    CHECK(completed(script, "run", "al") == "all\n");
    CHECK(completed(script, "plan", "variance/ga") == "variance/gain\n");
    CHECK(completed(script, "inspect", "optimal-d") == "optimal-discrete\n");
    CHECK(completed(script, "data", "fe") == "fetch\n");
    CHECK(completed(script, "data fetch", "optd") == "optdigits\n");
    CHECK(completed(script, "recommend", "atten") == "attention\n");
    CHECK(completed(script, "features --sampling", "sob") == "sobol\n");
    CHECK(completed(script, "compare reference", "refe") == "reference\n");
    CHECK(run_program("completion fish").code == 2);
}

TEST_CASE("Completion offers every option of every verb, as its help has them", "[cli]") {
    const TemporaryFolder folder;
    const auto script = folder.write("completion", run_program("completion bash").out);
    const std::regex verb_line("\n  ([a-z-]+) "), option("\n  (?:-h,)?(--[a-z-]+)");
    const auto found = [](const std::string& text, const std::regex& wanted) {
        std::set<std::string> all;
        for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) all.insert((*at)[1]);
        return all;
    };
    const std::string help = run_program("--help").out;
    const std::set<std::string> verbs = found(help.substr(help.find("Subcommands:")), verb_line);
    CHECK(verbs.size() > 20);
    for (const std::string& verb : verbs) {
        CAPTURE(verb);
        std::set<std::string> offered;
        std::istringstream lines(completed(script, verb, "--"));
        for (std::string line; std::getline(lines, line);) offered.insert(line);
        CHECK(offered == found(run_program(verb + " --help").out, option));
    }
}

TEST_CASE("A misspelt command line is refused with the nearest verb or option", "[cli]") {
    const std::pair<const char*, const char*> cases[] = {
        {"", "a verb is needed"},
        {"runn", "there is no verb 'runn'. Did you mean 'run'?"},
        {"--versoin", "there is no option '--versoin' before a verb"},
        {"inspect positive --x 1 --y 2 --cuont 2", "inspect: there is no option '--cuont'. Did you mean '--count'?"},
        {"run --profil=smoke", "run: there is no option '--profil'. Did you mean '--profile'?"},
        {"run --threads=-1", "run: --threads: "},
        {"inspect positive --x 1 --y 2 --count 2.5", "inspect: Could not convert: --count = 2.5"},
        {"data fetsh car",
         "data: action: 'fetsh' is none of list, describe, verify, fetch, add. Did you mean 'fetch'?"},
        {"data descr", "Did you mean 'describe'?"},
        {"list mechanism",
         "list: what: 'mechanism' is none of experiments, mechanisms, samplings, methods, datasets. Did you mean "
         "'mechanisms'?"},
        {"list foo", "methods, datasets. 'rfbench list --help' shows what it takes\n"},
        {"describe regime", "Did you mean 'regimes'?"},
    };
    for (const auto& [arguments, message] : cases) {
        const Outcome run = run_program(arguments);
        INFO(run.out);
        CHECK(run.code == 2);
        CHECK(run.out.starts_with("rfbench: "));
        CHECK(contains(run.out, message));
    }
}

TEST_CASE("Data sets that follow from rules need no fetching", "[cli]") {
    const Outcome fetched = run_program("data fetch car");
    INFO(fetched.out);
    CHECK(fetched.code == 0);
    CHECK(contains(fetched.out, "car: nothing to fetch, it is here"));
    CHECK(contains(run_program("data describe car").out, "generated by rules: present, sha256 right"));
    CHECK(run_program("data verify car").code == 0);
    CHECK(contains(run_program("data fetch carr").out, "Did you mean 'car'?"));
    CHECK(run_program("data fetch").code == 2);
}

TEST_CASE("run, status, table, plot and verify, with their exit codes", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("verify" + results).code == 4);
    CHECK(run_program("plot" + results).code == 4);
    const Outcome first = run_program("run " + config + results);
    INFO(first.out);
    REQUIRE(first.code == 0);
    CHECK(contains(first.out, "done, 3 of 3 cells, "));
    const std::string bytes = bytes_of(folder / "results/variance/small.h5");
    CHECK(!bytes.empty());
    CHECK(std::filesystem::exists(folder / "results/variance/small/figures/small.svg"));
    CHECK(std::filesystem::exists(folder / "results/variance/small/figures/small.pdf"));
    CHECK(std::filesystem::exists(folder / "results/variance/small/tables/small.tex"));
    CHECK(contains(run_program("run " + config + results).out, "done, 3 of 3 cells, 3 from before"));
    CHECK(bytes_of(folder / "results/variance/small.h5") == bytes);
    CHECK(run_program("status " + config + results).code == 0);
    CHECK(run_program("table" + results).code == 0);
    CHECK(run_program("table" + results + " " + config).code == 0);
    CHECK(run_program("plot" + results + " variance/small").code == 0);
    CHECK(run_program("plot" + results).code == 0);
    CHECK(contains(bytes_of(folder / "results/index.html"), "variance/small"));
    CHECK(run_program("verify" + results).code == 0);
    // One flipped bit is found, and the next run mends it.
    std::string damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::ofstream(folder / "results/variance/small.h5", std::ios::binary) << damaged;
    CHECK(run_program("verify" + results).code == 5);
    CHECK(run_program("plot" + results).code == 5);
    CHECK(run_program("run " + config + results).code == 0);
    CHECK(bytes_of(folder / "results/variance/small.h5") == bytes);
}

TEST_CASE("Where a profile has the results that are asked for, the message names it", "[cli]") {
    const TemporaryFolder folder;
    const std::string config =
        folder.write("small.yaml", small_gain + "profiles: {quick: {dimensions: [2]}, smoke: {dimensions: [4]}}\n");
    const std::string results = " --results " + folder.file("results");
    REQUIRE(run_program("run --no-figures --quick " + config + results).code == 0);
    const std::string there = folder.file("results/quick");
    // The folder of reference results is no profile.
    std::filesystem::create_directories(folder / "results/reference/variance");
    std::filesystem::copy_file(folder / "results/quick/variance/small.h5",
                               folder / "results/reference/variance/small.h5");
    std::filesystem::create_directories(folder / "results/reference/variance/small");
    for (const char* verb : {"table", "plot"}) {
        const Outcome none = run_program(verb + results);
        INFO(none.out);
        CHECK(none.code == 4);
        CHECK(contains(none.out, "there are no results to show in " + folder.file("results") + ". " + there +
                                     " has some: --profile quick.\n"));
    }
    for (const char* verb : {"table", "plot", "verify"}) {
        const Outcome named = run_program(std::string(verb) + " variance/small" + results);
        INFO(named.out);
        CHECK(named.code == 2);
        CHECK(contains(named.out, there + " has it: --profile quick. "));
        CHECK(!contains(run_program(std::string(verb) + " variance/other" + results).out, "--profile"));
    }
    CHECK(run_program("table --quick" + results).code == 0);
    REQUIRE(run_program("run --no-figures --profile smoke " + config + results).code == 0);
    CHECK(
        contains(run_program("table" + results).out,
                 "quick has some: --profile quick; " + folder.file("results/smoke") + " has some: --profile smoke.\n"));
}

TEST_CASE("methods that a sampling cannot draw are named with the reason, and with nothing left the run is refused",
          "[cli]") {
    const TemporaryFolder folder;
    const auto yaml = [&](const std::string& methods, const std::string& samplings) {
        return folder.write("drawn.yaml", "experiment: attention\nstudy: error\nmethods: [" + methods +
                                              "]\nsamplings: [" + samplings +
                                              "]\nheads: {use: normal, dimension: 2, length: 4}\ncolumns: 4\nrepeats: "
                                              "2\n");
    };
    const std::string reason =
        " cannot draw poisson, whose omega is discrete and is made of uniforms (iid, antithetic, sobol, halton have "
        "these)";
    for (const char* verb : {"plan ", "run --no-figures "}) {
        const Outcome some = run_program(verb + yaml("poisson, positive", "orthogonal, simplex, iid") + " --results " +
                                         folder.file("some"));
        INFO(some.out);
        CHECK(some.code == 0);
        CHECK(contains(some.out, "note: orthogonal, simplex" + reason + "; these cells are left out"));
        const Outcome none = run_program(verb + yaml("poisson", "orthogonal") + " --results " + folder.file("none"));
        INFO(none.out);
        CHECK(none.code == 2);
        CHECK(contains(none.out, "drawn.yaml: nothing is left to compute: orthogonal" + reason));
    }
    CHECK_FALSE(contains(run_program("plan " + yaml("positive", "orthogonal")).out, "note: "));
    // One draw may cost more than the columns asked for.
    CHECK(contains(run_program("plan " + yaml("hybrid", "iid")).out,
                   "note: one draw of 'hybrid' has 6 real columns, more than the 4 asked for: it is drawn once"));
}

TEST_CASE("table and plot take --as; table --partial shows what is done of an unfinished sweep and writes nothing",
          "[cli]") {
    const TemporaryFolder folder;
    const std::string yaml = folder.write("small.yaml", small_monte_carlo), results = " --results " + folder.file("r");
    const Outcome before = run_program("table " + yaml + " --partial" + results);
    CHECK(before.code == 2);
    CHECK(contains(before.out, "no cell of variance/small is done in "));
    REQUIRE(run_program("run " + yaml + " --no-figures --shard 1/2" + results).code == 0);
    const Outcome part = run_program("table " + yaml + " --partial" + results);
    INFO(part.out);
    CHECK(part.code == 0);
    CHECK(contains(part.out, "PARTIAL, "));
    CHECK(contains(part.out, " not done, of which nothing is shown: "));
    CHECK(contains(part.out, "are shown, not written; 'rfbench run' goes on\n"));
    CHECK_FALSE(std::filesystem::exists(folder.file("r/variance/small/tables")));
    // Other settings have other cells.
    CHECK(run_program("table " + yaml + " --partial --set repeats=101" + results).code == 2);
    CHECK(run_program("table " + yaml + " --set repeats=101" + results).code == 2);

    REQUIRE(run_program("run " + yaml + " --no-figures --as mine" + results).code == 0);
    const Outcome all = run_program("table " + yaml + " --partial" + results);
    CHECK(contains(all.out, "variance/small: all cells are done;"));
    CHECK_FALSE(contains(all.out, "PARTIAL"));
    for (const std::string& name :
         {yaml + " --as mine", std::string("variance/small --as mine"), std::string("variance --as mine"),
          std::string("variance/mine"), std::string("mine")}) {
        const Outcome table = run_program("table " + name + results);
        INFO(name << "\n" << table.out);
        CHECK(table.code == 0);
        CHECK(contains(table.out, "r/variance/mine/tables/mine"));
    }
    CHECK(run_program("plot variance/small --as mine" + results).code == 0);
    CHECK(run_program("table variance quasi --as mine" + results).code == 2);
    // Names that mean one file twice, and a profile that is the configuration as it stands.
    CHECK(run_program("table variance variance/mine" + results).code == 0);
    CHECK(run_program("verify variance/mine --profile full" + results).code == 0);
}

TEST_CASE("A note is said once, and not to those who want quiet", "[cli]") {
    const TemporaryFolder folder;
    const std::string text =
        "experiment: variance\nstudy: regimes\nmethods: [positive]\npoints: [normal, {use: mnist, optional: true}]\n"
        "gammas: 1\nrows: 4\nrepeats: 1\n";
    const std::string configs = folder.write("one.yaml", text) + " " + folder.write("two.yaml", text);
    // A place without MNIST; where the project's own folder has it there is nothing to note.
    const ChangedVariable nowhere("RFBENCH_DATA", folder.path().string());
    const auto noted = [&](const std::string& options) {
        const Outcome run =
            run_program("run --no-figures " + options + configs + " --results " + folder.file("results"));
        INFO(run.out);
        CHECK(run.code == 0);
        std::size_t notes = 0;
        for (std::size_t at = run.out.find("note: "); at != std::string::npos; at = run.out.find("note: ", at + 1))
            ++notes;
        return notes;
    };
    const std::size_t loud = noted("");
    CHECK(loud <= 1);
    CHECK(noted("--quiet ") == 0);
}

TEST_CASE("Missing data refuses a run before anything is computed, and names what does without", "[cli]") {
    // A project for whose manifest no copy of the digits is good, wherever this machine has them.
    const std::string sum = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8";
    std::string manifest = bytes_of(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    REQUIRE(contains(manifest, sum));
    manifest.replace(manifest.find(sum), sum.size(), std::string(sum.size(), '0'));
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "data");
    folder.write("data/manifest.yaml", manifest);
    const std::string ready = folder.write("ready.yaml", small_gain);
    const std::string digits =
        "experiment: variance\nstudy: regimes\nmethods: [positive]\npoints: digits\n"
        "gammas: 1\nrows: 4\nrepeats: 1\n";
    const std::string lacking = folder.write("lacking.yaml", digits);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    const Outcome run = run_program("run --configs . --results results " + lacking + " " + ready);
    const Outcome plan =
        run_program("plan --results results " + lacking + " --set 'points=[normal, {use: digits, optional: true}]'");
    std::filesystem::current_path(here);
    // All lines of a note stand below the configuration that it is of.
    INFO(plan.out);
    CHECK(contains(plan.out, "\n  note: 'digits' is left out: "));
    CHECK(contains(plan.out, "\n    Ways to get it:\n      "));
    INFO(run.out);
    CHECK(run.code == 1);
    CHECK(contains(run.out, "variance/lacking cannot be run: data set 'optdigits' has no good copy"));
    CHECK(contains(run.out, "rfbench data fetch optdigits"));
    CHECK(contains(run.out, "Nothing was run. What needs no such data: variance/ready\n"));
    CHECK_FALSE(std::filesystem::exists(folder / "results"));

    // Selected with all of its experiment it is left out; the others are run.
    std::filesystem::create_directories(folder / "configs/variance");
    folder.write("configs/variance/ready.yaml", small_gain);
    folder.write("configs/variance/lacking.yaml", digits);
    std::filesystem::current_path(folder / "");
    const Outcome all = run_program("run --no-figures --configs configs --results results variance");
    const Outcome none = run_program("run --configs configs --results results variance/lacking");
    std::filesystem::remove(folder / "configs/variance/ready.yaml");
    folder.write("configs/variance/second.yaml", digits);
    const Outcome nothing = run_program("run --configs configs --results results variance");
    std::filesystem::current_path(here);
    INFO(all.out << none.out << nothing.out);
    CHECK(all.code == 0);
    CHECK(contains(all.out, "note: variance/lacking is left out: data set 'optdigits' has no good copy"));
    CHECK(std::filesystem::exists(folder / "results/variance/ready.h5"));
    CHECK(none.code == 1);
    CHECK(nothing.code == 1);
    CHECK(contains(nothing.out, "variance/lacking, variance/second cannot be run: "));
}

TEST_CASE("Where results cannot be written, the folder and the remedy are said before anything is computed", "[cli]") {
    const TemporaryFolder folder;
    const auto file = folder.write("taken", "");
    const Outcome run = run_program("run variance/gain --profile smoke --results " + file + "/mine");
    INFO(run.out);
    CHECK(run.code == 1);
    CHECK(contains(run.out, "files cannot be made in " + file + " (Not a directory)"));
    CHECK(contains(run.out, "name a folder that you may write to: --results FOLDER"));
    CHECK_FALSE(contains(run.out, "failed"));
}

TEST_CASE("The same bytes for 1, 2 and 3 threads", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_monte_carlo);
    std::string bytes;
    for (const char* threads : {"1", "2", "3"}) {
        const std::string results = (folder / threads).string();
        const Outcome run =
            run_program("run --no-figures --threads " + std::string(threads) + " " + config + " --results " + results);
        INFO(run.out);
        REQUIRE(run.code == 0);
        const std::string own = bytes_of(folder / (std::string(threads) + "/variance/small.h5"));
        CHECK(!own.empty());
        if (bytes.empty()) bytes = own;
        CHECK(own == bytes);
    }
}

TEST_CASE("Bad configurations are refused with their place", "[cli]") {
    const TemporaryFolder folder;
    const std::pair<std::string, std::string> cases[] = {
        {"experiment: variance\nstudy: gian\n", "bad.yaml:2:8: study: there is no study 'variance/gian'. Did you mean"},
        {small_gain + "dimension: 3\n", "bad.yaml:5:1: dimension: "},
        {"experiment: variance\nstudy: gain\ndimensions: [2, 2]\nsquare_sums: 1\n", "bad.yaml:3:"},
        {"study: gain\n", "bad.yaml:1:1: experiment: this key is missing"},
        {"experiment: varience\nstudy: gain\n",
         "bad.yaml:1:13: experiment: there is no study 'varience/gain'. Did you"},
        {"experiment: variance\nstudy: angle\nmethods: [positive, positive-weighted]\nnorms: 1\nangles: 0\n",
         "bad.yaml:3:21: methods.1: 'positive-weighted' states no mean and variance of one draw"},
        {"experiment: attention\nstudy: error\nmethods: [positive, sobol]\n",
         "bad.yaml:3:21: methods.1: must be the name of a method, not 'sobol'. It is a sampling: {use: positive, "
         "sampling: sobol}."},
        {"experiment: variance\nstudy: angle\nmethods: [{use: geometric, q: 1.5}]\nnorms: 1\nangles: 0\n",
         "bad.yaml:3:31: methods.0.q: geometric: q = 1.5; it must be"},
        {"- variance\n", "bad.yaml:1:1: a configuration is a map of 'key: value' lines, not a list of 1."},
    };
    for (const auto& [text, message] : cases) {
        const Outcome run = run_program("plan " + folder.write("bad.yaml", text));
        INFO(run.out);
        CHECK(run.code == 2);
        CHECK(contains(run.out, message));
    }
    CHECK(run_program("run variance/nothing").code == 2);
    const std::string other = folder.write("other.txt", small_gain);
    const Outcome named = run_program("run " + other);
    CHECK(named.code == 2);
    CHECK(contains(named.out, "There is a file of that name, but those of configurations end in .yaml or .yml."));
    CHECK(
        contains(run_program("plan " + folder.path().string()).out, "It is a folder: give its files, or a name below"));
    CHECK(contains(run_program("plan mine.ymal").out, "Names of files end in .yaml or .yml, not in .ymal."));
    CHECK(
        contains(run_program("table " + other).out, "There is a file of that name, but those of results end in .h5."));
    CHECK(contains(run_program("status smoke").out, "It is the name of a profile: --profile smoke."));
    CHECK(contains(run_program("plan gain").out, "Did you mean 'variance/gain'?"));
    CHECK(contains(run_program("plan variance/gain --set 'square_sums: 3'").out, "'=' stands where a file has the"));
    CHECK(run_program("run --configs " + folder.path().string() + "/none").code == 4);
    CHECK(contains(run_program("plan variance/gain --set square_sum=3").out, "square_sums"));
}

TEST_CASE("A cell that fails is reported, the others are kept, and it is tried again", "[cli]") {
    const TemporaryFolder folder;
    const std::string config =
        folder.write("small.yaml",
                     "experiment: attention\nstudy: error\nheads: {use: normal, length: 64, dimension: 4}\n"
                     "methods: [positive, {use: dense-symmetric, A: [-0.1, -0.1]}]\n"
                     "samplings: iid\n"
                     "columns: 8\nrepeats: 2\n");
    const std::string results = " --results " + folder.file("results");
    for (const char* done : {"done, 2 of 4 cells, 2 failed", "done, 2 of 4 cells, 2 failed, 2 from before"}) {
        const Outcome run = run_program("run --no-figures " + config + results);
        INFO(run.out);
        CHECK(run.code == 3);
        CHECK(contains(run.out, done));
        CHECK(contains(run.out,
                       "method=dense-symmetric,sampling=iid,repeat=1,columns=8: mechanism 'dense-symmetric', "
                       "parameter 'A': it takes 4 numbers below 1/8, one an axis; 2 were given"));
    }
    CHECK(run_program("status " + config + results).code == 0);
    // A table has no row of what failed, and says so.
    const Outcome table = run_program("table attention/small" + results);
    INFO(table.out);
    CHECK(table.code == 0);
    CHECK(contains(table.out, "2 cells failed, of which nothing is shown: head="));
    CHECK(contains(table.out, "'dense-symmetric' has no value here."));
}

TEST_CASE("Where every cell fails there is nothing to draw, and that is said", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml",
                                            "experiment: variance\nstudy: regimes\npoints: normal\ngammas: 1\n"
                                            "rows: 4\nrepeats: 1\n"
                                            "methods: [{use: dense-symmetric, A: [-0.1, -0.1]}]\n");
    const std::string results = " --results " + folder.file("results");
    const Outcome run = run_program("run " + config + results);
    INFO(run.out);
    CHECK(run.code == 3);
    CHECK(contains(run.out, "one an axis; 2 were given"));
    const Outcome plot = run_program("plot" + results);
    INFO(plot.out);
    CHECK(plot.code == 4);
    CHECK(contains(plot.out, "every cell failed"));
}

TEST_CASE("An interrupted run says so and goes on", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_monte_carlo + "description: long\n");
    const std::string results = " --results " + folder.file("results");
    // Interrupted once cells are there, of so many that no machine is done with them by then. A shell has its programs
    // in the background ignore the signal.
    const std::string command = std::string("env --default-signal=INT ") + RFBENCH_PROGRAM +
                                " run --no-figures --threads 1 --set repeats=100000 " + config + results +
                                " >/dev/null 2>&1 & run=$!; until [ -n \"$(find " + folder.file("results/cells") +
                                " -name '*.pack' -size +0 2>/dev/null)\" ]; do sleep 0.02; done; "
                                "kill -INT $run; wait $run";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    const Outcome found = run_program("verify" + results);
    INFO(found.out);
    CHECK(found.code == 0);
    CHECK(contains(found.out, "cells are there and not collected: the run was interrupted, and 'rfbench run' goes on"));
    CHECK(run_program("verify variance/small" + results).code == 0);
}

TEST_CASE("A --set that one of several configurations refuses names it", "[cli]") {
    const Outcome refused = run_program("status variance --set methods=[positive]");
    CHECK(refused.code == 2);
    CHECK(contains(refused.out, "methods: there is no such key."));
    CHECK(contains(refused.out, "configs/variance/bias.yaml)"));
}
