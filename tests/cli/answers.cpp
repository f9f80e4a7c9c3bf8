// claims, compare, pages, reproduce and export, as a user runs them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/text/utf8.hpp"
#include "rfbench_places.hpp"
#include "small_gain.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::filesystem::path source_folder(RFBENCH_SOURCE_DIR);

/// A checkout's pages and reference results, to be changed.
struct Checkout {
    TemporaryFolder folder;

    Checkout() {
        std::filesystem::create_directories(folder / "docs");
        for (const auto& file : std::filesystem::directory_iterator(source_folder / "docs"))
            if (file.path().extension() == ".md")
                std::filesystem::copy_file(file.path(), folder / "docs" / file.path().filename());
        std::filesystem::copy_file(source_folder / "README.md", folder / "README.md");
        std::filesystem::copy(source_folder / "results", folder / "results", std::filesystem::copy_options::recursive);
    }

    /// Adds a number to all values of a variable at one method.
    void shift(const std::string& results, const std::string& variable, const std::string& method, double by) const {
        const auto file = folder / ("results/reference/" + results + ".h5");
        store::Dataset data = store::read(file);
        const auto& methods = std::get<std::vector<std::string>>(data.axis("method").labels);
        const auto place =
            static_cast<std::size_t>(std::find(methods.begin(), methods.end(), method) - methods.begin());
        REQUIRE(place < methods.size());
        for (store::Variable& one : data.variables) {
            if (one.name != variable) continue;
            REQUIRE(one.axes.front() == "method");
            const std::size_t each = one.values.size() / methods.size();
            for (std::size_t i = 0; i < each; ++i) one.values[place * each + i] += by;
        }
        store::write(file, data);
    }
};

std::string verdict(const std::string& id, const std::filesystem::path& results) {
    const Outcome of = run_program("claims " + id + " --format csv --results " + results.string());
    INFO(of.out);
    REQUIRE(of.code == 0);
    for (const char* one : {",holds,", ",fails,", ",undecided,", ",not judged,"})
        if (of.out.find(one) != std::string::npos) return one;
    return "none";
}

}  // namespace

TEST_CASE("claims answers from reference results without running anything", "[cli]") {
    const Outcome of = run_program("claims --reference --format csv");
    CHECK(of.code == 0);
    CHECK(std::count(of.out.begin(), of.out.end(), '\n') > 190);
    CHECK(run_program("claims --reference --format csv").out == of.out);
    CHECK_THAT(run_program("claims --reference --results mine").out, Contains("--results excludes --reference"));
    CHECK_THAT(of.out, StartsWith("id,paper,place,claim,printed,measured,asked,verdict,note,estimate,low,high,p"));
    const Outcome unasked = run_program("claims training/masked-text-all --reference");
    CHECK(unasked.code == 2);
    CHECK_THAT(unasked.out, Contains("no claim is answered by 'training/masked-text-all', though it is a"));
    CHECK(run_program("claims luna fails --reference").code == 0);
    const Outcome by_method = run_program("claims FAVOR++ --reference");
    CHECK_THAT(by_method.out, Contains("T106c") && !Contains("T2c"));
    const Outcome misspelt = run_program("claims thesys --reference");
    CHECK(misspelt.code == 2);
    CHECK_THAT(misspelt.out, Contains("Did you mean 'thesis'?"));
}

TEST_CASE("filters of claims of one kind are alternatives, kinds narrow each other down", "[cli]") {
    const auto rows = [](const std::string& filters) {
        const std::string out = run_program("claims " + filters + " --reference --format csv").out;
        return std::count(out.begin(), out.end(), '\n') - 1;  // without the line of names
    };
    CHECK(rows("T82") == 1);
    CHECK(rows("T82 T84") == 2);
    CHECK(rows("T82 T84 luna") == 0);
    CHECK(rows("T82 T84 thesis") == 2);
    CHECK(rows("thesis luna") == rows("thesis") + rows("luna"));
    CHECK(rows("holds fails thesis") == rows("thesis holds") + rows("thesis fails"));
}

TEST_CASE("claims fits a screen of 110 columns", "[cli]") {
    std::istringstream lines(run_program("claims --reference").out);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(num_characters(line) <= 110);
    }
}

TEST_CASE("Three standard errors of a reference result change the verdict of its claim and a page", "[cli]") {
    const Checkout checkout;
    const auto reference = checkout.folder / "results/reference";
    const std::string pages = "pages --check --root " + checkout.folder.path().string();
    CHECK(run_program(pages).code == 0);
    // FAVOR++ against FAVOR+ on recall: 25 differences of mean -0.04 and standard error 0.07.
    CHECK(verdict("T106c", reference) == ",undecided,");
    checkout.shift("training/recall", "accuracy", "FAVOR++", -3 * 0.066);
    CHECK(verdict("T106c", reference) == ",fails,");
    const Outcome checked = run_program(pages);
    CHECK(checked.code == 3);
    CHECK_THAT(checked.out, Contains("docs/training.md:") && Contains("57 ± 12 here, 37 ± 12 in"));
    CHECK_THAT(checked.out, Contains("training/recall.md: not the table of recall.h5"));

    const Outcome filled = run_program("pages --root " + checkout.folder.path().string());
    CHECK(filled.code == 0);
    CHECK(run_program(pages).code == 0);
}

TEST_CASE("pages tells tables beside reference results that are not theirs, and mends them", "[cli]") {
    const Checkout checkout;
    const auto folder = checkout.folder / "results/reference/training";
    const std::string pages = "pages --root " + checkout.folder.path().string();
    const std::string before = store::read_whole(folder / "text.md");
    std::ofstream(folder / "text.md", std::ios::app) << "1\n";
    std::filesystem::remove(folder / "text-rates.md");
    std::ofstream(folder / "older.md") << "1\n";
    const Outcome checked = run_program(pages + " --check");
    INFO(checked.out);
    CHECK(checked.code == 3);
    CHECK_THAT(checked.out, Contains("text.md: not the table of text.h5") && Contains("text-rates.md: not the table") &&
                                Contains("older.md: a table of no result file") && Contains("tables there 3 differ"));
    CHECK(run_program(pages).code == 0);
    CHECK(store::read_whole(folder / "text.md") == before);
    CHECK(!std::filesystem::exists(folder / "older.md"));
    CHECK(run_program(pages + " --check").code == 0);
}

TEST_CASE("compare tells equal files, two seeds and a bias apart", "[cli]") {
    const Checkout mine;
    const std::string both =
        mine.folder.file("results/reference") + " " + (source_folder / "results/reference").string();
    const Outcome same = run_program("compare " + both);
    CHECK(same.code == 0);
    CHECK_THAT(same.out, Contains("equal bit for bit"));

    const TemporaryFolder runs;
    const auto run = [&](int seed) {
        const std::string name = runs.file(std::to_string(seed));
        const Outcome of = run_program("run variance/monte-carlo --profile smoke --quiet --no-figures --set seed=" +
                                       std::to_string(seed) + " --results " + name);
        INFO(of.out);
        REQUIRE(of.code == 0);
        return name + "/smoke/variance/monte-carlo.h5";
    };
    const std::string one = run(1), other = run(2);
    const auto of_length = [&](int length) {
        const std::string name = runs.file("length-" + std::to_string(length));
        const Outcome of = run_program("run attention/error --profile smoke --quiet --no-figures --set heads.length=" +
                                       std::to_string(length) + " --results " + name);
        INFO(of.out);
        REQUIRE(of.code == 0);
        return name + "/smoke/attention/error.h5";
    };
    CHECK_THAT(run_program("compare " + of_length(64) + " " + of_length(32)).out, Contains("length is 64 and 32"));
    const Outcome seeds = run_program("compare " + one + " " + other);
    INFO(seeds.out);
    CHECK(seeds.code == 0);
    CHECK_THAT(seeds.out, Contains("No difference is shown"));
    CHECK_THAT(seeds.out, Contains("note: variance/monte-carlo: seed is 1 and 2: what is drawn once"));
    CHECK_THAT(same.out, !Contains("seed is"));

    // By the name of the result, as table takes it.
    const Outcome named =
        run_program("compare variance/monte-carlo " + other + " --profile smoke --results " + runs.file("1"));
    CHECK(named.code == 0);
    CHECK(named.out == seeds.out);

    // A bias of 2 %, as a wrong constant would have it: of the means, and so of their z-scores.
    store::Dataset data = store::read(other);
    const auto values = [&](const std::string& name) -> std::vector<double>& {
        return std::find_if(data.variables.begin(), data.variables.end(), [&](auto& v) { return v.name == name; })
            ->values;
    };
    auto &mean = values("mean"), &z = values("mean_z"), &stated = values("stated_mean");
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const double error = (mean[i] - stated[i]) / z[i];
        mean[i] *= 1.02;
        z[i] = (mean[i] - stated[i]) / error;
    }
    store::write(runs / "biased.h5", data);
    const Outcome biased = run_program("compare " + one + " " + runs.file("biased.h5"));
    CHECK(biased.code == 3);
    CHECK_THAT(biased.out, Contains("Differs, worst first"));
    const Outcome json = run_program("compare " + one + " " + runs.file("biased.h5") + " --format json --rows 2");
    INFO(json.out);
    CHECK(json.code == 3);
    CHECK_THAT(json.out, Contains("\"verdict\": \"differs\"") && Contains("\"variable\":\"mean\""));
    const std::string figure = runs.file("both.svg");
    const Outcome drawn = run_program("compare " + one + " " + runs.file("biased.h5") + " --rows 6 --figure " + figure);
    INFO(drawn.out);
    CHECK(drawn.code == 3);
    CHECK_THAT(store::read_whole(figure), Contains("standard error") && Contains("second"));
    CHECK(run_program("compare " + both + " --figure both.png").code == 2);

    CHECK(run_program("compare " + one + " " + runs.file("nothing")).code == 2);
    CHECK(
        run_program("compare " + one + " " + (source_folder / "results/reference/training/recall.h5").string()).code ==
        2);
}

TEST_CASE("reproduce computes cells again to the bit, and finds one that was changed", "[cli]") {
    const TemporaryFolder folder;
    const std::string file = folder.write("small.yaml", small_gain);
    REQUIRE(run_program("run " + file + " --quiet --no-figures --results " + folder.file("results")).code == 0);
    const auto results = folder / "results/variance/small.h5";
    const Outcome again = run_program("reproduce " + results.string() + " --cells 2");
    INFO(again.out);
    CHECK(again.code == 0);
    CHECK_THAT(again.out, Contains("2 of 2 cells are what the file has"));
    CHECK(run_program("reproduce variance/small --cells 2 --results " + folder.file("results")).out == again.out);

    store::Dataset data = store::read(results);
    data.variables[0].values[0] *= 1 + 1e-15;
    store::write(folder / "changed.h5", data);
    const Outcome changed = run_program("reproduce " + folder.file("changed.h5") + " --cells 1000");
    CHECK(changed.code == 3);
    CHECK_THAT(changed.out, Contains("have other bits"));

    // Files that come with rfbench may lack variables of a run.
    store::Dataset part = store::read(results);
    part.variables.erase(part.variables.begin());
    store::write(folder / "part.h5", part);
    const Outcome parted = run_program("reproduce " + folder.file("part.h5") + " --cells 2");
    CHECK(parted.code == 0);
    CHECK_THAT(parted.out, Contains("so not compared: ") && Contains("the same bits"));
    // They may have labels that this machine lacks, such as data sets: cells are found by their labels.
    store::Dataset more = store::read(results);
    for (store::Variable& variable : more.variables) {
        if (variable.axes.empty() || variable.axes[0] != "dimension") continue;
        const std::size_t each = variable.values.size() / more.axis("dimension").size();
        variable.values.insert(variable.values.begin(), each, 0.5);
    }
    for (store::Axis& axis : more.axes)
        if (axis.name == "dimension") {
            auto& labels = std::get<std::vector<double>>(axis.labels);
            labels.insert(labels.begin(), 1);
        }
    store::write(folder / "more.h5", more);
    const Outcome labelled = run_program("reproduce " + folder.file("more.h5") + " --cells 3");
    INFO(labelled.out);
    CHECK(labelled.code == 0);
    CHECK_THAT(labelled.out, Contains("dimension 1 of the file cannot be computed here"));
}

TEST_CASE("export writes a row a value, and says what it needs", "[cli]") {
    const TemporaryFolder folder;
    const std::string file = (source_folder / "results/reference/training/recall.h5").string();
    const Outcome table = run_program("export " + file + " --to csv --variables chosen_rate");
    CHECK(table.code == 0);
    CHECK(std::count(table.out.begin(), table.out.end(), '\n') == 1 + 8 * 25);
    CHECK(run_program("export " + file).code == 2);
    CHECK(run_program("export " + file + " --to npz").code == 2);
    CHECK(run_program("export " + file + " --to npz --variables accuracy --out " + folder.file("t.npz")).code == 0);
    CHECK(std::filesystem::file_size(folder / "t.npz") > 8 * 25 * 3 * 8);
    CHECK(run_program("export training/recall --reference --to csv --variables chosen_rate").out == table.out);
    const Outcome several = run_program("export training --reference --to csv");
    CHECK(several.code == 2);
    CHECK_THAT(several.out, Contains("'training' means") && Contains("and one is taken"));
    const Outcome misspelt = run_program("export " + file + " --to csv --variables acuracy");
    CHECK(misspelt.code == 2);
    CHECK_THAT(misspelt.out, Contains("Did you mean 'accuracy'?"));
}

TEST_CASE("recommend names the best, what is not told apart from it, and where results come from", "[cli]") {
    const Outcome of = run_program("recommend recall --reference");
    INFO(of.out);
    CHECK(of.code == 0);
    CHECK_THAT(of.out, Contains("linear-transformer") && Contains("the best") && Contains("not told apart"));
    CHECK_THAT(of.out, Contains("All of them: rfbench table --reference training/recall"));
    CHECK_THAT(of.out, !Contains("exact"));  // softmax attention has no features
    const Outcome none = run_program("recommend recall --results nowhere");
    CHECK(none.code == 2);
    CHECK_THAT(none.out, Contains("rfbench run training/recall --results nowhere"));
    CHECK_THAT(run_program("recommend recall --results \"it's mine\"").out,
               Contains(R"(rfbench run training/recall --results 'it'\''s mine')"));
    // Signs and biases are known, shares are measured.
    CHECK_THAT(of.out, Contains("of its denominators are not positive"));
    const TemporaryFolder pictures;
    const Outcome drawn = run_program("recommend recall --reference --figure " + pictures.file("best.svg"));
    CHECK(drawn.code == 0);
    CHECK_THAT(store::read_whole(pictures.file("best.svg")), Contains("FAVOR++") && Contains("not told apart"));
    CHECK(run_program("recommend recall --reference --columns 8").code == 2);
    CHECK_THAT(of.out, Contains("At 64 columns (at most --columns 256)."));
    CHECK_THAT(of.out, Contains("5 of 6 other methods are told apart from the best"));
    // No run writes the reference results.
    if (!std::filesystem::exists(source_folder / "results/reference/regression/mechanisms.h5")) {
        const Outcome missing = run_program("recommend regression --reference");
        CHECK(missing.code == 2);
        CHECK_THAT(missing.out, Contains("and text and recall do") && Contains("without --reference"));
    }
    CHECK(run_program("recommend kernels").code == 2);
    const Outcome converted = run_program("recommend converted-text --reference");
    INFO(converted.out);
    CHECK(converted.code == 0);
    CHECK_THAT(converted.out, Contains("source text") && Contains("stage tuned") && Contains("learned points"));
    CHECK_THAT(converted.out, !Contains("uniform") && !Contains("exact"));
    const Outcome recalled = run_program("recommend converted-recall --reference --columns 64");
    INFO(recalled.out);
    CHECK(recalled.code == 0);
    CHECK_THAT(recalled.out, Contains("source recall, stage tuned, 64 columns") && Contains("not told apart"));
    // Networks are tuned at 64 columns alone, also where more are allowed.
    CHECK_THAT(run_program("recommend converted-recall --reference --columns 256").out,
               Contains("64 columns (at most --columns 256)"));
    const Outcome images = run_program("recommend converted-images --reference");
    INFO(images.out);
    CHECK(images.code == 0);
    CHECK_THAT(images.out, Contains("source images") && Contains("positive") && !Contains("uniform"));
}

TEST_CASE("recommend tells what is no use, and what it has no use for", "[cli]") {
    const Outcome attention = run_program("recommend attention --reference");
    INFO(attention.out);
    // Signed features are a thousand times worse, with a spread as large.
    CHECK_THAT(attention.out, Contains("differences of logarithms") && !Contains("outside what was measured"));
    CHECK_THAT(attention.out, Contains("30 of 31 other methods are told apart"));
    const Outcome outside = run_program("recommend attention --reference --d 20000 --sd 3");
    CHECK_THAT(outside.out, Contains("outside what was measured") && Contains("no better than zeros"));
    const Outcome text = run_program("recommend text --reference --columns 7 --d 8");
    CHECK(text.code == 0);
    CHECK_THAT(text.out, Contains("--columns changes nothing") && Contains("--d changes nothing") &&
                             Contains("training/text-contenders"));
}

TEST_CASE("inspect-data says where points stand", "[cli]") {
    const TemporaryFolder folder;
    // (1, 0) and (0, 1): norms 1, angles 0 and 90, |x + y|^2 of 4 and 2.
    const std::string points = folder.write("points.csv", "1,0\n0,1\n");
    const Outcome of = run_program("inspect-data " + points);
    INFO(of.out);
    CHECK(of.code == 0);
    CHECK_THAT(of.out, Contains("1 and 1 rows of 2 numbers, root mean square 0.707"));
    // The kernel exp(x.y) is that of heads 2^(1/4) x: 0.7071 times 1.1892.
    CHECK_THAT(of.out, Contains("optimal-positive") && Contains("rfbench recommend kernel --d 2 --sd 0.84"));
    CHECK_THAT(run_program("inspect-data " + points + " --attention").out,
               Contains("rfbench recommend attention --d 2 --sd 0.71"));
    const Outcome other = run_program("inspect-data " + points + " --y " + folder.write("y.csv", "1,2,3\n"));
    CHECK(other.code == 2);
    CHECK_THAT(other.out, Contains("have 2 numbers, those of"));
}

TEST_CASE("recommend ranks methods over data sets, and says where to look in the results that it was given", "[cli]") {
    const TemporaryFolder folder;
    const std::string where = " --results " + folder.file("mine");
    const Outcome run = run_program(
        "run regression/mechanisms --quiet --no-figures --set 'datasets=[iris, wine, car]' --set splits=3 --set "
        "repeats=2 "
        "--set columns=16 --set 'gammas=[0.1, 0.3]' --set 'methods=[positive, trigonometric, optimal-positive]'" +
        where);
    INFO(run.out);
    REQUIRE(run.code == 0);
    const Outcome of = run_program("recommend regression" + where);
    INFO(of.out);
    CHECK(of.code == 0);
    CHECK_THAT(of.out, Contains("mean rank") && Contains("3 methods over 3 data sets") && Contains("Nemenyi"));
    CHECK_THAT(of.out, Contains("rfbench table regression/mechanisms --results " + folder.file("mine")));
    CHECK_THAT(of.out, Contains("features may change sign"));
}

TEST_CASE("a label that a study needs for something else is the user's to change, at its place", "[cli]") {
    const TemporaryFolder folder;
    const std::string file =
        folder.write("mine.yaml",
                     "experiment: variance\nstudy: regimes\nmethods: [positive, optimal-positive]\n"
                     "points: [{use: normal, dimension: 4, label: method}]\ngammas: [1]\nrows: 8\nrepeats: 2\n");
    const Outcome of = run_program("run " + file + " --quiet --no-figures --results " + folder.file("results"));
    INFO(of.out);
    const Outcome shown = run_program("table mine --results " + folder.file("results"));
    INFO(shown.out);
    CHECK(shown.code == 2);
    CHECK_THAT(shown.out, Contains("mine.yaml:4:") && Contains("points.0.label") && Contains("give it another label"));
    CHECK_THAT(shown.out, !Contains("bug"));
}

TEST_CASE("a message about --set has all of it", "[cli]") {
    std::string gammas = "gammas=[";
    for (int i = 1; i < 30; ++i) gammas += std::to_string(i) + ", ";
    const Outcome of = run_program("plan variance/regimes --set '" + gammas + "x]'");
    CHECK(of.code == 2);
    CHECK_THAT(of.out, Contains("--set " + gammas + "x]"));
}
