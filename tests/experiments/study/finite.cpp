// Values that are not finite fail their cell, with the reason: heads and points may hold anything.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "attention/head_report.hpp"
#include "catch.hpp"
#include "datasets/scene.hpp"
#include "experiments/cells.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using rfbench::tests::contains;

namespace {

/// A file of one head of four tokens in two dimensions, whose queries and keys are all `token`, and values `value`.
std::string head_file(const scene::Folder& folder, double token, double value) {
    const auto array = [](double entry) {
        return scene::npy("<f8", "2, 4, 2", scene::bytes_of(std::vector<double>(16, entry)));
    };
    return folder.write(
        "heads.npz",
        scene::zipped({{"queries.npy", array(token)}, {"keys.npy", array(token)}, {"values.npy", array(value)}}));
}

/// The sentence by which the first cell of a study on these heads fails; "accepted" where it does not.
std::string failure(const char* experiment, const char* study, const std::string& file, const std::string& rest) {
    const Sweep sweep = prepared(find(experiment, study), "heads: {use: file, file: " + file + "}\n" + rest);
    return tests::refusal<NotFinite>([&] { ::computed(sweep, sweep.cells().front()); });
}

}  // namespace

TEST_CASE("where outputs are zero, errors relative to them fail their cells with the reason", "[experiments]") {
    const scene::Folder folder;
    const std::string zeros = head_file(folder, 0.5, 0), methods = "methods: [positive]\ncolumns: [4]\nrepeats: 2\n";
    const std::string reason = "'relative_output_error' comes out as ";
    CHECK(contains(failure("attention", "error", zeros, methods), reason));
    CHECK(contains(
        failure("attention", "causal", zeros, "methods: [{use: positive, fit: previous}]\ncolumns: [4]\nrepeats: 2\n"),
        reason));
    CHECK(contains(failure("quasi", "attention", zeros, methods), reason));
    CHECK(failure("attention", "error", head_file(folder, 0.5, 1), methods) == "accepted");
    // A study that says nothing about outputs is measured all the same.
    CHECK(failure("attention", "negative", head_file(folder, 0.5, 0), methods) == "accepted");
}

TEST_CASE("heads whose squares leave the range of double are refused before anything is computed", "[experiments]") {
    const scene::Folder folder;
    const std::string rest = "methods: [positive]\ncolumns: [4]\nrepeats: 2\n";
    CHECK_THROWS_WITH(failure("attention", "error", head_file(folder, 1e300, 1), rest),
                      Catch::Contains(":queries: has an entry of size 1e+300; the sum of the squares of a head's 8"));
    CHECK_THROWS_WITH(failure("attention", "error", head_file(folder, 1, 1e160), rest),
                      Catch::Contains(":values: has an entry of size 1e+160"));
    CHECK(failure("attention", "error", head_file(folder, 1, 1e150), rest) == "accepted");
}

TEST_CASE("a cell may lack only what its study says it may", "[experiments]") {
    Sweep sweep;
    sweep.compute = [](const Point&) {
        return store::Dataset{{}, {{"a", {}, {NAN}, "", ""}, {"b", {}, {INFINITY}, "", ""}}, {}};
    };
    const auto said = [&] { return tests::refusal<NotFinite>([&] { sweep.measure(sweep.point({})); }); };
    CHECK(said() == "accepted");
    sweep.finite_but = {{"a", "b"}};
    CHECK(said() == "accepted");
    sweep.finite_but = {{"a"}};
    CHECK(contains(said(), "'b' comes out as inf: "));
    sweep.finite_but.emplace();
    CHECK(contains(said(), "'a' comes out as NaN: "));
}

TEST_CASE("every study that reads heads or points says what of its cells need not be finite", "[experiments]") {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(RFBENCH_SOURCE_DIR "/experiments")) {
        if (entry.path().extension() != ".cpp" || entry.path().parent_path().filename() == "sources") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        bool reads = false;
        for (const char* source : {" head_source(", "HeadList list(", "HeadList(config", "point_sources("})
            reads = reads || text.find(source) != std::string::npos;
        if (!reads) continue;
        INFO(entry.path());
        ++found;
        CHECK(text.find("finite_but") != std::string::npos);
    }
    CHECK(found >= 8);
}

TEST_CASE("a table names the methods of which it has nothing to show", "[experiments]") {
    const store::Dataset data{
        {{"method", std::vector<std::string>{"one", "two"}, "", ""},
         {"sampling", std::vector<std::string>{"iid", "own"}, "", ""},
         {"repeat", std::vector<double>{0, 1}, "", ""}},
        {{"error", {"method", "sampling", "repeat"}, {1, 2, NAN, NAN, NAN, NAN, NAN, NAN}, "", ""}},
        {}};
    const auto table = table_of_methods(data, "t", "", "error", {{report::Column{"error"}, {}}});
    CHECK(table.rows.size() == 1);
    CHECK(table.notes == std::vector<std::string>{"'two' has no value here."});
}

TEST_CASE("points of many columns are told by what takes long of them", "[experiments]") {
    const auto notes = [](const char* dimension) {
        return prepared(find("variance", "regimes"),
                        std::string("methods: [positive]\npoints: [{use: normal, dimension: ") + dimension +
                            "}]\ngammas: 1\nrows: 4\nrepeats: 1\n")
            .notes;
    };
    CHECK(notes("999").empty());
    REQUIRE(notes("3000").size() == 1);
    CHECK(contains(notes("3000").front(), "points of 3000 columns"));
}
