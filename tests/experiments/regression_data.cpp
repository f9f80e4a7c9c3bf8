// Data sets of regression studies: files of a user's, and what is refused or told.
#include <cstdlib>

#include "catch.hpp"
#include "cells.hpp"
#include "parsed.hpp"
#include "rfbench/datasets/generators.hpp"
#include "rfbench/datasets/own_manifest.hpp"
#include "rfbench/store/sha256.hpp"
#include "small_set.hpp"
#include "study/project.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

TEST_CASE("regression: a file with car's rows has car's accuracies, bit by bit", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string car = datasets::generate("car");
    const std::string rows = car.substr(0, car.rfind('\n', car.size() - 2) + 1);  // the thesis drops the last
    const std::string file = folder.write("mine.csv", "buying,maint,doors,persons,boot,safety,class\n" + rows);
    const auto accuracies = [&](const std::string& data_set, const std::string& label) {
        const Study& study = find("regression", "accuracy");
        const Sweep sweep = study.prepare(parsed(study, "datasets: [" + data_set +
                                                            "]\nmethods: [positive, exact]\ngammas: [0.1, 0.5]\n"
                                                            "columns: 16\nrepeats: 2\nencoding: [one-hot, ordinal]\n"));
        const auto data = computed_at(sweep, "dataset=" + label);
        std::vector<double> all = values(data, "test_accuracy");
        all.insert(all.end(), values(data, "validation_accuracy").begin(), values(data, "validation_accuracy").end());
        return all;
    };
    const std::string mine = "{use: file, file: " + file + ", label: class, categories: [doors, persons]";
    const auto ours = accuracies("car", "car");
    CHECK(tests::same_bits(accuracies(mine + ", name: car}", "car"), ours));
    CHECK_FALSE(tests::same_bits(accuracies(mine + "}", "mine"), ours));
    // Added to the user's manifest it is named as ours are.
    setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    datasets::add_own(datasets::own_manifest_path(), data_manifest(), "added", file,
                      {"class", {"doors", "persons"}, {}});
    const auto added = accuracies("added", "added");
    CHECK(tests::same_bits(added, accuracies(mine + ", name: added}", "added")));
    CHECK_FALSE(tests::same_bits(added, ours));
    unsetenv("XDG_DATA_HOME");
    // A column less is other data, and so is another class.
    const auto sweep_of = [&](const std::string& entry) {
        const Study& study = find("regression", "accuracy");
        return study.prepare(parsed(study, "datasets: [" + entry + "]\nmethods: [majority]\n"));
    };
    const Sweep whole = sweep_of(mine + "}");
    CHECK(whole.data[0] == std::vector<std::string>{store::sha256(tests::bytes_of(file))});
    CHECK(sweep_of(mine + ", name: car}").contents[0] == whole.contents[0]);
    CHECK(sweep_of(mine + ", ignored: [boot]}").contents[0] != whole.contents[0]);
    CHECK(sweep_of("{use: file, file: " + file + ", label: safety, categories: [doors, persons]}").contents[0] !=
          whole.contents[0]);
}

TEST_CASE("regression: what a data set cannot be is refused with its place", "[experiments]") {
    const tests::TemporaryFolder folder;
    const auto says = [](const std::string& rest, const std::string& sentence) {
        const std::string all = tests::refusal(
            [&] { prepared(find("regression", "ridge"), "methods: [exact]\ndatasets: " + rest + "\n"); });
        INFO(all);
        CHECK(tests::contains(all, sentence));
    };
    std::string rows = "a,b,class\n";
    for (int i = 0; i < 24; ++i) rows += fmt::format("{},{},{}\n", i, i % 5, i % 2 == 0 ? "red" : "blue");
    const std::string file = folder.write("mine.csv", rows), mine = "{use: file, file: " + file;
    says("[cra]", "test.yaml:4:12: datasets.0: must be the name of a data set, not 'cra'. Did you mean 'car'?");
    says("[" + mine + "}]", "datasets.0.label");
    says("[" + mine + ", label: clas}]",
         "mine.csv:1: there is no column 'clas', which is given as the class; there are "
         "a, b, class. Did you mean 'class'?");
    says("[car, " + mine + ", label: class, name: car}]", "an earlier data set is called 'car' too");
    says("[" + mine + ", label: class}]\nnumeric: [mine]", "class 'red' of data set 'mine' is no number");
    says("[{use: file, file: " + folder.write("few.csv", "a,class\n1,x\n2,y\n") + ", label: class}]",
         "few.csv: has 2 rows; 20 are needed");
    says("[{use: file, file: " + folder.file("none.csv") + ", label: class}]", "none.csv");
    CHECK_NOTHROW(prepared(find("regression", "ridge"), "methods: [exact]\nnumeric: [mine]\ndatasets: [" + mine +
                                                            ", label: b, ignored: [class]}]\n"));
}

TEST_CASE("regression/ridge predicts a label of numbers, which accuracy refuses; dropped rows are told",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string rows = "a,b,y\n";
    for (int i = 0; i < 40; ++i) rows += fmt::format("{},{},{}\n", i % 7, i % 5, 0.25 + i % 7);
    const std::string mine =
        "{use: file, file: " + folder.write("mine.csv", rows + "?,1,0.25\n") + ", label: y, missing: drop";
    const std::string rest = "methods: [exact]\ngammas: 0.5\nlambdas: 0.001\ndatasets: [" + mine + "}]\n";
    const Study& study = find("regression", "ridge");
    const Sweep sweep = prepared(study, rest);
    CHECK(sweep.notes == std::vector<std::string>{"'mine': 1 of 41 rows have a missing value and are left out"});
    const auto data = computed_at(sweep, "method=exact");
    // The label is a + 1/4: ridge regression errs by little, where its mean errs by 2.
    CHECK(value(data, "test_rmse") < 0.2);
    CHECK(std::isnan(value(data, "test_error")));
    const std::string said = tests::refusal(
        [&] { prepared(find("regression", "accuracy"), "methods: [exact]\ndatasets: [" + mine + "}]\n"); });
    CHECK(tests::contains(said, "datasets.0.label: column 'y' has 7 different numbers, some with fractions"));
    CHECK_NOTHROW(
        prepared(find("regression", "accuracy"), "methods: [exact]\ndatasets: [" + mine + ", target: class}]\n"));
}

TEST_CASE("regression: targets are the numbers that the data set's reader takes, the smallest too", "[experiments]") {
    const tests::TemporaryFolder folder;
    std::string rows = "a,y\n";
    for (int i = 0; i < 40; ++i) rows += fmt::format("{},{}\n", i % 7, i % 2 == 0 ? "1e-310" : "0.5");
    const std::string rest =
        "methods: [exact]\ngammas: 0.5\ndatasets: [{use: file, file: " + folder.write("mine.csv", rows) +
        ", label: y}]\n";
    for (const auto& [study, keys] : {std::pair("ridge", "lambdas: 1\n"), {"nadaraya-watson", "splits: 1\n"}}) {
        const auto data = computed_at(prepared(find("regression", study), rest + keys), "method=exact");
        const double error = value(data, "test_rmse");
        CHECK((error > 0 && error < 0.5));
    }
}
