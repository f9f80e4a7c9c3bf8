// Points of the user's beside those of the regimes.
#include "sources/point_sets.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "datasets/scene.hpp"
#include "experiments/cells.hpp"
#include "experiments/closed_forms.hpp"
#include "experiments/trained_maps.hpp"
#include "rfbench/datasets/digits.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "study/project.hpp"
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

/// Two heads of two sequences of four tokens, d = 2, of an .npz file. Entry n of the queries is n / 8.
std::string heads_file(const tests::TemporaryFolder& folder) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto& [name, first] : {std::pair("queries", 0.0), std::pair("keys", 4.0), std::pair("values", 0.0)}) {
        std::vector<double> entries;
        for (int n = 0; n < 32; ++n) entries.push_back(first + n / 8.0);
        members.emplace_back(std::string(name) + ".npy", scene::npy("<f8", "2, 2, 4, 2", scene::bytes_of(entries)));
    }
    return folder.write("heads.npz", scene::zipped(members));
}

std::vector<std::pair<double, double>> sorted_rows(const Points& points) {
    std::vector<std::pair<double, double>> rows;
    for (Index i = 0; i < points.rows(); ++i) rows.emplace_back(points(i, 0), points(i, 1));
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace

TEST_CASE("points of a head are the queries and keys of one sequence, over d^(1/4)", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string file = heads_file(folder);
    const auto source = [&](const std::string& rest) {
        const auto config =
            parsed(regimes(), "methods: [positive]\npoints: {use: heads, heads: {use: file, file: " + file + "}" +
                                  rest + "}\ngammas: 1\nrows: 2\nrepeats: 1\n");
        return point_source(config.at("points").items()[0], Stream(1), [](const std::string&) {});
    };
    std::set<double> sequences;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const PointSets own = source(", head: 2, unit: own")->draw(Stream(seed), 99);
        const auto x = sorted_rows(own.x), y = sorted_rows(own.y);
        REQUIRE((x.size() == 4 && y.size() == 4));
        // Entry 16 is the first of head 2.
        const double first = x[0].first;
        sequences.insert(first);
        CHECK((first == 16 / 8.0 || first == 24 / 8.0));
        CHECK(y[0].first == first + 4);
        for (std::size_t i = 0; i < 4; ++i) {
            const double entry = first + static_cast<double>(i) / 4;
            CHECK(x[i] == std::pair(entry, entry + 0.125));
        }
        const PointSets softmax = source(", head: 2")->draw(Stream(seed), 3);
        REQUIRE((softmax.x.rows() == 3 && softmax.y.rows() == 3));
        const double scale = std::pow(2, -0.25);
        CHECK(same_bits(numbers(softmax.y), numbers(scale * own.y.topRows(3))));
        const PointSets half = source(", head: 2, unit: own, scale: 0.5")->draw(Stream(seed), 99);
        CHECK(same_bits(numbers(half.x), numbers(0.5 * own.x)));
        CHECK(same_bits(numbers(half.y), numbers(0.5 * own.y)));
    }
    CHECK(sequences.size() == 2);
    const std::string beside = "{use: heads, heads: {use: file, file: " + file + "}, label: mine}";
    const Sweep sweep = over("normal, " + beside);
    CHECK((sweep.data[0][0].empty() && sweep.data[0][1].size() == 64));
    CHECK(same_bits(measured(sweep, "mine"), measured(over(beside), "mine")));
    CHECK(contains(refused_points("{use: heads, heads: {use: file, file: " + file + "}, head: 3}"),
                   "head: the source has 2 heads"));
    CHECK(contains(refused_points("{use: heads, heads: {use: file, file: " + file + ", key: k}}"), "Did you mean"));
}

TEST_CASE("concentration/tail takes pairs of points at random, whatever else there is", "[experiments]") {
    const tests::TemporaryFolder folder;
    const Points x = some_points(3, 7, 2), y = some_points(4, 5, 2);
    const std::string files =
        "{use: file, label: mine, x: " + folder.write("x.csv", csv(x)) + ", y: " + folder.write("y.csv", csv(y)) + "}";
    const std::string head = "{use: heads, label: head, heads: {use: file, file: " + heads_file(folder) + "}}";
    const Study& tail = find("concentration", "tail");
    const auto sweep = [&](const std::string& more) {
        return prepared(tail,
                        "methods: [optimal-positive]\nsamplings: iid\ndraws: 2\nerrors: 1000\nrepeats: 10\n" + more);
    };
    const Sweep one = sweep("points: " + files + "\npoint_pairs: 1\n");
    const Sweep more = sweep("points: [" + head + ", " + files +
                             "]\npoint_pairs: 3\npairs: [{label: given, dimension: 2, norms: [1, 1], angle: 9}]\n");
    CHECK(std::get<std::vector<std::string>>(more.axes[2].labels) ==
          std::vector<std::string>{"given", "head 1", "head 2", "head 3", "mine 1", "mine 2", "mine 3"});
    std::set<double> kernels;
    for (int i = 1; i <= 3; ++i) {
        const auto data = computed_at(more, "pair=mine " + std::to_string(i));
        const double kernel = value(data, "kernel");
        kernels.insert(kernel);
        bool is_pair = false;
        for (Index a = 0; a < 7; ++a)
            for (Index b = 0; b < 5; ++b)
                is_pair |= std::abs(std::exp(-0.5 * (x.row(a) - y.row(b)).squaredNorm()) / kernel - 1) < 1e-14;
        CHECK(is_pair);
        if (i == 1)
            for (const char* variable : {"kernel", "exceed", "above", "chebyshev"})
                CHECK(same_bits(values(data, variable), values(computed_at(one, "pair=mine 1"), variable)));
    }
    CHECK(kernels.size() > 1);
    CHECK((more.data[2][0].empty() && more.data[2][1].size() == 64 && more.data[2][4].size() == 2 * 64 + 1));
    // Fitted to all of the file's points, which are fewer than 1024: Chebyshev's bound is that of the A of these.
    features::Statistics own = features::statistics(x, y);
    const auto mechanism = features::fit_with_moments(features::find("optimal-positive"), own);
    const auto first = computed_at(one, "pair=mine 1");
    bool as_fitted = false;
    for (Index a = 0; a < 7; ++a)
        for (Index b = 0; b < 5; ++b) {
            const features::Pair pair(x.row(a).data(), y.row(b).data(), x.cols());
            const double variance =
                std::exp(*features::estimator_log_variance(*mechanism, pair, sampling::find("iid"), 2));
            const double error = 1000 * std::exp(pair.log_kernel());
            const double bound = std::min(1.0, variance / (error * error));
            as_fitted |= std::abs(std::exp(pair.log_kernel()) / value(first, "kernel") - 1) < 1e-14 &&
                         std::abs(bound / value(first, "chebyshev") - 1) < 1e-9;
        }
    CHECK(value(first, "chebyshev") < 1);
    CHECK(as_fitted);
    CHECK(contains(refused(tail, "methods: [positive]\nsamplings: iid\ndraws: 2\nerrors: 0.1\nrepeats: 10\n"),
                   "pairs are missing"));
    // Labels with spaces give figures' files names without.
    const std::string yaml =
        "methods: [positive]\nsamplings: iid\ndraws: 2\nerrors: 0.1\nrepeats: 10\npoints: " + files + "\n";
    const Report report = tail.report(trained_maps::collected(tail, parsed(tail, yaml), folder));
    CHECK(report.figures[0].name == "tail-mine-1");
}

TEST_CASE("quasi/rate over sources: errors are those of its pairs, and each is one panel", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string head =
        "{use: heads, label: my head, heads: {use: file, file: " + heads_file(folder) + "}, head: 2, scale: 0.3}";
    const Study& rate = find("quasi", "rate");
    const std::string rest = "methods: [positive]\ndraws: [8, 16]\npairs: 50\nrepeats: 2\nestimates: 3\n";
    const Sweep sweep = prepared(rate, "points: [{use: normal, dimension: 3}, " + head + "]\n" + rest);
    CHECK(sweep.axes[1].name == "points");
    const auto config = parsed(rate, "points: " + head + "\n" + rest);
    const Stream own = study_stream(config, "quasi/rate").child("points").child("my head");
    const PointSets pairs = point_source(config.at("points").items()[0], Stream(0), [](const std::string&) {
                            })->draw(own.child("pairs"), 50);
    REQUIRE(pairs.x.rows() == 4);
    const auto mechanism = features::fit(features::find("positive"), {});
    Vector kernel = (-0.5 * (pairs.x - pairs.y).rowwise().squaredNorm()).array().exp();
    double sum = 0;
    for (std::uint64_t r = 0; r < 3; ++r) {
        const Projections omega =
            features::draw(*mechanism, 2, 16, sampling::find("iid"), own.child("positive").child(16).child(1).child(r))
                .omega;
        for (Index i = 0; i < 4; ++i) {
            double estimate = 0;
            for (Index m = 0; m < 16; ++m)
                estimate += closed_forms::exponential(0, omega.col(m), pairs.x.row(i), pairs.y.row(i)) / 16;
            sum += std::pow(estimate - kernel[i], 2) / 12;
        }
    }
    const double error = std::sqrt(sum / (kernel.squaredNorm() / 4));
    const auto data = computed(sweep, {"points=my head", "draws=16"});
    CHECK(values(data, "relative_error")[1] == Approx(error).epsilon(1e-9));
    const Report report = rate.report(trained_maps::collected(rate, config, folder));
    CHECK((report.figures[0].panels.size() == 1 && report.figures[0].panels[0].title == "my head"));
    for (const char* more : {"dimensions: 3\n", "points: normal\nlengths: 1\n", ""})
        CHECK(contains(refused(rate, more + rest), "points are either normal, of 'dimensions' and 'lengths', or"));
}

TEST_CASE("quasi/rate takes as many pairs as both files of points have rows, and says so", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string points = "points: {use: file, x: " + folder.write("x.csv", csv(some_points(3, 9, 2))) +
                               ", y: " + folder.write("y.csv", csv(some_points(4, 5, 2))) + "}\n";
    const auto sweep = [&](const char* pairs) {
        return prepared(find("quasi", "rate"),
                        points + "methods: [positive]\ndraws: 8\nrepeats: 2\nestimates: 3\npairs: " + pairs);
    };
    CHECK(sweep("5").notes.empty());
    CHECK(sweep("50").notes ==
          std::vector<std::string>{"'file' has 5 rows for x and as many for y, fewer than the 50 asked for"});
    const auto errors = [](const Sweep& of) { return values(computed(of, of.cells().front()), "relative_error"); };
    CHECK(errors(sweep("50")) == errors(sweep("5")));
}

TEST_CASE("repeats that share rows are told", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string file = "points: {use: file, x: " + folder.write("x.csv", csv(some_points(3, 20, 2))) + "}\n";
    const auto notes = [&](const char* rest) {
        return prepared(regimes(), "methods: [positive]\ngammas: 1\n" + file + rest).notes;
    };
    CHECK(notes("rows: 5\nrepeats: 2\n").empty());
    CHECK(notes("rows: 10\nrepeats: 1\n").empty());
    const auto shared = notes("rows: 5\nrepeats: 3\n");
    REQUIRE(shared.size() == 1);
    CHECK(shared[0] ==
          "'file' has 10 rows for x and as many for y; its repeats share rows, so that their spread is that "
          "of choosing rows, not of other data");
}

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
        const auto config = parsed(
            regimes(), "methods: [positive]\npoints: {use: file, " + entry + "}\ngammas: 1\nrows: 2\nrepeats: 1\n");
        return point_source(config.at("points").items()[0], Stream(1), [](const std::string&) {});
    };
    const auto sorted = sorted_rows;
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
    says("{use: file, x: " + folder.write("ragged.csv", "1,2\n3\n") + "}", "ragged.csv:2: has 1 column separated");
    says("{use: file, x: " + folder.write("one.csv", "1,2\n") + "}", "one.csv: has one point");
    says("{use: file, x: " + x + ", y: " + wide + "}", "wide.csv: has 3 columns, but " + x + " has 2");
    says("{use: file, x: " + folder.file("none.csv") + "}", "none.csv: there is no such file");
    says("{use: file}", "test.yaml:4:10: points.0.x: ");
    says("{use: spere}",
         "Did you mean 'sphere'? There are: normal, sphere, heterogeneous, digits, mnist, file, heads.");
    says("{use: digits, dimension: 3}", "'digits' takes no such key");
    says("normal, {use: normal, dimension: 3}", "an earlier source is called 'normal' too; give this one a label");
    store::write(folder.file("x.h5"), {{{"row", std::vector<double>(2), "", ""}, {"l", std::vector<double>(2), "", ""}},
                                       {{"x", {"row", "l"}, {1, 2, NAN, 4}, "", ""}},
                                       {}});
    says("{use: file, x: \"" + folder.file("x.h5") + ":/x\"}", "x.h5:/x[1, 0]: is nan");
    says("{use: file, x: \"" + folder.file("x.h5") + ":/z\"}", "x.h5:/z: there is no such dataset");
    says("{use: file, x: " + folder.write("broken.h5", "\x89HDF\r\n\x1a\nno more") + "}",
         "broken.h5: cannot be opened as HDF5");
    const std::vector<Eigen::half> overflowed{Eigen::half(1), Eigen::half(7e4f)};
    says("{use: file, x: " + folder.write("half.npy", scene::npy("<f2", "2, 1", scene::bytes_of(overflowed))) + "}",
         "half.npy[1, 0]: is inf; every number must be finite");
    says("{use: file, x: " + folder.write("cube.npy", scene::npy("<f2", "1, 1, 2", scene::bytes_of(overflowed))) + "}",
         "cube.npy: has 3 axes");
}

TEST_CASE("a source that is optional is left out with a note where its data are not here, not where they are bad",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string none = folder.file("none.csv"), bad = folder.write("bad.csv", "1,x\n2,3\n");
    const Sweep sweep = over("normal, {use: file, x: " + none + ", optional: true}");
    CHECK(std::get<std::vector<std::string>>(sweep.axes[0].labels) == std::vector<std::string>{"normal"});
    REQUIRE(sweep.notes.size() == 1);
    CHECK(sweep.notes[0] == "'file' is left out: test.yaml:4:33: points.1.x: " + none + ": there is no such file");
    CHECK(contains(refused_points("normal, {use: file, x: " + bad + ", optional: true}"), "bad.csv:1:2"));
    CHECK(contains(refused_points("{use: file, x: " + none + ", optional: true}"), "nothing of 'points' is on this"));
}

TEST_CASE("heterogeneous points are those that their former name drew, which is still taken", "[experiments]") {
    const Sweep former = over("heterogen"), labelled = over("{use: heterogeneous, label: heterogen}");
    CHECK(std::get<std::vector<std::string>>(former.axes[0].labels) == std::vector<std::string>{"heterogeneous"});
    CHECK(same_bits(measured(former, "heterogeneous"), measured(labelled, "heterogen")));
}

TEST_CASE("a label and that a source is optional are no part of what is computed; all else of its entry is",
          "[experiments]") {
    const auto content = [](const std::string& entry) { return over(entry).contents[0][0]; };
    const std::string plain = content("{use: normal, dimension: 3}");
    CHECK(content("{use: normal, dimension: 3, label: mine, optional: true}") == plain);
    CHECK(content("{use: normal, dimension: 4}") != plain);
    CHECK(content("{use: sphere, dimension: 3}") != plain);
}
