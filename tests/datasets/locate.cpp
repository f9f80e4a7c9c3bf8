#include "rfbench/datasets/locate.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "rfbench/datasets/describe.hpp"
#include "rfbench/datasets/load.hpp"
#include "small_manifest.hpp"

using namespace rfbench::datasets;
using scene::said;

namespace {

struct Machine {
    scene::Folder folder;
    std::string package_file = folder.file("usr/fruit.csv.gz");
    Manifest manifest = scene::small_manifest("          - package: fruit-basket\n            file: " + package_file +
                                              "\n          - url: https://example.org/fruit.data\n");
    Places places{folder.path() / "data", {folder.path() / "cache", folder.path() / "home"}};
    std::vector<std::string> warnings;
    Warn warn = [this](const std::string& warning) { warnings.push_back(warning); };

    Machine() { std::filesystem::create_directories(places.data_folder); }
    const Entry& fruit() const { return manifest.find("fruit"); }
    FoundFile find() const { return locate(fruit(), places, warn).at(0); }
};

const std::string other_bytes = "1.5,red,pear\n";

}  // namespace

TEST_CASE("A file is taken from the data folder, then the caches, then the package, plain or gzipped") {
    Machine machine;
    machine.folder.write("usr/fruit.csv.gz", scene::gzipped(scene::fruit_bytes));
    CHECK(machine.find().source == "package fruit-basket");
    machine.folder.write("home/market/fruit.data", scene::fruit_bytes);
    CHECK(machine.find().path == machine.folder.file("home/market/fruit.data"));
    machine.folder.write("cache/market/fruit.data.gz", scene::gzipped(scene::fruit_bytes));
    CHECK(machine.find().path == machine.folder.file("cache/market/fruit.data.gz"));
    machine.folder.write("data/market/fruit.data", scene::fruit_bytes);

    const FoundFile found = machine.find();
    CHECK(found.source == "RFBENCH_DATA");
    CHECK(found.path == machine.folder.file("data/market/fruit.data"));
    CHECK(found.contents == scene::fruit_bytes);
    CHECK(found.sha256 == machine.fruit().files[0].sha256);
    CHECK(machine.warnings.empty());
}

TEST_CASE("A text may be what a program of a package prints, which is checked like any copy") {
    const auto text = [](const std::string& said, const std::string& command) {
        const Manifest manifest = parse_manifest(
            "version: 1\ndatasets:\n" + scene::facts_yaml("verse") + "    format: plain\n    rows: 1\n    files:\n" +
                scene::file_yaml("text/verse.txt", "Let there be light\n",
                                 "          - package: scripture\n            command: " + command + "\n"),
            "m.yaml");
        const Entry& entry = manifest.find("verse");
        CHECK(entry.classes.empty());
        return said.empty() ? locate(entry, {}, [](const auto&) {}).at(0).contents
                            : scene::said([&] { locate(entry, {}, [](const auto&) {}); });
    };
    CHECK(text("", "[echo, Let there be light]") == "Let there be light\n");
    const std::string wrong = text("refused", "[echo, Let there be dark]");
    CHECK(wrong.find("package scripture: has the wrong contents: sha256 expected ") != std::string::npos);
    CHECK(wrong.find("apt-get install scripture") != std::string::npos);
    CHECK(text("refused", "[no-such-program-there-is]").find("there is no program no-such-program-there-is") !=
          std::string::npos);
    CHECK(text("refused", "[\"false\"]").find("failed with exit code 1") != std::string::npos);
}

TEST_CASE("A copy with the wrong contents is told and passed over") {
    Machine machine;
    const std::string wrong = machine.folder.write("data/market/fruit.data", other_bytes);
    const std::string cut =
        machine.folder.write("cache/market/fruit.data.gz", scene::gzipped(scene::fruit_bytes).substr(0, 30));
    machine.folder.write("usr/fruit.csv.gz", scene::gzipped(scene::fruit_bytes));
    CHECK(machine.find().source == "package fruit-basket");
    REQUIRE(machine.warnings.size() == 2);
    const std::string going_on = "; going on to the next source of market/fruit.data";
    CHECK(machine.warnings[0] == wrong + " (RFBENCH_DATA): has the wrong contents: sha256 expected " +
                                     machine.fruit().files[0].sha256 + ", found " +
                                     rfbench::store::sha256(other_bytes) + " (40 bytes expected, 13 found)" + going_on);
    CHECK(machine.warnings[1] == cut + " (cache): the compressed data is cut short after 30 bytes" + going_on);
}

TEST_CASE("One flipped bit is enough to refuse a copy") {
    Machine machine;
    for (std::size_t bit = 0; bit < 8 * scene::fruit_bytes.size(); ++bit) {
        std::string damaged = scene::fruit_bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        machine.folder.write("data/market/fruit.data", damaged);
        CHECK(said([&] { machine.find(); }) != "accepted");
    }
}

TEST_CASE("When there is no good copy, every place and every way to get one are named") {
    Machine machine;
    CHECK(said([&] { machine.find(); }) ==
          "data set 'fruit' has no good copy of market/fruit.data on this machine. Looked at:"
          "\n  " +
              machine.folder.file("data/market/fruit.data") +
              " (RFBENCH_DATA): there is no such file"
              "\n  " +
              machine.folder.file("cache/market/fruit.data") +
              " (cache): there is no such file"
              "\n  " +
              machine.folder.file("home/market/fruit.data") +
              " (cache): there is no such file"
              "\n  " +
              machine.package_file +
              " (package fruit-basket): there is no such file"
              "\nWays to get it:"
              "\n  apt-get install fruit-basket"
              "\n  rfbench data fetch fruit   (https://example.org/fruit.data, licence CC0)"
              "\n  or put the file at FOLDER/market/fruit.data and set RFBENCH_DATA=FOLDER");
    machine.places = {{}, {}};
    CHECK(said([&] { machine.find(); })
              .starts_with("data set 'fruit' has no good copy of market/fruit.data on this machine. Looked at:"
                           "\n  RFBENCH_DATA: the variable is not set\n  "));
}

TEST_CASE("An RFBENCH_DATA that is no folder is told") {
    Machine machine;
    machine.places.data_folder = machine.folder.file("nowhere");
    machine.folder.write("cache/market/fruit.data", scene::fruit_bytes);
    CHECK(machine.find().source == "cache");
    CHECK(machine.warnings == std::vector<std::string>{machine.folder.file("nowhere") +
                                                       " (RFBENCH_DATA): is not a folder; going on to the next "
                                                       "source of market/fruit.data"});
}

TEST_CASE("A relative RFBENCH_DATA counts from the current folder, else from the project") {
    const char* const before = getenv("RFBENCH_DATA");
    const std::string restore = before ? before : "";
    const scene::Folder folder;
    std::filesystem::create_directories(folder.path() / "beside");
    folder.write("project/data/manifest.yaml", "");
    std::filesystem::create_directories(folder.path() / "project" / "deep" / "down");

    const auto project = find_project(folder.path() / "project" / "deep" / "down");
    CHECK(project == folder.path() / "project");
    setenv("RFBENCH_DATA", "../beside", 1);
    CHECK(places_of_this_machine(project).data_folder == folder.path() / "beside");
    CHECK(places_of_this_machine(project).caches.at(0) == project / "data" / "cache");
    setenv("RFBENCH_DATA", "/absolute", 1);
    CHECK(places_of_this_machine(project).data_folder == "/absolute");
    setenv("RFBENCH_DATA", "", 1);
    CHECK(places_of_this_machine(project).data_folder.empty());

    if (before) {
        setenv("RFBENCH_DATA", restore.c_str(), 1);
    } else {
        unsetenv("RFBENCH_DATA");
    }
}

TEST_CASE("A loaded table has the rows and classes its entry declares, or is refused") {
    Machine machine;
    const std::string path = machine.folder.write("data/market/fruit.data", scene::fruit_bytes);
    const Table table = load(machine.fruit(), machine.places, machine.warn);
    CHECK(table.values == (rfbench::Points(3, 2) << 1.5, 0, 2, 1, 3, 0).finished());
    CHECK(table.classes == std::vector<int>{0, 1, 0});

    Entry more_rows = machine.fruit();
    more_rows.rows = 4;
    CHECK(said([&] { load(more_rows, machine.places, machine.warn); }) == path + ": has 3 rows; the manifest says 4");
    Entry other_classes = machine.fruit();
    other_classes.classes = {{"apple", 1}, {"pear", 2}};
    CHECK(said([&] { load(other_classes, machine.places, machine.warn); }) ==
          path + ": has 2 rows of class 'apple'; the manifest says 1");
}

TEST_CASE("The description says what the data is, whose it is and where it is on this machine") {
    Machine machine;
    machine.folder.write("data/market/fruit.data", other_bytes);
    machine.folder.write("cache/market/fruit.data", scene::fruit_bytes);
    const std::string text = describe(machine.fruit(), machine.places);
    for (const std::string& part : std::vector<std::string>{
             "fruit: A small set\n", "rows      3\n", "1 number and 1 category: weight, colour\n",
             "2: apple (2) pear (1)\n", "CC0 (https://example.org/cc0)\n", "Nobody (2024).\n", "10.0/none\n",
             "RFBENCH_DATA " + machine.folder.file("data/market/fruit.data") + ": has the wrong contents: sha256",
             "cache " + machine.folder.file("cache/market/fruit.data") + ": present, sha256 right\n",
             "package fruit-basket " + machine.package_file + ": there is no such file\n",
             "URL https://example.org/fruit.data: only by `rfbench data fetch`\n"}) {
        INFO(part << "\nis looked for in\n" << text);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(summary(machine.fruit(), machine.places) == "A small set: 3 rows, 2 classes; present (cache)");
    CHECK(summary(machine.manifest.find("mnist-test"), machine.places) == "A small set: 2 rows, 2 classes; missing");
    CHECK(is_present(machine.fruit(), machine.places));
    CHECK(!is_present(machine.manifest.find("mnist-test"), machine.places));

    // A copy that is there and wrong is not called missing.
    std::filesystem::remove(machine.folder.path() / "cache/market/fruit.data");
    CHECK(summary(machine.fruit(), machine.places)
              .find("; " + machine.folder.file("data/market/fruit.data") + " has the wrong contents: sha256") !=
          std::string::npos);
}
