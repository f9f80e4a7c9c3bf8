// Reports of a result, by the study that made it.
#include "study/configuration.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "rfbench_places.hpp"
#include "study/former_names.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using rfbench::tests::contains;
using rfbench::tests::refusal;
using rfbench::tests::TemporaryFolder;

TEST_CASE("a report that fails says which study's it is; a file that names no study is the file's mistake",
          "[experiments]") {
    store::Dataset empty;
    empty.attributes["study"] = "variance/angle";
    const std::string said = refusal<StudyError>([&] { report_of(empty); });
    INFO(said);
    CHECK(said.starts_with("the report of the study variance/angle failed: "));
    CHECK(said.size() > std::string("the report of the study variance/angle failed: ").size());
    CHECK(contains(refusal<FileError>([] { report_of({}); }), "it is no collected result"));
}

TEST_CASE("what has another name now says so, and its results of before are read", "[experiments]") {
    for (const char* before : {"attention/cost", "attention/decoding", "conversion/decoding", "training/low-memory",
                               "training/network-cost"}) {
        const std::string name = before, now = present_name(name);
        CAPTURE(name, now);
        const std::size_t slash = name.find('/');
        CHECK(refusal<InputError>([&] { find(name.substr(0, slash), name.substr(slash + 1)); }) ==
              "the study '" + name + "' is called '" + now + "' now.");
        CHECK(refusal<InputError>([&] { configuration_files(RFBENCH_SOURCE_DIR "/configs", {name}); }) ==
              "the configuration '" + name + "' is called '" + now + "' now.");
        CHECK(configuration_files(RFBENCH_SOURCE_DIR "/configs", {now}).size() == 1);
        store::Dataset empty;
        empty.attributes["study"] = name;
        CHECK(contains(refusal<StudyError>([&] { report_of(empty); }), "the report of the study " + now + " failed: "));
    }
    CHECK(present_name("variance/gain") == "variance/gain");
}

TEST_CASE("keys that have another name now say so at their place, and stored configurations are read",
          "[experiments]") {
    const TemporaryFolder folder;
    const std::string written =
        "experiment: training\nstudy: text\nmethods: [relu]\nsteps: 4\nrates: [0.01]\nseeds: 2\n";
    const auto said = [&](const std::string& text) {
        return refusal<config::Error>([&] { load_configuration(folder.write("mine.yaml", text), {}); });
    };
    const std::string all = said(written + "looks: 2\nwarm: 1\nbeginning: 0.1\ntrial: 0.5\nlongest_gradient: 1\n");
    INFO(all);
    CHECK(contains(all, "mine.yaml:7:1: looks: this key is called 'evaluations' now."));
    CHECK(contains(all, "mine.yaml:8:1: warm: this key is called 'warmup_steps' now."));
    CHECK(contains(all, "mine.yaml:9:1: beginning: this key is called 'initial_scale' now."));
    CHECK(contains(all, "mine.yaml:10:1: trial: this key is called 'trial_share' now."));
    CHECK(contains(all, "mine.yaml:11:1: longest_gradient: this key is called 'max_gradient_norm' now."));
    // A study without such a key says what keys there are.
    CHECK(contains(said("experiment: variance\nstudy: gain\nlooks: 2\n"), "looks: there is no such key."));
    // Only keys of the whole configuration have other names, not what stands deeper, and not values.
    CHECK(with_present_keys("looks: 3\nwarmer: 2\ntext: \"warm: 2\"\nmethods:\n  trial: 1\nwarm: 5") ==
          "evaluations: 3\nwarmer: 2\ntext: \"warm: 2\"\nmethods:\n  trial: 1\nwarmup_steps: 5");
    const std::string stored = with_present_keys(written + "looks: 2\nwarm: 1\n");
    const auto read = load_configuration(folder.write("stored.yaml", stored), {});
    CHECK(read.value.at("evaluations").integer() == 2);
    CHECK(read.value.at("warmup_steps").integer() == 1);
}
