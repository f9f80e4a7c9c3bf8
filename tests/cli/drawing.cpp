// Figures and the page of results, as a run leaves them.
#include <cstdlib>
#include <filesystem>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

constexpr const char* gain = R"(experiment: variance
study: gain
dimensions: [2, 4]
square_sums: [0.5, 1]
profiles: {smoke: {square_sums: [1, 2]}}
)";

/// The program where there is no such Python.
Outcome without_python(const std::string& arguments) {
    setenv("RFBENCH_PYTHON", "/nonexistent/python3", 1);
    Outcome outcome = run_program(arguments);
    unsetenv("RFBENCH_PYTHON");
    return outcome;
}

}  // namespace

TEST_CASE("every run ends with the page of all results in its folder", "[cli]") {
    const TemporaryFolder folder;
    const std::string first = folder.write("first.yaml", gain), second = folder.write("second.yaml", gain);
    const std::string results = " --results " + folder.file("results");
    const Outcome run = run_program("run " + first + results);
    INFO(run.out);
    REQUIRE(run.code == 0);
    CHECK(contains(run.out, "page " + folder.file("results/index.html")));
    std::string page = bytes_of(folder / "results/index.html");
    for (const char* part : {"variance/first", "data:image/svg+xml;base64,", "<dt>seed</dt><dd>1</dd>",
                             "<dt>commit</dt>", "<dt>profile</dt><dd>full</dd>", "dimensions: [2, 4]"}) {
        INFO(part);
        CHECK(contains(page, part));
    }
    CHECK(!contains(page, "class=\"banner\""));

    CHECK(run_program("run --profile smoke --set seed=7 " + second + results).code == 0);
    // A profile has a page of its own.
    CHECK(bytes_of(folder / "results/index.html") == page);
    page = bytes_of(folder / "results/smoke/index.html");
    CHECK(!contains(page, "variance/first"));
    CHECK(contains(page, "variance/second"));
    CHECK(contains(page, "<span class=\"badge\">profile smoke, --set seed=7</span>"));
}

TEST_CASE("a profile that leaves a configuration as it stands makes the full study", "[cli]") {
    const TemporaryFolder folder;
    const std::string config =
        folder.write("small.yaml",
                     "experiment: variance\nstudy: gain\ndimensions: [2, 4]\nsquare_sums: [0.5, 1]\n"
                     "profiles: {quick: {}, smoke: {square_sums: [1, 2]}}\n");
    const auto page = [&](const std::string& options) {
        const std::string results = folder.file("results");
        CHECK(run_program("run --replace " + options + config + " --results " + results).code == 0);
        const bool quick = contains(options, "quick"), smoke = contains(options, "smoke");
        return bytes_of(folder / (std::string("results/") + (quick ? "quick/" : smoke ? "smoke/" : "") + "index.html"));
    };
    for (const char* whole : {"--profile quick ", "--set dimensions=[2,4] "}) {
        INFO(whole);
        CHECK(!contains(page(whole), "class=\"banner\""));
        CHECK(contains(page(whole), "<dt>profile</dt><dd>full</dd>"));
    }
    CHECK(contains(page("--profile smoke "), "class=\"banner\""));
    CHECK(contains(page("--profile quick --set dimensions=[2,8] "), "profile quick, --set dimensions=[2,8]"));
}

TEST_CASE("without Python a run ends well, with data and tables, and says once what is missing", "[cli]") {
    const TemporaryFolder folder;
    folder.write("first.yaml", gain);
    folder.write("second.yaml", gain);
    const std::string results = " --results " + folder.file("results");
    const std::string both = folder.file("first.yaml") + " " + folder.file("second.yaml");
    const Outcome run = without_python("run " + both + results);
    INFO(run.out);
    CHECK(run.code == 0);
    const std::string sentence = "apt-get install python3-matplotlib";
    CHECK(contains(run.out, sentence));
    CHECK(run.out.find(sentence) == run.out.rfind(sentence));
    CHECK(std::filesystem::exists(folder / "results/variance/second/figures/second.json"));
    CHECK(std::filesystem::exists(folder / "results/variance/second/tables/second.tex"));
    CHECK(!std::filesystem::exists(folder / "results/variance/second/figures/second.svg"));
    CHECK(contains(bytes_of(folder / "results/index.html"), "was not drawn"));
    CHECK(without_python("plot" + results).code == 1);

    const Outcome plot = run_program("plot" + results);
    CHECK(plot.code == 0);
    CHECK(contains(plot.out, folder.file("results/variance/second/figures/second.svg")));
    CHECK(!contains(bytes_of(folder / "results/index.html"), "was not drawn"));
}

TEST_CASE("plot draws in a style of the user's", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", gain);
    const std::string results = " --results " + folder.file("results");
    REQUIRE(run_program("run " + config + results).code == 0);
    const std::string style = folder.write("mine.mplstyle", "axes.linewidth: 4.25\n");
    CHECK(run_program("plot variance/small" + results + " --style " + style).code == 0);
    CHECK(contains(bytes_of(folder / "results/variance/small/figures/small.svg"), "stroke-width: 4.25"));
    const Outcome missing = run_program("plot" + results + " --style " + style + "x");
    CHECK(missing.code == 2);
    CHECK(contains(missing.out, "there is no style file"));
}

TEST_CASE("figures without anything to draw are left out, and that is said", "[cli]") {
    const TemporaryFolder folder;
    const std::string results = " --results " + folder.file("results");
    const auto check = [&](const char* name, const std::string& yaml, const std::string& left_out,
                           const std::string& table) {
        const Outcome run = run_program("run " + folder.write(std::string(name) + ".yaml", yaml) + results);
        INFO(run.out);
        CHECK(run.code == 0);
        CHECK(contains(run.out,
                       "note: the figure '" + left_out + "' is left out, since this result has nothing to draw in it"));
        CHECK(contains(run.out, table));
        CHECK(contains(run_program("plot" + results).out, "the figure '" + left_out + "'"));
    };
    // None of 64 draws at close points is off by half of K; Hadamard draws have no closed form of the variance.
    check("near",
          "experiment: concentration\nstudy: tail\nmethods: [positive, trigonometric]\nsamplings: iid\n"
          "pairs: [{label: close, dimension: 4, norms: [0.1, 0.1], angle: 30}]\ndraws: 64\nerrors: 0.5\n"
          "repeats: 100\n",
          "near-close", "tables/near-probability.md");
    check("drawn",
          "experiment: variance\nstudy: monte-carlo\nmethods: [trigonometric]\nsamplings: hadamard\n"
          "dimensions: 4\nrepeats: 100\n",
          "drawn-variance", "tables/drawn-mean.md");
}

TEST_CASE("figures of reference results are drawn into a folder of their own", "[cli]") {
    const TemporaryFolder folder;
    const Outcome drawn = run_program("plot --reference variance/gain --folder " + folder.file("figures"));
    INFO(drawn.out);
    CHECK(drawn.code == 0);
    CHECK(contains(drawn.out, "figure " + folder.file("figures/variance/gain/figures/gain.svg")));
    CHECK(std::filesystem::exists(folder / "figures/variance/gain/figures/gain.pdf"));
    // Nothing is written where reference results are, and no folder is taken in silence.
    CHECK(contains(run_program("plot --reference variance/gain").out, "--reference requires --folder"));
    CHECK(contains(run_program("plot variance/gain --folder x").out, "--folder requires --reference"));
    CHECK(run_program("plot --reference varianc --folder x").code == 2);
}

TEST_CASE("a result of another commit that lacks what is shown is told apart from a bug", "[cli]") {
    const TemporaryFolder folder;
    const std::string run = folder.file("results/variance/small.h5"), file = folder.file("other.h5"),
                      results = " --results " + folder.file("results");
    REQUIRE(run_program("run --no-figures " + folder.write("small.yaml", gain) + results).code == 0);
    store::Dataset data = store::read(run);
    data.variables.front().name = "before";
    store::write(file, data);
    CHECK(contains(run_program("table " + file).out, "this is a bug"));
    const std::string commit = data.attributes.at("git_commit");
    data.attributes["git_commit"] = "0123abc";
    store::write(file, data);
    const Outcome outdated = run_program("table " + file);
    INFO(outdated.out);
    CHECK(outdated.code == 1);
    CHECK(contains(outdated.out, ", commit 0123abc, and this program (rfbench "));
    CHECK(contains(outdated.out, ", commit " + commit + ") cannot show it: the report of the study variance/gain"));
}
