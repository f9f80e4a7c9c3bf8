#include <cmath>

#include "catch.hpp"
#include "rfbench/datasets/describe.hpp"
#include "rfbench/datasets/load.hpp"
#include "rfbench_places.hpp"
#include "scene.hpp"

using namespace rfbench;
using namespace rfbench::datasets;

namespace {

/// Facts about each set: rows, columns without the class, classes. The first eight are the thesis's.
struct Expected {
    const char* name;
    Index rows;
    Index columns;
    std::size_t classes;
};

constexpr Expected sets[] = {{"abalone", 4177, 8, 28}, {"banknote", 1372, 4, 2},     {"car", 1728, 6, 4},
                             {"yeast", 1484, 8, 10},   {"cmc", 1473, 9, 3},          {"nursery", 12960, 8, 5},
                             {"wifi", 2000, 7, 4},     {"krkopt", 28056, 6, 18},     {"iris", 150, 4, 3},
                             {"wine", 178, 13, 3},     {"breast-cancer", 569, 30, 2}};

}  // namespace

TEST_CASE("Each UCI set on this machine has its rows, columns and class counts; each other says how to get it") {
    const Manifest manifest = load_manifest(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    const Places places = places_of_this_machine(RFBENCH_SOURCE_DIR);
    std::vector<std::string> warnings;
    const Warn warn = [&](const std::string& warning) { warnings.push_back(warning); };
    for (const auto& [name, rows, columns, classes] : sets) {
        INFO(name);
        const Entry& entry = manifest.find(name);
        CHECK(entry.classes.size() == classes);
        if (!is_present(entry, places)) {
            const std::string message = scene::said([&] { load(entry, places, warn); });
            CHECK(message.find(std::string("rfbench data fetch ") + name) != std::string::npos);
            continue;
        }
        // load() itself refuses other class counts than the manifest's.
        const Table table = load(entry, places, warn);
        CHECK(table.values.rows() == rows);
        CHECK(table.values.cols() == columns);
        CHECK(table.class_names.size() == classes);
    }
}

TEST_CASE("Rows of each UCI set, as they stand in its file, are read by its declared layout") {
    const Manifest manifest = load_manifest(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    const auto row = [&](const char* name, const std::string& text) {
        const Layout& layout = manifest.find(name).layout;
        return read_table(text, layout, name);
    };
    CHECK(row("abalone", "M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15\n").values ==
          (Points(1, 8) << 0, 0.455, 0.365, 0.095, 0.514, 0.2245, 0.101, 0.15).finished());
    CHECK(row("yeast", "ADT1_YEAST  0.58  0.61  0.47  0.13  0.50  0.00  0.48  0.22  MIT\n").values ==
          (Points(1, 8) << 0.58, 0.61, 0.47, 0.13, 0.5, 0, 0.48, 0.22).finished());
    CHECK(row("wifi", "-64\t-56\t-61\t-66\t-71\t-82\t-81\t1\r\n").values ==
          (Points(1, 7) << -64, -56, -61, -66, -71, -82, -81).finished());
    CHECK(row("krkopt", "b,1,g,7,e,5,sixteen").values == (Points(1, 6) << 1, 0, 6, 6, 4, 4).finished());
    CHECK(row("krkopt", "b,1,g,7,e,5,sixteen").classes == std::vector<int>{17});
    CHECK(row("nursery", "usual,proper,complete,1,convenient,convenient,nonprob,recommended,recommend\n\n").classes ==
          std::vector<int>{1});
    CHECK(row("car", "vhigh,vhigh,2,2,small,low,unacc\n").values == Points::Zero(1, 6));
    CHECK(row("banknote", "3.6216,8.6661,-2.8073,-0.44699,0").classes == std::vector<int>{0});
    CHECK(row("cmc", "24,2,3,3,1,1,2,3,0,1\n").values(0, 0) == 24);
}
