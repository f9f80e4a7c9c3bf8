// The verbs on real configurations: exit codes, resumed runs, the same bytes for any number of threads.
#include <cstdlib>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench_places.hpp"

using namespace rfbench::tests;

namespace {

const std::string small_gain =
    "experiment: variance\nstudy: gain\ndimensions: [2, 4, 8]\nsquare_sums: {linspace: [1, 100, 5]}\n";

const std::string small_monte_carlo =
    "experiment: variance\nstudy: monte-carlo\nmechanisms: [positive, trigonometric, poisson, dense-centred]\n"
    "samplings: [iid, orthogonal, sobol]\ndimensions: [3]\nrepeats: 100\n";

/// RFBENCH_DATA with another value, until the end of the scope.
class OtherData {
public:
    explicit OtherData(const std::string& value) : before_(std::getenv("RFBENCH_DATA")) {
        if (before_) kept_ = before_;
        setenv("RFBENCH_DATA", value.c_str(), 1);
    }
    ~OtherData() {
        if (before_)
            setenv("RFBENCH_DATA", kept_.c_str(), 1);
        else
            unsetenv("RFBENCH_DATA");
    }
    OtherData(const OtherData&) = delete;
    OtherData& operator=(const OtherData&) = delete;

private:
    const char* before_;
    std::string kept_;
};

/// What bash offers for a begun word behind a verb, one a line.
std::string completed(const std::filesystem::path& script, const std::string& verb, const std::string& word) {
    const std::filesystem::path offered = script.string() + ".offered";
    const std::string command = ". '" + script.string() + "'; COMP_WORDS=(rfbench " + verb + " " + word +
                                "); COMP_CWORD=2; _rfbench; printf \"%s\\n\" \"${COMPREPLY[@]}\"";
    std::ofstream(script.string() + ".asked") << command;
    if (std::system(("bash " + script.string() + ".asked > " + offered.string()).c_str()) != 0) return "failed";
    return contents(offered);
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
    CHECK(contains(run_program("describe linformer").out, "no causal form"));
    CHECK(contains(run_program("describe variance/regimes").out, "gammas"));
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
    const Folder folder;
    const auto script = folder.write("completion", run_program("completion bash").out);
    CHECK(std::system(("bash -n " + script.string()).c_str()) == 0);
    CHECK(completed(script, "run", "al") == "all\n");
    CHECK(completed(script, "plan", "variance/ga") == "variance/gain\n");
    CHECK(completed(script, "inspect", "optimal-d") == "optimal-discrete\n");
    CHECK(run_program("completion fish").code == 2);
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
        {"data fetsh car", "data: action: fetsh not in"},
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
    const Folder folder;
    const std::string config = folder.write("small.yaml", small_gain).string();
    const std::string results = " --results " + (folder / "results").string();
    CHECK(run_program("verify" + results).code == 4);
    CHECK(run_program("plot" + results).code == 4);
    const Outcome first = run_program("run " + config + results);
    INFO(first.out);
    REQUIRE(first.code == 0);
    CHECK(contains(first.out, "done, 3 of 3 cells, "));
    const std::string bytes = contents(folder / "results/variance/small.h5");
    CHECK(!bytes.empty());
    // Which Fourier transforms the program has is in its results: they differ in the last bits, and in their licence.
    CHECK(contains(bytes, "fourier_transforms"));
    CHECK(contains(bytes, "fftw-3") == (RFBENCH_FFTW == 1));
    CHECK(std::filesystem::exists(folder / "results/variance/figures/small.svg"));
    CHECK(std::filesystem::exists(folder / "results/variance/figures/small.pdf"));
    CHECK(std::filesystem::exists(folder / "results/variance/tables/small.tex"));
    CHECK(contains(run_program("run " + config + results).out, "done, 3 of 3 cells, 3 from before"));
    CHECK(contents(folder / "results/variance/small.h5") == bytes);
    CHECK(run_program("status " + config + results).code == 0);
    CHECK(run_program("table" + results).code == 0);
    CHECK(run_program("table" + results + " " + config).code == 0);
    CHECK(run_program("plot" + results + " variance/small").code == 0);
    CHECK(run_program("plot" + results).code == 0);
    CHECK(contains(contents(folder / "results/index.html"), "variance/small"));
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

TEST_CASE("What a run will take is said before it is begun", "[cli]") {
    const Folder folder;
    const std::string config = folder.write("small.yml", small_gain).string();
    const std::string results = " --results " + (folder / "results").string();
    // Not yet timed; then by the journal of the run that was made.
    CHECK(contains(run_program("plan " + config + results).out, "3 to compute"));
    CHECK(contains(run_program("plan " + config + results).out, "unknown until"));
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    CHECK(std::filesystem::exists(folder / "results/variance/small.h5"));
    CHECK(contains(run_program("plan " + config + results).out, "nothing to compute"));
    // Times of a configuration are its own: with one value changed they are not known, with one cell missing they are.
    CHECK(contains(run_program("plan " + config + results + " --set square_sums=3").out, "unknown until"));
    std::filesystem::remove(folder / "results/variance/small/cells/dimension=8.h5");
    const Outcome again = run_program("plan " + config + results);
    INFO(again.out);
    CHECK(contains(again.out, "1 to compute"));
    CHECK(contains(again.out, "about 0.0 s, as cells of this configuration took before"));
    CHECK(run_program("run --no-figures " + config + results).code == 0);

    // Without names nothing is run.
    const std::string configs = " --configs " + folder.str();
    const Outcome offered = run_program("run" + configs + results);
    INFO(offered.out);
    CHECK(offered.code == 4);
    CHECK(contains(offered.out, "variance/small: 0 of 3 cells to compute"));
    CHECK(contains(offered.out, "nothing was run. 'rfbench run all'"));
    CHECK(contains(run_program("run all --no-figures" + configs + results).out, "3 from before"));

    // The same name twice would be one place of results.
    folder.write("small.yaml", small_gain);
    const Outcome twice = run_program("plan" + configs);
    CHECK(twice.code == 2);
    CHECK(contains(twice.out, "in one place"));
}

TEST_CASE("What cannot fit into memory is refused, by plan and by run", "[cli]") {
    const std::string config =
        "attention/error --set length=1000000 --set real_columns=65536 --set dimensions=1024 --threads 64";
    for (const char* verb : {"plan ", "run --no-figures "}) {
        const Outcome refused = run_program(verb + config);
        INFO(refused.out);
        CHECK(refused.code == 2);
        CHECK(contains(refused.out, "attention/error does not fit into memory: a cell takes about "));
        CHECK(contains(refused.out, "this machine has "));
    }
}

TEST_CASE("plan says what memory the largest arrays of a cell take", "[cli]") {
    // Of studies whose cells hold next to nothing it says nothing, nor of classifiers, where it takes no one formula.
    for (const char* name : {"attention/causal", "attention/cost", "attention/depth", "attention/error",
                             "attention/negative", "concentration/uniform", "dof/bound", "dof/error", "dof/layers",
                             "dof/learned", "learned/match", "quasi/attention", "quasi/rate", "variance/regimes"}) {
        const Outcome plan = run_program(std::string("plan ") + name);
        INFO(plan.out);
        CHECK(plan.code == 0);
        CHECK(contains(plan.out, "  memory: about "));
    }
    // 2 heads and 2 outputs of 2 x 10^6 tokens by 128 in double.
    CHECK(contains(run_program("plan attention/causal --set length=1000000 --set dimensions=128 --threads 1").out,
                   "memory: about 7.6 GiB"));
}

// Sanitizers end a program that has no memory before it can say so, and have terabytes of addresses in use.
#if defined(__has_feature)
#define RFBENCH_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RFBENCH_SANITIZED 1
#else
#define RFBENCH_SANITIZED 0
#endif
#if !RFBENCH_SANITIZED
TEST_CASE("Where memory ends, a sentence says so", "[cli]") {
    const Folder folder;
    const auto limited = [&](int mebibytes, const std::string& arguments) {
        const std::string shell = "ulimit -v " + std::to_string(1024 * mebibytes) + "; exec " RFBENCH_PROGRAM " ";
        const int status =
            std::system(("sh -c '" + shell + arguments + "' > " + (folder / "answer").string() + " 2>&1").c_str());
        return Outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder / "answer")};
    };
    // The least limit, to within 64 MiB, at which the program itself runs; then a set of points of 128 MiB.
    const auto few = folder.write("few.csv", "1\n2\n").string();
    int limit = 64;
    while (limit < 4096 && limited(limit, "inspect positive --x-file " + few + " --y-file " + few).code != 0)
        limit += 64;
    REQUIRE(limit < 4096);
    std::string rows;
    for (int i = 0; i < 16 << 20; ++i) rows += "1\n";
    const auto many = folder.write("many.csv", rows).string();
    const Outcome inspected = limited(limit, "inspect positive --x-file " + many + " --y-file " + few);
    INFO(inspected.out);
    CHECK(inspected.code == 1);
    CHECK(inspected.out.starts_with("rfbench: there is not enough memory for this; a smaller configuration (--set)"));

    // In a cell: others may fit. A head of 10^6 tokens by 32 has 732 MiB.
    const std::string config = folder
                                   .write("large.yaml",
                                          "experiment: attention\nstudy: error\nlength: 1000000\ndimensions: 32\n"
                                          "mechanisms: [positive]\nsamplings: iid\nreal_columns: 8\nsamples: 2\n")
                                   .string();
    const Outcome run =
        limited(limit, "run --no-figures --threads 1 " + config + " --results " + (folder / "r").string());
    INFO(run.out);
    CHECK(run.code == 3);
    CHECK(contains(run.out, "there was not enough memory for this cell; fewer --threads or a smaller configuration"));
}
#endif

TEST_CASE("A note is said once, and not to those who want quiet", "[cli]") {
    const Folder folder;
    const std::string text =
        "experiment: variance\nstudy: regimes\nmechanisms: [positive]\nregimes: normal\noptional_regimes: [mnist]\n"
        "gammas: 1\nrows: 4\nrepeats: 1\n";
    const std::string configs = folder.write("one.yaml", text).string() + " " + folder.write("two.yaml", text).string();
    // A place without MNIST; where the project's own folder has it there is nothing to note.
    const OtherData nowhere(folder.str());
    const auto noted = [&](const std::string& options) {
        const Outcome run =
            run_program("run --no-figures " + options + configs + " --results " + (folder / "results").string());
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
    std::string manifest = contents(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    REQUIRE(contains(manifest, sum));
    manifest.replace(manifest.find(sum), sum.size(), std::string(sum.size(), '0'));
    const Folder folder;
    std::filesystem::create_directory(folder / "data");
    folder.write("data/manifest.yaml", manifest);
    const std::string ready = folder.write("ready.yaml", small_gain).string();
    const std::string digits =
        "experiment: variance\nstudy: regimes\nmechanisms: [positive]\nregimes: digits\n"
        "gammas: 1\nrows: 4\nrepeats: 1\n";
    const std::string lacking = folder.write("lacking.yaml", digits).string();
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    const Outcome run = run_program("run --configs . --results results " + lacking + " " + ready);
    std::filesystem::current_path(here);
    INFO(run.out);
    CHECK(run.code == 1);
    CHECK(contains(run.out, "variance/lacking cannot be run: data set 'optdigits' has no good copy"));
    CHECK(contains(run.out, "rfbench data fetch optdigits"));
    CHECK(contains(run.out, "Nothing was run. What needs no such data: variance/ready\n"));
    CHECK_FALSE(std::filesystem::exists(folder / "results"));
}

TEST_CASE("Where results cannot be written, the folder and the remedy are said before anything is computed", "[cli]") {
    const Folder folder;
    const auto file = folder.write("taken", "");
    const Outcome run = run_program("run variance/gain --profile smoke --results " + (file / "mine").string());
    INFO(run.out);
    CHECK(run.code == 1);
    CHECK(contains(run.out, "files cannot be made in " + file.string() + " (Not a directory)"));
    CHECK(contains(run.out, "name a folder that you may write to: --results FOLDER"));
    CHECK_FALSE(contains(run.out, "failed"));
}

TEST_CASE("The same bytes for 1, 2 and 3 threads", "[cli]") {
    const Folder folder;
    const std::string config = folder.write("small.yaml", small_monte_carlo).string();
    std::string bytes;
    for (const char* threads : {"1", "2", "3"}) {
        const std::string results = (folder / threads).string();
        const Outcome run =
            run_program("run --no-figures --threads " + std::string(threads) + " " + config + " --results " + results);
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
        {"study: gain\n", "bad.yaml:1:1: experiment: this key is missing"},
        {"experiment: varience\nstudy: gain\n",
         "bad.yaml:1:13: experiment: there is no study 'varience/gain'. Did you"},
        {"experiment: variance\nstudy: angle\nmechanisms: [positive, positive-weighted]\nnorms: 1\nangles: 0\n",
         "bad.yaml:3:24: mechanisms.1: 'positive-weighted' states no mean or variance of a feature"},
        {"experiment: variance\nstudy: angle\nmechanisms: [{name: geometric, set: {q: 1.5}}]\nnorms: 1\nangles: 0\n",
         "bad.yaml:3:41: mechanisms.0.set.q: geometric: q = 1.5; it must be"},
        {"- variance\n", "bad.yaml:1:1: a configuration is a map of 'key: value' lines, not a list of 1."},
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

TEST_CASE("A cell that fails is reported, the others are kept, and it is tried again", "[cli]") {
    const Folder folder;
    const std::string config = folder
                                   .write("small.yaml",
                                          "experiment: attention\nstudy: error\nlength: 64\ndimensions: 4\n"
                                          "mechanisms: [positive, {name: dense-symmetric, set: {A: '-0.1,-0.1'}}]\n"
                                          "samplings: iid\n"
                                          "real_columns: 8\nsamples: 2\n")
                                   .string();
    const std::string results = " --results " + (folder / "results").string();
    for (const char* done : {"done, 2 of 4 cells, 2 failed", "done, 2 of 4 cells, 2 failed, 2 from before"}) {
        const Outcome run = run_program("run --no-figures " + config + results);
        INFO(run.out);
        CHECK(run.code == 3);
        CHECK(contains(run.out, done));
        CHECK(contains(run.out,
                       "mechanism=dense-symmetric,sampling=iid,sample=1: mechanism 'dense-symmetric', "
                       "parameter 'A': it takes 4 numbers below 1/8, one an axis; 2 were given"));
    }
    CHECK(run_program("status " + config + results).code == 0);
}

TEST_CASE("Where every cell fails there is nothing to draw, and that is said", "[cli]") {
    const Folder folder;
    const std::string config = folder
                                   .write("small.yaml",
                                          "experiment: variance\nstudy: regimes\nregimes: normal\ngammas: 1\n"
                                          "rows: 4\nrepeats: 1\n"
                                          "mechanisms: [{name: dense-symmetric, set: {A: '-0.1,-0.1'}}]\n")
                                   .string();
    const std::string results = " --results " + (folder / "results").string();
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
    const Folder folder;
    const std::string config =
        folder.write("small.yaml", small_monte_carlo + "description: long\n").string() + " --set repeats=4000";
    const std::string results = " --results " + (folder / "results").string();
    const std::string command = std::string("timeout --preserve-status -s INT 0.4 ") + RFBENCH_PROGRAM +
                                " run --no-figures --threads 1 " + config + results + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    const Outcome found = run_program("verify" + results);
    INFO(found.out);
    CHECK(found.code == 0);
    CHECK(contains(found.out, "there and not collected: the run was interrupted, and 'rfbench run' goes on"));
    CHECK(run_program("verify variance/small" + results).code == 0);
    CHECK(run_program("verify variance/smal" + results).code == 2);
    const Outcome rest = run_program("run --no-figures " + config + results);
    INFO(rest.out);
    CHECK(rest.code == 0);
    CHECK(std::filesystem::exists(folder / "results/variance/small.h5"));
}
