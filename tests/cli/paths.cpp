// Paths in a configuration are relative to its folder, and messages about them have their line and column.
#include <filesystem>

#include "catch.hpp"
#include "program.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

TEST_CASE("files of every kind are found beside the configuration, wherever the program is started", "[cli]") {
    const TemporaryFolder folder;
    struct Case {
        const char* key;  ///< of the configuration, whose path is named `file`
        const char* yaml;
    };
    for (const Case& one :
         {Case{"points.x",
               "experiment: variance\nstudy: regimes\nmethods: [positive]\ngammas: 1\nrows: 4\nrepeats: 2\n"
               "points: {use: file, x: file}\n"},
          Case{"methods.0.from",
               "experiment: attention\nstudy: error\ncolumns: 16\nrepeats: 2\n"
               "heads: {use: normal, length: 8, dimension: 4}\n"
               "methods: [{use: luna, from: {file: file}}]\n"},
          Case{"heads.file",
               "experiment: attention\nstudy: error\nmethods: [positive]\ncolumns: 16\nrepeats: 2\n"
               "heads: {use: file, file: file}\n"},
          Case{"heads.folder",
               "experiment: attention\nstudy: error\nmethods: [positive]\ncolumns: 16\nrepeats: 2\n"
               "heads: {use: model, text: file, length: 4, folder: file}\n"},
          Case{"images",
               "experiment: training\nstudy: images\nmethods: [exact]\nsteps: 1\nrates: 1\nseeds: 2\n"
               "images: {use: file, training: [file, labels], test: [file, labels]}\n"},
          Case{"text",
               "experiment: training\nstudy: text\nmethods: [exact]\nsteps: 1\nrates: 1\nseeds: 2\n"
               "text: file\n"}}) {
        INFO(one.key);
        std::filesystem::remove(folder / "mine/file");
        const std::string plan = "plan " + folder.write("mine/own.yaml", one.yaml);
        const Outcome missing = run_program(plan);
        INFO(missing.out);
        CHECK(missing.code != 0);
        CHECK(contains(missing.out, folder.file("mine/own.yaml") + ":"));
        CHECK(contains(missing.out, std::string(": ") + one.key));
        // A file that is there is none of this kind: the message names which one was read.
        folder.write("mine/file", "\xff");
        folder.write("mine/labels", "\xff");
        const Outcome found = run_program(plan);
        INFO(found.out);
        CHECK(found.code != 0);
        CHECK((contains(found.out, folder.file("mine/file")) || contains(found.out, "is no UTF-8")));
    }
}
