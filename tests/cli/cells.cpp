// Cells are computed once, as a user meets it: sweeps that grow, results that are kept apart, parts that are united,
// and what verify finds.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "program.hpp"
#include "small_gain.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

TEST_CASE("a sweep that grows computes what is new, and configurations share what they have in common", "[cli]") {
    const TemporaryFolder folder;
    const std::string text = small_gain + "profiles: {smoke: {dimensions: 4}}\n";
    const std::string config = folder.write("small.yaml", text), other = folder.write("other.yaml", text);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    folder.write("small.yaml", text + "description: an edit of the same file\n");
    const std::string more = " --set dimensions=[16,8,4,2]";
    CHECK(contains(run_program("run --no-figures " + config + results).out, "3 from before"));
    CHECK(contains(run_program("run --no-figures " + other + results + more).out, "done, 4 of 4 cells, 3 from before"));
    CHECK(contains(run_program("run --no-figures --profile smoke " + other + results).out,
                   "1 of 1 cells, 1 from before"));
    CHECK(std::filesystem::exists(folder / "results/smoke/variance/other.h5"));
}

TEST_CASE("a configuration is the same by its name, its path, and its path from where one is", "[cli]") {
    const TemporaryFolder folder;
    const std::filesystem::path config = folder.write("configs/variance/small.yaml", small_gain);
    const std::string more = " --configs " + folder.file("configs") + " --results " + folder.file("results");
    const auto seed = [&](int number) {
        folder.write("configs/variance/small.yaml", small_gain + "seed: " + std::to_string(number) + "\n");
    };
    int number = 1;
    for (const std::string& named : {std::string("variance/small"), config.string(),
                                     std::filesystem::relative(config).string(), config.string()}) {
        seed(++number);
        INFO(named);
        CHECK(run_program("run --no-figures " + named + more).code == 0);
    }
}

TEST_CASE("results of one configuration do not take the place of another's unasked", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run " + config + results).code == 0);
    const std::string before = bytes_of(folder / "results/variance/small.h5");
    const std::string elsewhere = folder.write("elsewhere/small.yaml", small_gain + "seed: 3\n");
    for (const std::string& command : {config + " --set square_sums=3", elsewhere}) {
        const Outcome refused = run_program("run " + command + results);
        INFO(refused.out);
        CHECK(refused.code == 2);
        CHECK(contains(refused.out, "holds the results of another configuration"));
        CHECK((contains(refused.out, "square_sums: [3] (was [") || contains(refused.out, "seed: 3 (was 1)")));
        CHECK(contains(refused.out, "--as NAME"));
        CHECK(bytes_of(folder / "results/variance/small.h5") == before);
    }
    // Side by side, with figures and tables of their own; or in the place of the other, and back again from its cells.
    CHECK(run_program("run " + elsewhere + results + " --as mine").code == 0);
    CHECK(std::filesystem::exists(folder / "results/variance/mine/tables/mine.md"));
    CHECK(bytes_of(folder / "results/variance/small.h5") == before);
    CHECK(run_program("run --no-figures " + elsewhere + results + " --replace").code == 0);
    CHECK(bytes_of(folder / "results/variance/small.h5") != before);
    CHECK(contains(run_program("run --no-figures " + config + results + " --replace").out, "3 from before"));
    CHECK(bytes_of(folder / "results/variance/small.h5") == before);
    CHECK(run_program("verify" + results).code == 0);
    CHECK(run_program("run " + config + " " + elsewhere + " --as one" + results).code == 2);
}

TEST_CASE("stale cells are named with what has changed, kept where that is asked for, and marked", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    folder.write("small.yaml", small_gain + "seed: 2\n");
    const Outcome status = run_program("status " + config + results);
    INFO(status.out);
    CHECK(contains(status.out, "3 stale"));
    CHECK(contains(status.out, "and 2 more: seed: 2 (was 1)"));
    CHECK(contains(status.out, "  result file: it lacks 3 of these cells; seed: 2 (was 1)\n"));
    CHECK(contains(status.out, "  'rfbench run' computes what is not done and makes the result file anew\n"));
    CHECK(contains(run_program("status --json " + config + results).out, "\"stale_since\":[\"seed: 2 (was 1)\"]"));
    CHECK(contains(run_program("status " + config + results + " --set square_sums=3").out,
                   "  'rfbench run' leaves it as it is unless --replace is given; --as NAME keeps both\n"));

    const Outcome kept = run_program("run --keep-stale " + config + results);
    INFO(kept.out);
    CHECK(kept.code == 0);
    const std::string mark = "3 stale cells: seed: 2 (was 1)";
    CHECK(contains(bytes_of(folder / "results/variance/small/tables/small.md"), mark));
    CHECK(contains(bytes_of(folder / "results/variance/small/figures/small.json"), mark));
    CHECK(contains(bytes_of(folder / "results/index.html"), mark));
    CHECK(run_program("run " + config + results).code == 0);
    CHECK(!contains(bytes_of(folder / "results/variance/small/tables/small.md"), "stale"));
}

TEST_CASE("parts of a sweep are united and collected to the same bytes; cells no result needs are removed", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    CHECK(run_program("run --no-figures " + config + " --results " + folder.file("whole")).code == 0);
    for (const char* shard : {"1/2", "2/2"}) {
        const std::string part = folder.file(std::string("part") + shard[0]);
        CHECK(run_program("run " + config + " --shard " + shard + " --results " + part).code == 0);
    }
    const std::string ours = " --results " + folder.file("ours");
    const Outcome united = run_program("collect " + folder.file("part1") + " " + folder.file("part2") + ours);
    INFO(united.out);
    CHECK(united.code == 0);
    CHECK(contains(run_program("run --no-figures " + config + ours).out, "3 from before"));
    CHECK(bytes_of(folder / "ours/variance/small.h5") == bytes_of(folder / "whole/variance/small.h5"));
    CHECK(run_program("collect " + folder.file("nowhere") + ours).code == 2);
    CHECK(run_program("run " + config + " --shard 3/2" + ours).code == 2);

    CHECK(run_program("run --no-figures " + config + " --set seed=5 --as other" + ours).code == 0);
    std::filesystem::remove_all(folder / "ours/variance/other");
    std::filesystem::remove(folder / "ours/variance/other.h5");
    CHECK(contains(run_program("prune --dry-run" + ours).out, "3 cells that no collected result needs"));
    CHECK(contains(run_program("prune" + ours).out, "3 cells that no collected result needs"));
    CHECK(contains(run_program("prune --dry-run" + ours).out, "0 cells that no collected result needs"));
    CHECK(run_program("verify" + ours).code == 0);
    CHECK(run_program("prune --results " + folder.file("nowhere")).code == 4);
}

TEST_CASE("verify looks at the results of profiles too", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain + "profiles: {smoke: {dimensions: 4}}\n");
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures --profile smoke " + config + results).code == 0);
    CHECK(contains(run_program("verify" + results).out, "smoke/variance/small: every file is as it was written"));
    CHECK(run_program("verify" + results).code == 0);
    std::filesystem::remove(folder / "results/smoke/variance/small.h5");
    CHECK(run_program("verify" + results).code == 5);
    CHECK(run_program("verify --profile smoke" + results).code == 5);
    // A profile of which nothing but the file is left.
    CHECK(run_program("run --no-figures --profile smoke " + config + results).code == 0);
    std::filesystem::remove_all(folder / "results/smoke/variance/small");
    const Outcome alone = run_program("verify" + results);
    INFO(alone.out);
    CHECK(alone.code == 5);
    CHECK(contains(alone.out, "missing: " + folder.file("results/smoke/variance/small") + ": "));
    CHECK(run_program("run --no-figures --profile smoke " + config + results).code == 0);
    CHECK(run_program("verify" + results).code == 0);
}

TEST_CASE("results that come with the project are verified by themselves, and need no cells", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    const auto reference = folder / "results/reference/variance/small.h5";
    std::filesystem::create_directories(reference.parent_path());
    std::filesystem::copy_file(folder / "results/variance/small.h5", reference);
    const Outcome sound = run_program("verify" + results);
    INFO(sound.out);
    CHECK(sound.code == 0);
    CHECK(contains(sound.out, "results/reference: 1 file, every one is as it was written"));
    // Named by its path, a file is asked for its own line alone where no run's folder is beside it.
    const Outcome alone = run_program("verify " + reference.string() + results);
    INFO(alone.out);
    CHECK(alone.code == 0);
    CHECK(contains(alone.out, "small.h5: as it was written, by the line with its sha256 at its end"));
    CHECK(run_program("prune --dry-run" + results).code == 0);
    std::string bytes = bytes_of(reference.string());
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(reference, std::ios::binary) << bytes;
    const Outcome damaged = run_program("verify" + results);
    CHECK(damaged.code == 5);
    CHECK(contains(damaged.out, "results/reference: 1 file, 1 bad"));
    CHECK(contains(damaged.out, "'git checkout' brings them back"));
    CHECK(run_program("verify " + reference.string() + results).code == 5);
}

TEST_CASE("verify misses no file that is gone, nor damage that no list could tell", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain), other = folder.write("other.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures " + config + " " + other + results).code == 0);
    std::filesystem::remove(folder / "results/variance/small.h5");
    const Outcome gone = run_program("verify" + results);
    INFO(gone.out);
    CHECK(gone.code == 5);
    CHECK(contains(gone.out, "its result file is gone, and 'rfbench run' makes it from its cells again"));
    CHECK(contains(run_program("run --no-figures " + config + results).out, "3 from before"));
    CHECK(run_program("verify" + results).code == 0);

    std::string bytes = bytes_of(folder / "results/variance/small.h5");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    put_bytes(folder / "results/variance/small.h5", bytes);
    for (const char* list : {"SHA256SUMS", "journal"})
        std::filesystem::remove(folder / ("results/variance/small/" + std::string(list)));
    const Outcome unlisted = run_program("verify variance/small" + results);
    INFO(unlisted.out);
    CHECK(unlisted.code == 5);
    CHECK(contains(unlisted.out, "do not match the sha256 at its end"));
}

TEST_CASE("a damaged cell is found by verify, and mended by the run that needs it", "[cli]") {
    const TemporaryFolder folder;
    const std::string config = folder.write("small.yaml", small_gain);
    const std::string results = " --results " + folder.file("results");
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    const std::string before = bytes_of(folder / "results/variance/small.h5");
    for (const auto& pack : std::filesystem::directory_iterator(folder / "results/cells")) {
        std::string bytes = bytes_of(pack.path());
        bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
        put_bytes(pack.path(), bytes);
    }
    const Outcome found = run_program("verify" + results);
    INFO(found.out);
    CHECK(found.code == 5);
    CHECK(contains(found.out, "3 cells in 1 pack, 1 bad"));
    std::filesystem::remove(folder / "results/variance/small.h5");
    CHECK(run_program("run --no-figures " + config + results).code == 0);
    CHECK(bytes_of(folder / "results/variance/small.h5") == before);
    CHECK(run_program("verify" + results).code == 0);
}
