// Damaged files, failing outputs, bad names and missing data: each ends with its code and a sentence.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "catch.hpp"
#include "program.hpp"
#include "small_gain.hpp"
#include "support/refusal.hpp"
#include "support/sanitizer.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

/// Results of configurations of these names, one small sweep each.
struct Results {
    TemporaryFolder folder;
    std::string options = " --results " + folder.file("results");

    explicit Results(const std::vector<std::string>& names, const std::string& run = "run --quiet ") {
        std::string files;
        for (const std::string& name : names) files += " " + folder.write(name + ".yaml", small_gain);
        const Outcome outcome = run_program(run + files + options);
        INFO(outcome.out);
        REQUIRE(outcome.code == 0);
    }
    std::filesystem::path at(const std::string& name) const { return folder / ("results/variance/" + name); }
    Outcome rfbench(const std::string& arguments) const { return run_program(arguments + options); }
};

void flip(const std::filesystem::path& file) {
    std::string bytes = bytes_of(file);
    bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
    put_bytes(file, bytes);
}

}  // namespace

TEST_CASE("verify finds a result file that is gone, whatever else is gone with it, and run brings it back", "[cli]") {
    const Results results({"one", "two"}, "run --quiet --no-figures ");
    const std::string run = "run --quiet --no-figures " + results.folder.file("two.yaml");
    const auto found = [&](const std::string& what) {
        const Outcome verified = results.rfbench("verify");
        INFO(verified.out);
        CHECK(verified.code == 5);
        CHECK(contains(verified.out, what));
        CHECK(contains(verified.out, "'rfbench run' makes"));
        CHECK(results.rfbench(run).code == 0);
        CHECK(results.rfbench("verify").code == 0);
    };
    std::filesystem::remove(results.at("two.h5"));
    found("missing: " + results.at("two.h5").string() + ":");
    std::filesystem::remove(results.at("two.h5"));
    for (const char* name : {"two/SHA256SUMS", "two/journal", "two/lock"}) std::filesystem::remove(results.at(name));
    found("missing: ");
    std::filesystem::remove(results.at("two/SHA256SUMS"));
    std::filesystem::remove(results.at("two/journal"));
    found("nothing to compare files with");
    // Without a list the line at the end of the file tells, too.
    std::filesystem::remove(results.at("two/SHA256SUMS"));
    std::filesystem::remove(results.at("two/journal"));
    flip(results.at("two.h5"));
    found("its bytes do not match the sha256 at its end");
    put_bytes(results.at("two/journal"), "nonsense\n" + bytes_of(results.at("two/journal")));
    found("two/journal: line 1: ");
    put_bytes(results.at("two/journal-1of2"), "nonsense\n");
    found("two/journal-1of2: line 1: ");
}

TEST_CASE("verify finds damaged cells of a sweep that has collected nothing, of a profile too", "[cli]") {
    for (const std::string profile : {"", " --profile smoke"}) {
        INFO(profile);
        const TemporaryFolder folder;
        const std::string config =
            folder.write("small.yaml", small_gain + "profiles: {smoke: {square_sums: [1, 2]}}\n");
        const std::string options = profile + " --results " + folder.file("results");
        REQUIRE(run_program("run --quiet --shard 1/1 " + config + options).code == 0);
        CHECK(run_program("verify" + options).code == 0);
        for (const auto& file : std::filesystem::directory_iterator(folder / "results/cells"))
            if (file.path().extension() == ".pack") flip(file.path());
        const Outcome verified = run_program("verify" + options);
        INFO(verified.out);
        CHECK(verified.code == 5);
    }
}

TEST_CASE("a page of results that was changed or cut is found, and made again whether figures are drawn or not",
          "[cli]") {
    const Results results({"one"});
    const std::filesystem::path page = results.folder / "results/index.html";
    const std::string whole = bytes_of(page);
    for (const std::string& damaged : {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1),
                                       std::string(), "x" + whole, whole + "\n"})
        for (const std::string verb : {"run --quiet ", "run --quiet --no-figures ", "plot"}) {
            put_bytes(page, damaged);
            const Outcome verified = results.rfbench("verify");
            INFO(verb << ": " << verified.out);
            CHECK(verified.code == 5);
            CHECK(contains(verified.out, "damaged: " + page.string() + ": "));
            CHECK(results.rfbench(verb == "plot" ? verb : verb + results.folder.file("one.yaml")).code == 0);
            CHECK(bytes_of(page) == whole);
            CHECK(results.rfbench("verify").code == 0);
        }
}

TEST_CASE("a pack that ends within a record is told as that, as damage where a result lacks it, and is mended",
          "[cli]") {
    const Results results({"one"}, "run --quiet --no-figures ");
    const std::filesystem::path cells = results.folder / "results/cells";
    const auto cut = [&](std::size_t bytes) {
        for (const auto& file : std::filesystem::directory_iterator(cells))
            if (file.path().extension() == ".pack")
                put_bytes(file, bytes_of(file).substr(0, bytes_of(file).size() - bytes));
    };
    const auto lock = [&] {
        for (const auto& file : std::filesystem::directory_iterator(cells))
            if (file.path().extension() == ".pack") return ::open(file.path().c_str(), O_RDWR);
        return -1;
    };
    const std::string run = "run --quiet --no-figures " + results.folder.file("one.yaml");
    // Cells that no result needs, as a killed run leaves them.
    const std::string unneeded = "run --quiet --shard 1/1 --set seed=7 " + results.folder.file("one.yaml");
    for (const std::string& mend : {run, std::string("prune")}) {
        CHECK(results.rfbench("prune").code == 0);
        const std::string more = results.folder.file("more");
        REQUIRE(run_program(unneeded + " --results " + more).code == 0);
        for (const auto& file : std::filesystem::directory_iterator(more + "/cells"))
            if (file.path().extension() == ".pack") {
                const std::string bytes = bytes_of(file);
                put_bytes(cells / file.path().filename(), bytes.substr(0, bytes.size() - 30));
            }
        std::filesystem::remove_all(more);
        const Outcome told = results.rfbench("verify");
        INFO(told.out);
        CHECK(told.code == 0);
        CHECK(contains(told.out, "  torn: " + cells.string()));
        const Outcome mended = results.rfbench(mend);
        INFO(mended.out);
        CHECK(mended.code == 0);
        CHECK(!contains(results.rfbench("verify").out, "torn: "));
    }
    // Behind sound cells, too, of which none is to go.
    CHECK(results.rfbench("prune").code == 0);
    for (const auto& file : std::filesystem::directory_iterator(cells))
        if (file.path().extension() == ".pack") put_bytes(file, bytes_of(file) + bytes_of(file).substr(0, 100));
    CHECK(contains(results.rfbench("verify").out, "torn: "));
    CHECK(results.rfbench("prune").code == 0);
    CHECK(!contains(results.rfbench("verify").out, "torn: "));
    cut(30);
    const int held = lock();
    REQUIRE(::flock(held, LOCK_EX | LOCK_NB) == 0);
    CHECK(!contains(results.rfbench("verify").out, "torn: "));  // a process writes to it
    ::close(held);
    const Outcome lacking = results.rfbench("verify");
    INFO(lacking.out);
    CHECK(lacking.code == 5);
    CHECK(contains(lacking.out, "torn: "));
    CHECK(contains(lacking.out, "1 of the 3 cells that "));
    CHECK(results.rfbench(run).code == 0);
    CHECK(results.rfbench("verify").code == 0);
}

TEST_CASE("what killed processes left half written is told wherever it is, and goes with the next run", "[cli]") {
    const Results results({"one"}, "run --quiet --no-figures ");
    const std::filesystem::path root = results.folder / "results";
    for (const char* place : {".", "variance", "variance/one", "variance/one/shards", "variance/one/figures", "cells",
                              "cells/checkpoints"}) {
        INFO(place);
        const std::filesystem::path left = (root / place / ".rfbench-9-0.tmp").lexically_normal();
        std::filesystem::create_directories(left.parent_path());
        put_bytes(left, "half");
        const Outcome told = results.rfbench("verify");
        INFO(told.out);
        CHECK(told.code == 0);
        const std::string sentence = "temporary: " + left.string() + ": a process that wrote it was stopped\n";
        CHECK(contains(told.out, sentence));
        CHECK(told.out.find(sentence) == told.out.rfind(sentence));
        CHECK(results.rfbench("run --quiet --no-figures " + results.folder.file("one.yaml")).code == 0);
        CHECK(!std::filesystem::exists(left));
    }
}

TEST_CASE("one damaged result among three stops neither tables nor figures of the others", "[cli]") {
    const Results results({"one", "three", "two"});
    flip(results.at("three.h5"));
    for (const std::string verb : {"table", "plot"}) {
        for (const char* name : {"one", "two"}) {
            std::filesystem::remove_all(results.at(name) / "tables");
            std::filesystem::remove_all(results.at(name) / "figures");
        }
        const Outcome outcome = results.rfbench(verb);
        INFO(outcome.out);
        CHECK(outcome.code == 5);
        CHECK(contains(outcome.out, "cannot read " + results.at("three.h5").string()));
        for (const char* name : {"one", "two"}) {
            const std::string made = verb == "table" ? "/tables/" : "/figures/";
            const std::string end = verb == "table" ? ".md" : ".svg";
            CHECK(std::filesystem::exists(results.at(name + made + name + end)));
        }
    }
}

TEST_CASE("a path of a result file that is not there is refused, and leaves nothing behind", "[cli]") {
    const TemporaryFolder folder;
    for (const std::string verb : {"table ", "plot ", "verify "}) {
        const Outcome outcome = run_program(verb + folder.file("variance/none.h5"));
        INFO(outcome.out);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.out, "there is no file '" + folder.file("variance/none.h5") + "'"));
        CHECK(!std::filesystem::exists(folder / "variance"));
    }
}

TEST_CASE("results within the folder of others keep to their own cells", "[cli]") {
    const Results results({"one"});
    const std::string mine = " --results " + results.folder.file("results/mine");
    REQUIRE(run_program("run --quiet " + results.folder.write("two.yaml", small_gain) + " --set seed=2" + mine).code ==
            0);
    const Outcome outcome = results.rfbench("verify");
    INFO(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(run_program("verify" + mine).code == 0);
}

TEST_CASE("figures and tables are replaced under the lock of their result, and leave nothing behind", "[cli]") {
    const Results results({"one"});
    const auto listed = [&] { return bytes_of(results.at("one/SHA256SUMS")); };
    for (const char* name : {"figures/one.svg", "figures/one.pdf", "figures/one.json", "figures/one.csv",
                             "tables/one.md", "tables/one.tex", "tables/one.csv", "../one.h5", "cells"})
        CHECK(contains(listed(), std::string("  ") + name + "\n"));
    const std::string before = listed(), picture = bytes_of(results.at("one/figures/one.svg"));
    {
        const int held = ::open(results.at("one/lock").c_str(), O_RDWR);
        REQUIRE(::flock(held, LOCK_EX | LOCK_NB) == 0);
        for (const char* verb : {"plot", "table"}) {
            const Outcome outcome = results.rfbench(verb);
            CHECK(outcome.code == 1);
            CHECK(contains(outcome.out, "a run is at work here already"));
            // Tables are shown all the same, and stay as they are.
            CHECK(contains(outcome.out, "tables of " + results.at("one.h5").string() + " are shown, not written") ==
                  (verb == std::string("table")));
        }
        CHECK(listed() == before);
        ::close(held);
    }
    CHECK(results.rfbench("plot").code == 0);
    CHECK(results.rfbench("table").code == 0);
    CHECK(listed() == before);
    CHECK(bytes_of(results.at("one/figures/one.svg")) == picture);
    CHECK(results.rfbench("verify").code == 0);
    for (const auto& file : std::filesystem::recursive_directory_iterator(results.folder / "results")) {
        INFO(file.path());
        CHECK(!contains(file.path().filename().string(), ".tmp"));
        CHECK(!file.path().filename().string().starts_with("next-"));
    }
}

TEST_CASE("a run that is stopped while it draws keeps the figures that were there", "[cli]") {
    const Results results({"one"});
    const std::string before = bytes_of(results.at("one/SHA256SUMS"));
    // A Python that stops the run that has called it, as Ctrl-C does, and draws nothing.
    const std::string python = results.folder.write("python", "#!/bin/sh\nkill -INT $PPID\nsleep 0.2\nexit 9\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    setenv("RFBENCH_PYTHON", python.c_str(), 1);
    const Outcome stopped = results.rfbench("run --set dimensions=[2] --replace " + results.folder.file("one.yaml"));
    unsetenv("RFBENCH_PYTHON");
    INFO(stopped.out);
    CHECK(stopped.code == 130);
    CHECK(bytes_of(results.at("one/SHA256SUMS")) == before);
    CHECK(std::filesystem::exists(results.at("one/figures/one.svg")));
    CHECK(std::filesystem::exists(results.at("one/figures/one.pdf")));
    CHECK(results.rfbench("verify").code == 0);
}

TEST_CASE("what standard output does not take ends with 1 and a sentence", "[cli]") {
    const Results results({"one"}, "run --quiet --no-figures ");
    const std::string config = results.folder.file("one.yaml");
    for (const std::string& verb : {std::string("verify"), "status --json " + config, "plan " + config,
                                    std::string("table"), "run " + config, std::string("prune --dry-run")}) {
        INFO(verb);
        const Outcome outcome = run_program(verb + results.options + " 2>&1 >/dev/full #");
        CHECK(outcome.code == 1);
        CHECK(contains(outcome.out, "No space left on device"));
    }
    for (const char* verb : {"list", "describe positive", "inspect positive --x 0.1 --y 0.2", "--help", "--version",
                             "completion bash", "data list"}) {
        INFO(verb);
        const Outcome outcome = run_program(std::string(verb) + " 2>&1 >/dev/full #");
        CHECK(outcome.code == 1);
        CHECK(contains(outcome.out, "rfbench: "));
    }
}

TEST_CASE("closed standard streams: nothing that is said goes into files", "[cli]") {
    for (const char* closed : {" <&- 2>&- #", " >&- 2>&- #"}) {
        INFO(closed);
        const TemporaryFolder folder;
        const std::string options = " --results " + folder.file("results");
        CHECK(run_program("run --no-figures " + folder.write("one.yaml", small_gain) + options + closed).code == 0);
        const Outcome verified = run_program("verify" + options);
        INFO(verified.out);
        CHECK(verified.code == 0);
        CHECK(!contains(verified.out, "torn"));
        CHECK(!contains(verified.out, "damaged"));
    }
    CHECK(run_program("list >&- #").code == 1);
}

TEST_CASE("what could not be named or drawn is refused before anything is computed", "[cli]") {
    const TemporaryFolder folder;
    const std::string options = " --results " + folder.file("results");
    const auto refused = [&](const std::string& arguments, const std::string& sentence) {
        const Outcome outcome = run_program("run " + arguments + options);
        INFO(outcome.out);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.out, sentence));
        CHECK(!std::filesystem::exists(folder / "results"));
    };
    const std::string good = folder.write("good.yaml", small_gain + "profiles: {cells: {}, a b: {}}\n");
    refused("'" + folder.write("a=b,c.yaml", small_gain) + "'", "the name of a configuration becomes a file name");
    // Files are named after them, with endings behind.
    const std::string longest(150, 'n'), longer(151, 'n'), much_longer(5000, 'n');
    refused("--as " + longer + " " + good, "must have 1 to 150 characters");
    refused("--as " + much_longer + " " + good, "must have 1 to 150 characters");
    refused(folder.write(longer + ".yaml", small_gain), "must have 1 to 150 characters");
    refused("--profile " + longer + " " + folder.write("long.yaml", small_gain + "profiles: {" + longer + ": {}}\n"),
            "must have 1 to 150 characters");
    refused("--as ../x " + good, "the name of a configuration becomes a file name");
    refused("--profile 'a b' " + good, "the name of a profile becomes a file name");
    refused("--profile cells " + good, "a profile cannot be called 'cells'");
    refused(folder.write("label.yaml",
                         "experiment: variance\nstudy: regimes\nmethods: [{use: positive, label: \"a\\nb\"}]\n"
                         "points: normal\ngammas: 1\nrows: 4\nrepeats: 2\n"),
            "the method has the label 'a\\x0ab', in which there is a line break");
    CHECK(run_program("plan " + good + " --as " + longest + options).code == 0);
    const Outcome nowhere = run_program("run " + good + " --results ''");
    CHECK(nowhere.code == 2);
    CHECK(contains(nowhere.out, "--results: a folder's name is needed"));
    const Outcome nameless = run_program("plan " + good + " --as ''" + options);
    CHECK(nameless.code == 2);
    CHECK(contains(nameless.out, "--as: a name is needed"));
    refused("--profile '' " + good, "--profile: a profile's name is needed");
    refused("--shard '' " + good, "--shard: a shard is needed, such as 2/8");
    // The folder of the one is where the file of the other belongs.
    refused("--as good.h5 " + good, "--as good.h5: results cannot be called 'good.h5'");
    refused(folder.write("some.h5.yaml", small_gain), "results cannot be called 'some.h5'");
    CHECK(run_program("plan " + good + " --as some.h5.2" + options).code == 0);
}

TEST_CASE("a configuration may be called as what results have beside them", "[cli]") {
    const Results results({"figures", "tables", "cells", "lock"});
    const Outcome verified = results.rfbench("verify");
    INFO(verified.out);
    CHECK(verified.code == 0);
    CHECK(std::filesystem::exists(results.at("figures/figures/figures.svg")));
    CHECK(results.rfbench("prune --dry-run").code == 0);
    CHECK(results.rfbench("plot").code == 0);
}

TEST_CASE("small stacks and a limit on sizes of files are told", "[cli]") {
    const TemporaryFolder folder;
    const std::string run =
        " run --quiet --no-figures " + folder.write("one.yaml", small_gain) + " --results " + folder.file("results");
    const auto shell = [&](const std::string& before) {
        std::ofstream(folder / "script") << before << "; exec " << RFBENCH_PROGRAM << run << " 2>&1\n";
        const std::string out = folder.file("out");
        const int status = std::system(("bash " + folder.file("script") + " > " + out).c_str());
        return Outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), bytes_of(out)};
    };
    for (const char* size : {"128k", "128", " 64 K", "1000000B"}) {
        const Outcome stack = shell(std::string("export OMP_STACKSIZE='") + size + "'");
        INFO(size << ": " << stack.out);
        CHECK(stack.code == 2);
        CHECK(contains(stack.out, "OMP_STACKSIZE is "));
    }
    const Outcome limited = shell("ulimit -s 256");
    CHECK(limited.code == 2);
    CHECK(contains(limited.out, "the limit on stacks is 256 kB"));
    // The thread sanitizer keeps what it knows of memory in a file, which the limit cuts off.
    if (!RFBENCH_THREAD_SANITIZER) {
        const Outcome file = shell("ulimit -f 1");
        INFO(file.out);
        CHECK(file.code == 1);
        CHECK(contains(file.out, "File too large"));
    }
    CHECK(shell("export OMP_STACKSIZE=2M").code == 0);
}

TEST_CASE("a program that is compiled for one instruction set refuses to compute with another", "[cli]") {
    const auto asked = [](const std::string& name) {
        const Outcome said = run_program("--version");
        const std::string fact = "instruction_set: ";
        const std::size_t begin = said.out.find(fact) + fact.size();
        const std::string own = said.out.substr(begin, said.out.find('\n', begin) - begin);
        ::setenv("RFBENCH_INSTRUCTION_SET", (name == "own" ? own : name).c_str(), 1);
        const Outcome outcome = run_program("list experiments");
        ::unsetenv("RFBENCH_INSTRUCTION_SET");
        return outcome;
    };
    CHECK(asked("own").code == 0);
    CHECK(asked("").code == 0);
    const Outcome other = asked("x86-64-v9");
    CHECK(other.code == 2);
    CHECK(contains(other.out, "RFBENCH_INSTRUCTION_SET is x86-64-v9, and this program is compiled for "));
}
