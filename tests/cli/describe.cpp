// describe, and the names that it knows.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/text/utf8.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

TEST_CASE("describe is short, within 100 columns, and its example of every study is a configuration", "[cli]") {
    const TemporaryFolder folder;
    std::istringstream listed(run_program("list experiments").out);
    int studies = 0;
    for (std::string line; std::getline(listed, line) && !contains(line, "configurations,"); ++studies) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        const std::string text = run_program("describe " + name).out;
        INFO(text);
        std::istringstream lines(text);
        std::string yaml;
        bool in_example = false;
        for (std::string one; std::getline(lines, one);) {
            CHECK(rfbench::num_characters(one) <= 100);
            if (one.starts_with("  ") && !one.starts_with("   "))
                in_example = one.starts_with("  example");
            else if (in_example)
                yaml += one.substr(4) + "\n";
        }
        const Outcome plan =
            run_program("plan " + folder.write("example.yaml", yaml) + " --results " + folder.file("r"));
        INFO(yaml << plan.out);
        CHECK(plan.code == 0);
    }
    CHECK(studies > 30);
    CHECK(std::ranges::count(run_program("describe variance/regimes").out, '\n') < 45);
}

TEST_CASE("names that people know are described, listed, and taken in lists of methods", "[cli]") {
    for (const auto& [name, said] :
         {std::pair("FAVOR+", "stands for\n  {use: positive, sampling: orthogonal, label: FAVOR+}"),
          std::pair("favor++", "optimal-positive (OPRF): "), std::pair("RFF", "trigonometric (TrigRF): "),
          std::pair("SORF", "sampling: hadamard"), std::pair("Performer", "positive (PosRF): "),
          std::pair("Linformer", "softmax over as many mixtures"), std::pair("OPRF", "optimal-positive (OPRF): ")}) {
        const Outcome run = run_program(std::string("describe ") + name);
        INFO(run.out);
        CHECK(run.code == 0);
        CHECK(contains(run.out, said));
    }
    CHECK(contains(run_program("list").out, "\n  FAVOR+ "));
    // Mechanisms are listed once.
    const std::string all = run_program("list").out;
    CHECK(all.find("\n  optimal-discrete ") == all.rfind("\n  optimal-discrete "));
    const TemporaryFolder folder;
    const std::string file = folder.write("known.yaml",
                                          "experiment: attention\nstudy: error\nmethods: [FAVOR+, {use: ORF, sampling: "
                                          "iid, label: mine}, softmax]\nheads: {use: normal, length: 16, dimension: "
                                          "4}\ncolumns: 8\nrepeats: 2\n");
    const Outcome plan = run_program("plan " + file + " --cells --results " + folder.file("r"));
    INFO(plan.out);
    CHECK(plan.code == 0);
    CHECK(contains(plan.out, "method=FAVOR+"));
    CHECK(contains(plan.out, "method=mine"));
}

TEST_CASE("Sources and what they take are described; a file's columns are shown as they are taken", "[cli]") {
    const std::string points = run_program("describe points").out;
    INFO(points);
    CHECK(contains(points, "takes one of normal, sphere, heterogeneous, digits, mnist, file"));
    CHECK(contains(points, "points[].dimension (default 64): of normal, sphere, heterogeneous: d"));
    CHECK(contains(points, "points[].x (required): of file: "));
    CHECK_FALSE(contains(points, "points[].heads.task"));
    CHECK(contains(run_program("describe heads").out, "heads.length (default 1024): of normal"));

    const TemporaryFolder folder;
    const Outcome seen = run_program("data describe " + folder.write("mine.csv", "a,class\n1,x\n2,y\n"));
    INFO(seen.out);
    CHECK(seen.code == 0);
    CHECK(contains(seen.out, "mine.csv: 2 rows of 2 columns"));
    CHECK(contains(seen.out, "  a: numbers from 1 to 2, 2 different\n  class: 2 words: x (1), y (1)\n"));
    const Outcome missing = run_program("data describe " + folder.write("gap.csv", "a,class\n1,x\n,y\n"));
    CHECK(missing.code == 0);
    CHECK(contains(missing.out, "  a: 1 missing (line 3), numbers from 1 to 1"));
}

TEST_CASE("the whole configuration on the page on use runs as it stands there", "[cli]") {
    const std::string page = bytes_of(std::filesystem::path(RFBENCH_SOURCE_DIR) / "docs" / "using.md");
    const std::size_t begin = page.find("```yaml\n") + 8;
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    INFO(text);
    REQUIRE(contains(text, "experiment: "));
    const TemporaryFolder folder;
    const Outcome run =
        run_program("run " + folder.write("mine.yaml", text) + " --no-figures --results " + folder.file("r"));
    INFO(run.out);
    CHECK(run.code == 0);
    CHECK(contains(run.out, "variance/mine: done, 54 of 54 cells"));
}
