// Points of the user's beside those of the regimes.
#include "sources/point_sets.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "datasets/scene.hpp"
#include "experiments/cells.hpp"
#include "project.hpp"
#include "rfbench/datasets/digits.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/normal_points.hpp"
#include "support/same_bits.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;
using rfbench::tests::same_bits;

namespace {

const Study& regimes() { return find("variance", "regimes"); }

Sweep over(const std::string& points, const std::string& rest = "gammas: [0.5, 1]\nrows: 8\nrepeats: 2\n") {
    return prepared(regimes(), "methods: [positive, optimal-positive]\npoints: [" + points + "]\n" + rest);
}

/// In the shortest text that reads back to the same bits.
std::string csv(const Points& points) {
    std::string text;
    for (Index i = 0; i < points.rows(); ++i)
        for (Index l = 0; l < points.cols(); ++l)
            text += fmt::format("{}{}", points(i, l), l + 1 < points.cols() ? "," : "\n");
    return text;
}

std::vector<double> numbers(const Points& points) { return {points.data(), points.data() + points.size()}; }

/// All means, and deviations, of a regime.
std::vector<double> measured(const Sweep& sweep, const std::string& regime) {
    const auto data = computed_at(sweep, "regime=" + regime);
    std::vector<double> all = values(data, "mean_log_variance");
    all.insert(all.end(), values(data, "sd_log_variance").begin(), values(data, "sd_log_variance").end());
    return all;
}

Points some_points(std::uint64_t seed, Index rows, Index dimension) {
    Projections entries(dimension, rows);
    fill_normal(Stream(seed), entries);
    return entries.transpose();
}

std::string refused_points(const std::string& points) {
    return tests::refusal([&] { over(points); });
}

}  // namespace

TEST_CASE("a file with the digits' points, called digits, has the digits' values", "[experiments]") {
    const tests::TemporaryFolder folder;
    const auto images = datasets::digits("optdigits", data_manifest(), data_places(), [](const std::string&) {});
    const std::string file = folder.write("mine.csv", csv(images.points));
    const auto ours = measured(over("digits"), "digits");
    CHECK(same_bits(measured(over("{use: file, x: " + file + ", label: digits}"), "digits"), ours));
    CHECK_FALSE(same_bits(measured(over("{use: file, x: " + file + "}"), "file"), ours));
}

TEST_CASE("points are the same from CSV, .npy and HDF5; data are known by their bytes", "[experiments]") {
    const tests::TemporaryFolder folder;
    const Points x = some_points(1, 9, 3), y = some_points(2, 5, 3);
    const std::string y_file = folder.write("y.csv", csv(y));
    const auto array = [&](const Points& points) {
        return scene::npy("<f8", "9, 3", scene::bytes_of(numbers(points)));
    };
    folder.write("x.csv", csv(x));
    folder.write("x.npy", array(x));
    store::write(folder.file("x.h5"), {{{"row", std::vector<double>(9), "", ""}, {"l", std::vector<double>(3), "", ""}},
                                       {{"x", {"row", "l"}, numbers(x), "", ""}},
                                       {}});
    std::vector<double> first;
    for (const char* name : {"x.csv", "x.npy", "x.h5:/x"}) {
        INFO(name);
        const auto found = measured(over("{use: file, x: \"" + folder.file(name) + "\", y: " + y_file + "}"), "file");
        if (first.empty()) first = found;
        CHECK(same_bits(found, first));
    }
    const auto data = [&] { return over("{use: file, x: " + folder.file("x.npy") + ", y: " + y_file + "}").data[0]; };
    const auto before = data();
    folder.write("x.npy", array(2 * x));
    CHECK(data() != before);
    folder.write("x.npy", array(x));
    CHECK(data() == before);
    folder.write("y.csv", csv(2 * y));
    CHECK(data() != before);
}

TEST_CASE("points of files: rows of each, disjoint where both sets are of one file, standardized together",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const Points x = some_points(3, 7, 2), y = (some_points(4, 4, 2).array() * 3 + 5).matrix();
    const std::string files = "x: " + folder.write("x.csv", csv(x)) + ", y: " + folder.write("y.csv", csv(y));
    const auto source = [&](const std::string& entry) {
        return point_source(parsed(regimes(), "methods: [positive]\npoints: {use: file, " + entry +
                                                  "}\ngammas: 1\nrows: 2\nrepeats: 1\n")
                                .at("points")
                                .items()[0],
                            [](const std::string&) {});
    };
    const auto sorted = [](const Points& points) {
        std::vector<std::pair<double, double>> rows;
        for (Index i = 0; i < points.rows(); ++i) rows.emplace_back(points(i, 0), points(i, 1));
        std::sort(rows.begin(), rows.end());
        return rows;
    };
    const PointSets all = source(files)->draw(Stream(1), 100);
    CHECK(sorted(all.x) == sorted(x));
    CHECK(sorted(all.y) == sorted(y));

    const PointSets halves = source("x: " + folder.file("x.csv"))->draw(Stream(1), 100);
    REQUIRE(halves.x.rows() == 3);
    REQUIRE(halves.y.rows() == 3);
    Points both(6, 2);
    both << halves.x, halves.y;
    auto rows = sorted(both);
    CHECK(std::unique(rows.begin(), rows.end()) == rows.end());

    const PointSets scaled = source(files + ", standardize: true")->draw(Stream(1), 100);
    Points joint(11, 2);
    joint << scaled.x, scaled.y;
    for (Index l = 0; l < 2; ++l) {
        CHECK(joint.col(l).mean() == Approx(0).margin(1e-14));
        CHECK(joint.col(l).squaredNorm() / 11 == Approx(1).epsilon(1e-14));
        CHECK(std::abs(scaled.y.col(l).mean()) > 0.1);
    }
}

TEST_CASE("what points cannot be is refused, with file, dataset, row and column", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string x = folder.write("x.csv", "a,b\n1,2\n3,4\n"), wide = folder.write("wide.csv", "1,2,3\n");
    const auto says = [](const std::string& points, const std::string& sentence) {
        const std::string all = refused_points(points);
        INFO(all);
        CHECK(contains(all, sentence));
    };
    says("{use: file, x: " + folder.write("bad.csv", "a,b\n1,2\n3,nan\n") + "}", "bad.csv:3:2: ");
    says("{use: file, x: " + folder.write("ragged.csv", "1,2\n3\n") + "}", "ragged.csv:2: has 1 columns");
    says("{use: file, x: " + folder.write("one.csv", "1,2\n") + "}", "one.csv: has one point");
    says("{use: file, x: " + x + ", y: " + wide + "}", "wide.csv: has 3 columns, but " + x + " has 2");
    says("{use: file, x: " + folder.file("none.csv") + "}", "none.csv: there is no such file");
    says("{use: file}", "test.yaml:4:10: points.0.x: ");
    says("{use: spere}", "Did you mean 'sphere'? There are: normal, sphere, heterogen, digits, mnist, file.");
    says("{use: digits, dimension: 3}", "'digits' takes no such key");
    says("normal, {use: normal, dimension: 3}", "an earlier source is called 'normal' too; give this one a label");
    store::write(folder.file("x.h5"), {{{"row", std::vector<double>(2), "", ""}, {"l", std::vector<double>(2), "", ""}},
                                       {{"x", {"row", "l"}, {1, 2, NAN, 4}, "", ""}},
                                       {}});
    says("{use: file, x: \"" + folder.file("x.h5") + ":/x\"}", "x.h5:/x[1, 0]: NaN is not finite");
}

TEST_CASE("a source that is optional is left out with a note where its data are not here, not where they are bad",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string none = folder.file("none.csv"), bad = folder.write("bad.csv", "1,x\n2,3\n");
    const Sweep sweep = over("normal, {use: file, x: " + none + ", optional: true}");
    CHECK(std::get<std::vector<std::string>>(sweep.axes[0].labels) == std::vector<std::string>{"normal"});
    REQUIRE(sweep.notes.size() == 1);
    CHECK(sweep.notes[0] == "'file' is left out: " + none + ": there is no such file");
    CHECK(contains(refused_points("normal, {use: file, x: " + bad + ", optional: true}"), "bad.csv:1:2"));
    CHECK(contains(refused_points("{use: file, x: " + none + ", optional: true}"), "nothing of 'points' is on this"));
}

TEST_CASE("a label and that a source is optional are no part of what is computed; all else of its entry is",
          "[experiments]") {
    const auto content = [](const std::string& entry) { return over(entry).contents[0][0]; };
    const std::string plain = content("{use: normal, dimension: 3}");
    CHECK(content("{use: normal, dimension: 3, label: mine, optional: true}") == plain);
    CHECK(content("{use: normal, dimension: 4}") != plain);
    CHECK(content("{use: sphere, dimension: 3}") != plain);
}
