// Configurations that stand on others, as a user meets them: what is computed first, what is shown before, and what is
// refused.
#include <filesystem>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "small_gain.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

/// Two networks that train for no time, and a study that stands on one of them.
struct Chain {
    TemporaryFolder folder;
    const std::string teachers =
        "experiment: training\nstudy: teachers\n"
        "sources: [{use: recall, length: 8, vocabulary: 8, pairs: 1, steps: 2, batch: 2}]\n"
        "layers: 2\nheads: 1\nwidth: 4\ninner: 4\nevaluations: 1\njudged: 2\nkept: 2\nseeds: 2\n";
    const std::string freedom =
        "experiment: dof\nstudy: layers\nheads: {use: network, from: training/small, source: recall, sequences: 2}\n"
        "points: 8\nlambdas: 0.1\n";

    Chain() {
        folder.write("configs/training/small.yaml", teachers);
        folder.write("configs/dof/freedom.yaml", freedom);
    }
    Outcome rfbench(const std::string& command) const {
        return run_program(command + " --configs " + folder.file("configs") + " --results " + folder.file("results"));
    }
    std::string result(const std::string& name) const { return bytes_of(folder / ("results/" + name + ".h5")); }
};

}  // namespace

TEST_CASE("run computes what a configuration stands on first, and plan and status say what it waits for", "[cli]") {
    const Chain chain;
    const std::string waits = "dof/freedom: stands on training/small, which is not collected yet";
    for (const char* verb : {"plan", "status"}) {
        const Outcome before = chain.rfbench(std::string(verb) + " dof/freedom");
        INFO(before.out);
        CHECK(before.code == 0);
        CHECK(before.out.find("2 cells") < before.out.find(waits));
        CHECK(contains(before.out, waits));
    }
    // Tables of what is done are shown beside it.
    chain.folder.write("configs/variance/gain.yaml", small_gain);
    REQUIRE(chain.rfbench("run --no-figures variance/gain").code == 0);
    const Outcome partial = chain.rfbench("table --partial variance/gain dof/freedom");
    INFO(partial.out);
    CHECK(partial.code == 0);
    CHECK(contains(partial.out, "note: dof/freedom stands on training/small, which is not collected yet"));
    CHECK(chain.rfbench("table --partial dof/freedom").code == 2);
    const Outcome run = chain.rfbench("run --no-figures dof/freedom");
    INFO(run.out);
    REQUIRE(run.code == 0);
    CHECK(run.out.find("training/small: done, 2 of 2 cells") < run.out.find("dof/freedom: done, 2 of 2 cells"));
    const Outcome after = chain.rfbench("plan dof/freedom");
    CHECK(contains(after.out, "stands on training/small"));
    CHECK(contains(after.out, "nothing to compute"));
    CHECK(!contains(after.out, "not collected"));
    // Anew is what was named, not the networks it stands on.
    const Outcome fresh = chain.rfbench("run --no-figures --fresh dof/freedom");
    INFO(fresh.out);
    CHECK(contains(fresh.out, "training/small: done, 2 of 2 cells, 2 from before"));
    CHECK(contains(fresh.out, "dof/freedom: done, 2 of 2 cells"));
    CHECK(!contains(fresh.out, "dof/freedom: done, 2 of 2 cells, 2 from before"));
    // A file that was changed since is named, and what is wrong with it.
    chain.folder.write("results/training/small.h5", "no result");
    const Outcome damaged = chain.rfbench("plan dof/freedom");
    CHECK(contains(damaged.out, waits));
    CHECK(contains(damaged.out, "\n  the file of training/small: "));
}

TEST_CASE("what stands on a network depends on its weights, and on nothing else of its configuration", "[cli]") {
    const Chain chain;
    REQUIRE(chain.rfbench("run --no-figures dof/freedom").code == 0);
    const std::string before = chain.result("dof/freedom");
    // Another seed beside the first: other cells of the foundation, the same weights.
    chain.folder.write("configs/training/small.yaml", chain.teachers + "description: edited\nwarmup_steps: 20\n");
    std::string more = chain.teachers;
    more.replace(more.find("seeds: 2"), 8, "seeds: 3");
    chain.folder.write("configs/training/small.yaml", more);
    const Outcome same = chain.rfbench("run --no-figures dof/freedom");
    INFO(same.out);
    CHECK(contains(same.out, "training/small: done, 3 of 3 cells, 2 from before"));
    CHECK(contains(same.out, "dof/freedom: done, 2 of 2 cells, 2 from before"));
    CHECK(chain.result("dof/freedom") == before);
    // Other weights.
    more.replace(more.find("steps: 2"), 8, "steps: 3");
    chain.folder.write("configs/training/small.yaml", more);
    const Outcome other = chain.rfbench("run --no-figures dof/freedom");
    INFO(other.out);
    CHECK(contains(other.out, "dof/freedom: done, 2 of 2 cells, "));
    CHECK(!contains(other.out, "dof/freedom: done, 2 of 2 cells, 2 from before"));
    CHECK(chain.result("dof/freedom") != before);
}

TEST_CASE("a foundation is computed in the profile that was asked for, and without what was set for others", "[cli]") {
    const Chain chain;
    chain.folder.write("configs/training/small.yaml", chain.teachers + "profiles: {smoke: {seeds: 1}}\n");
    chain.folder.write("configs/dof/freedom.yaml", chain.freedom + "minutes: 3\nprofiles: {smoke: {points: 4}}\n");
    CHECK(contains(chain.rfbench("plan dof/freedom").out, "known then; about 3 min 00 s on two cores"));
    CHECK(contains(chain.rfbench("plan --profile smoke dof/freedom").out,
                   "known then; by the values in its file about 3 min 00 s on two cores"));
    const Outcome run = chain.rfbench("run --no-figures --profile smoke dof/freedom --set lambdas=0.2");
    INFO(run.out);
    CHECK(run.code == 0);
    CHECK(contains(run.out, "smoke/training/small: done, 1 of 1 cells"));
    CHECK(std::filesystem::exists(chain.folder / "results/smoke/dof/freedom.h5"));
    CHECK(!std::filesystem::exists(chain.folder / "results/training/small.h5"));
}

TEST_CASE("a configuration that stands on itself is refused before anything is computed", "[cli]") {
    const Chain chain;
    const auto refused = [&](const std::string& from, const std::string& sentence) {
        chain.folder.write("configs/dof/freedom.yaml",
                           "experiment: dof\nstudy: layers\nheads: {use: network, from: " + from + ", source: x}\n");
        const Outcome outcome = chain.rfbench("run --no-figures dof/freedom");
        INFO(outcome.out);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.out, "freedom.yaml:3:29: heads.from: "));
        CHECK(contains(outcome.out, sentence));
        CHECK(!std::filesystem::exists(chain.folder / "results"));
    };
    refused("dof/freedom", "cannot stand on itself: dof/freedom -> dof/freedom\n");
    refused("training/smal", "Did you mean 'training/small'?");
    refused("dof", "does not name one configuration");
    // By its file, whatever the folder is called.
    chain.folder.write("configs/other/freedom.yaml",
                       "experiment: dof\nstudy: layers\nheads: {use: network, from: other/freedom, source: x}\n");
    CHECK(contains(chain.rfbench("run --no-figures other/freedom").out, "cannot stand on itself"));
    chain.folder.write("configs/dof/other.yaml",
                       "experiment: dof\nstudy: layers\nheads: {use: network, from: dof/freedom, source: x}\n");
    chain.folder.write("configs/dof/freedom.yaml",
                       "experiment: dof\nstudy: layers\nheads: {use: network, from: dof/other, source: x}\n");
    CHECK(contains(chain.rfbench("run --no-figures dof/freedom").out,
                   "itself: dof/freedom -> dof/other -> dof/freedom\n"));
}

TEST_CASE("what a foundation will not have is refused with its place before anything is trained", "[cli]") {
    const Chain chain;
    const auto refused = [&](const std::string& set, const std::string& sentence) {
        for (const char* verb : {"plan", "run --no-figures"}) {
            const Outcome outcome = chain.rfbench(std::string(verb) + " dof/freedom --set " + set);
            INFO(outcome.out);
            CHECK(outcome.code == 2);
            CHECK(contains(outcome.out, sentence));
            CHECK(!std::filesystem::exists(chain.folder / "results"));
        }
    };
    refused("heads.source=recal",
            "heads.source: training/small trains no network of 'recal'; it has recall. Did you mean 'recall'?");
    refused("heads.seed=2", "heads.seed: 2 is asked for; the seeds of training/small are 0 to 1");
    refused("heads.layers=[1,3]", "heads.layers: 3 is asked for; the networks of training/small have 2 layers");
    refused("heads.heads=2", "heads.heads: 2 is asked for; the networks of training/small have 1 heads");
    refused("heads.sequences=3", "heads.sequences: 3 are asked for; training/small keeps 2 of each source ('kept')");
    refused("heads.length=9", "heads.length: 9 tokens are asked for; sequences of 'recall' in training/small have 8");
    // Points of one head, and a configuration that trains no networks for others; the profile is named.
    chain.folder.write("configs/variance/gain.yaml",
                       "experiment: variance\nstudy: pairwise\nmethods: [positive]\ngammas: 1\nrows: 2\nrepeats: 1\n"
                       "points:\n  - use: heads\n    heads: {use: network, from: training/small, source: recall}\n"
                       "    layer: 3\nprofiles: {smoke: {rows: 3}}\n");
    chain.folder.write("configs/training/small.yaml", chain.teachers + "profiles: {smoke: {seeds: 1}}\n");
    const Outcome points = chain.rfbench("plan variance/gain --profile smoke");
    INFO(points.out);
    CHECK(points.code == 2);
    CHECK(contains(points.out,
                   "gain.yaml:10:12: points.0.layer: 3 is asked for; the networks of training/small in "
                   "profile smoke have 2 layers"));
    chain.folder.write("configs/conversion/mine.yaml",
                       "experiment: conversion\nstudy: recovery\nfrom: training/small\nmethods: [exact, uniform]\n"
                       "sources: [{use: lists, steps: 1, batch: 2}]\ncolumns: 8\nseeds: 1\n");
    const Outcome conversion = chain.rfbench("plan conversion/mine");
    INFO(conversion.out);
    CHECK(conversion.code == 2);
    CHECK(contains(conversion.out,
                   "mine.yaml:5:11: sources.0: training/small trains no network of 'lists'; it has recall."));
    chain.folder.write("configs/conversion/mine.yaml",
                       "experiment: conversion\nstudy: recovery\nfrom: training/small\nmethods: [exact, uniform]\n"
                       "sources: [{use: model, folder: x, text: y, steps: 1}]\ncolumns: 8\nseeds: 1\n");
    CHECK(contains(chain.rfbench("plan conversion/mine").out,
                   "mine.yaml:3:7: from: no source takes a network from it: models come with theirs"));
    const auto method_refused = [&](const std::string& methods, const std::string& sentence) {
        chain.folder.write("configs/conversion/mine.yaml",
                           "experiment: conversion\nstudy: recovery\nfrom: training/small\nmethods: [" + methods +
                               "]\nsources: [{use: recall, steps: 1, batch: 2}]\ncolumns: 8\nseeds: 1\n");
        const Outcome outcome = chain.rfbench("run --no-figures conversion/mine");
        INFO(outcome.out);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.out, sentence));
        CHECK(!std::filesystem::exists(chain.folder / "results"));
    };
    method_refused("exact, positive",
                   "mine.yaml:4:10: methods: there is no 'uniform', at which recovery begins: add it");
    method_refused("uniform, positive", "methods: there is no 'exact', softmax that is tuned on");
    method_refused("exact, uniform, {use: positive, kept: 3}",
                   "methods.2.kept: 3 is asked for; the networks of training/small have 2 layers");
    chain.folder.write("configs/dof/other.yaml",
                       "experiment: dof\nstudy: layers\nheads: {use: network, from: "
                       "dof/freedom, source: x}\n");
    CHECK(contains(chain.rfbench("plan dof/other").out,
                   "other.yaml:3:29: heads.from: dof/freedom keeps no networks; training/teachers does"));
}

TEST_CASE("what a foundation does not have is refused with its place, and what was computed stays", "[cli]") {
    const Chain chain;
    REQUIRE(chain.rfbench("run --no-figures dof/freedom").code == 0);
    const auto refused = [&](const std::string& set, const std::string& sentence) {
        const Outcome outcome = chain.rfbench("run --no-figures dof/freedom --set " + set);
        INFO(outcome.out);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.out, sentence));
        CHECK(std::filesystem::exists(chain.folder / "results/training/small.h5"));
    };
    refused("heads.source=recal", "training/small trains no network of 'recal'");
    // Damaged: made anew from its cells.
    chain.folder.write("results/training/small.h5", "no result\n");
    const Outcome mended = chain.rfbench("run --no-figures dof/freedom");
    INFO(mended.out);
    CHECK(mended.code == 0);
    CHECK(contains(mended.out, "training/small: done, 2 of 2 cells, 2 from before"));
}

TEST_CASE("reproduce finds what a result stands on beside it or in the results folder, or says what lacks", "[cli]") {
    const Chain chain;
    REQUIRE(chain.rfbench("run --no-figures dof/freedom").code == 0);
    const std::string results = " --results " + chain.folder.file("results");
    CHECK(run_program("reproduce dof/freedom" + results).code == 0);
    chain.folder.write("alone/dof/freedom.h5", chain.result("dof/freedom"));
    const std::string alone = "reproduce " + chain.folder.file("alone/dof/freedom.h5");
    CHECK(run_program(alone + results).code == 0);
    // A file that says what it has left out is no foundation, even where it lies beside.
    store::Dataset part = store::read(chain.folder / "results/training/small.h5");
    part.attributes["left_out"] = "weights";
    std::filesystem::create_directories(chain.folder / "alone/training");
    store::write(chain.folder / "alone/training/small.h5", part);
    CHECK(run_program(alone + results).code == 0);
    const Outcome lacking = run_program(alone + " --results " + chain.folder.file("empty"));
    INFO(lacking.out);
    CHECK(lacking.code == 2);
    CHECK(contains(lacking.out, "freedom.h5 stands on training/small, whose result is neither in "));
    CHECK(contains(lacking.out, "'rfbench run training/small' computes it"));
}

TEST_CASE("export writes the networks that GPT-2's layout can hold, and names the others", "[cli]") {
    const Chain chain;
    chain.folder.write("text", std::string(400, 'a') + " text of ours, " + std::string(400, 'b'));
    const std::string text = "{use: text, text: " + chain.folder.file("text") + ", length: 4, steps: 1, batch: 2}, ";
    std::string both = chain.teachers;
    both.insert(both.find("{use: recall"), text);
    chain.folder.write("configs/training/small.yaml", both);
    REQUIRE(chain.rfbench("run --no-figures training/small").code == 0);
    const auto exported = [&] {
        return run_program("export " + chain.folder.file("results/training/small.h5") + " --folder " +
                           chain.folder.file("networks"));
    };
    const Outcome written = exported();
    INFO(written.out);
    CHECK(written.code == 0);
    CHECK(contains(
        written.out,
        "left out: recall, seed 1: gpt2: its layout cannot hold a vocabulary of 8 tokens in place of the 256 bytes"));
    for (const char* seed : {"0", "1"})
        CHECK(
            std::filesystem::exists(chain.folder / (std::string("networks/text-seed-") + seed + "/model.safetensors")));
    // They are heads of a model as well, the same as of the network.
    chain.folder.write("reading", std::string(60, 'c'));
    chain.folder.write(
        "configs/dof/freedom.yaml",
        "experiment: dof\nstudy: layers\nheads: {use: model, folder: " + chain.folder.file("networks/text-seed-0") +
            ", text: " + chain.folder.file("reading") + ", length: 4}\npoints: 8\n");
    CHECK(chain.rfbench("run --no-figures dof/freedom").code == 0);
    const Outcome none = run_program("export " + chain.folder.file("results/dof/freedom.h5") + " --folder x");
    CHECK(none.code == 2);
    CHECK(contains(none.out, "it keeps no networks"));
    const Outcome weightless = run_program("export training/teachers --reference --folder x");
    INFO(weightless.out);
    CHECK(weightless.code == 2);
    CHECK(contains(weightless.out, "this file was stored without weights"));
    CHECK(!contains(weightless.out, "note: left out"));
}

TEST_CASE("shards of a chain: those of the foundation, its collection, then those that stand on it", "[cli]") {
    const Chain chain;
    const Outcome written = chain.rfbench("slurm dof/freedom --tasks 2");
    INFO(written.out);
    REQUIRE(written.code == 0);
    CHECK(contains(written.out, "foundations.sh: collects training/small"));
    const auto order = [&](const char* script, std::size_t from) { return written.out.find(script, from); };
    const std::size_t begin = order("sbatch --parsable tasks.sh", 0);
    CHECK(order("} collect.sh", order("} tasks.sh", order("} foundations.sh", begin))) != std::string::npos);
    CHECK(contains(bytes_of(chain.folder / "results/slurm/foundations.sh"), "run training/small"));
    for (const char* shard : {"1/2", "2/2"}) {
        const Outcome first = chain.rfbench(std::string("run --no-figures dof/freedom --shard ") + shard);
        INFO(first.out);
        CHECK(first.code == 0);
        CHECK(contains(first.out, "dof/freedom is left out: it stands on training/small"));
    }
    CHECK(contains(chain.rfbench("run --no-figures training/small").out, "2 of 2 cells, 2 from before"));
    for (const char* shard : {"1/2", "2/2"})
        CHECK(!contains(chain.rfbench(std::string("run --no-figures dof/freedom --shard ") + shard).out, "left out"));
    CHECK(
        contains(chain.rfbench("run --no-figures dof/freedom").out, "dof/freedom: done, 2 of 2 cells, 2 from before"));
}
