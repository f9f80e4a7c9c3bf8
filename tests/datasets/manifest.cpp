#include "rfbench/datasets/manifest.hpp"

#include <set>

#include "catch.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench_places.hpp"
#include "small_manifest.hpp"

using namespace rfbench::datasets;
using rfbench::tests::refusal;

namespace {

const std::string whole = "version: 1\ndatasets:\n" + scene::fruit_yaml(
                                                          "          - url: https://example.org/f.zip\n"
                                                          "            member: fruit.data\n");

/// Refusal of a good manifest in which `from` is replaced by `to`.
std::string refused(const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return refusal<rfbench::config::Error>([&] { parse_manifest(text.replace(at, from.size(), to), "m.yaml"); });
}

}  // namespace

TEST_CASE("The project's manifest is sound and complete") {
    const Manifest manifest = load_manifest(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    const std::vector<std::string> expected{"optdigits",
                                            "mnist-test",
                                            "fashion-mnist",
                                            "fashion-mnist-test",
                                            "king-james-bible",
                                            "abalone",
                                            "banknote",
                                            "car",
                                            "yeast",
                                            "cmc",
                                            "nursery",
                                            "wifi",
                                            "krkopt",
                                            "iris",
                                            "wine",
                                            "breast-cancer"};
    std::vector<std::string> names;
    std::set<std::string> sums;
    for (const Entry& entry : manifest.entries) {
        names.push_back(entry.name);
        INFO(entry.name);
        CHECK((entry.licence.starts_with("CC BY") || entry.licence == "MIT" || entry.licence == "public domain"));
        CHECK((entry.doi.starts_with("10.") || entry.format == Format::plain));
        for (const DataFile& file : entry.files) {
            CHECK(sums.insert(file.sha256).second);
            bool somewhere = false;
            for (const Source& source : file.sources) somewhere |= !source.url.empty() || !source.package.empty();
            CHECK(somewhere);
        }
    }
    CHECK(names == expected);
    CHECK(manifest.find("optdigits").layout.columns.size() == 65);
    CHECK(manifest.find("optdigits").layout.columns[63].name == "pixel_64");
    CHECK(manifest.find("krkopt").classes.size() == 18);
    CHECK(manifest.find("wifi").layout.separator == Separator::tab);
    CHECK(manifest.find("yeast").layout.separator == Separator::spaces);
}

TEST_CASE("An unknown data set is refused with the nearest name") {
    const Manifest manifest = scene::small_manifest();
    CHECK(refusal<rfbench::InputError>([&] { manifest.find("friut"); }) ==
          "there is no data set 'friut'; there are fruit, mnist-test. Did you mean 'fruit'?");
}

TEST_CASE("Malformed manifests are refused by file, line, column and key") {
    const std::string source = "- url: https://example.org/f.zip\n            member: fruit.data";
    CHECK(refused("version: 1", "version: 1") == "accepted");
    CHECK(refused("version: 1", "version: 2") == "m.yaml:1:10: version: '2' is not allowed. Allowed: 1.");
    CHECK(refused("    licence: CC0", "    license: CC0") ==
          "m.yaml:6:5: datasets.fruit.license: there is no such key. Did you mean 'licence'? Allowed: title, "
          "description, licence, licence_url, citation, doi, homepage, format, separator, header_lines, rows, classes, "
          "columns, files.");
    CHECK(refused("    doi: 10.0/none\n", "") ==
          "m.yaml:4:5: datasets.fruit.doi: this key is missing (of the data set); it must be a text.");
    CHECK(refused("    title: A small set", "    title:") ==
          "m.yaml:4:5: datasets.fruit.title: must be a text, not nothing.");
    CHECK(refused("rows: 3", "rows: many") ==
          "m.yaml:12:11: datasets.fruit.rows: must be a whole number of at least 1, not 'many': whole numbers are "
          "written in digits only, like 1000.");
    CHECK(refused("rows: 3", "rows: 4") == "m.yaml:13:14: datasets.fruit.classes: add up to 3 rows, but 'rows' is 4.");
    CHECK(refused("format: text", "format: txt") ==
          "m.yaml:11:13: datasets.fruit.format: 'txt' is not allowed. Did you mean 'text'? Allowed: text, arff, "
          "libsvm, idx, plain.");
    CHECK(
        refused("type: number", "type: numbr") ==
        "m.yaml:15:30: datasets.fruit.columns.0.type: 'numbr' is not allowed. Did you mean 'number'? Allowed: number, "
        "category, label, ignored.");
    CHECK(refused("type: number", "type: label") ==
          "m.yaml:15:7: datasets.fruit.columns: must have exactly one column of type label.");
    CHECK(refused("type: number", "type: number, values: [a]") ==
          "m.yaml:15:46: datasets.fruit.columns.0.values: only goes with type: category.");
    CHECK(refused("type: category, values: [red, green]", "type: category") ==
          "m.yaml:16:9: datasets.fruit.columns.1: a column of type category needs 'values'.");
    for (const char* path : {"../fruit.data", "/etc/fruit.data"})
        CHECK(refused("market/fruit.data", path) ==
              "m.yaml:19:15: datasets.fruit.files.0.path: must be relative and stay inside its folder.");
    CHECK(refused("https://example.org/f.zip", "http://example.org/f.zip") ==
          "m.yaml:23:18: datasets.fruit.files.0.sources.0.url: must begin with https://.");
    CHECK(refused("- url: https://example.org/f.zip", "- package: fruit") ==
          "m.yaml:24:21: datasets.fruit.files.0.sources.0.member: only goes with 'url'.");
    CHECK(refused(source, "- package: p\n            file: f") ==
          "m.yaml:24:19: datasets.fruit.files.0.sources.0.file: must be an absolute path.");
    CHECK(refused(source, "- package: p") ==
          "m.yaml:23:22: datasets.fruit.files.0.sources.0.package: needs 'file', the path that it installs, or "
          "'command', which prints the file.");
    CHECK(refused(source, "- generator: nursry") ==
          "m.yaml:23:24: datasets.fruit.files.0.sources.0.generator: 'nursry' is not allowed. Did you mean 'nursery'? "
          "Allowed: car, nursery, krkopt.");
    CHECK(
        refused(source, "- generator: [car]") ==
        "m.yaml:23:24: datasets.fruit.files.0.sources.0.generator: must be one of car, nursery, krkopt, not a list of "
        "1.");
    CHECK(refused("- url: https://example.org/f.zip", "- generator: car") ==
          "m.yaml:24:21: datasets.fruit.files.0.sources.0.member: only goes with 'url'.");
    CHECK(refused("- url: https://example.org/f.zip\n            member", "- generator: car\n            file") ==
          "m.yaml:24:19: datasets.fruit.files.0.sources.0.file: only goes with 'package'.");
    CHECK(refused("            member: fruit.data", "            generator: car") ==
          "m.yaml:23:13: datasets.fruit.files.0.sources.0: a source has either 'generator', or 'package' and 'file' or "
          "'command', or "
          "'url'.");
    CHECK(refused("- url: https://example.org/f.zip", "- generatr: car") ==
          "m.yaml:23:13: datasets.fruit.files.0.sources.0.generatr: there is no such key. Did you mean 'generator'? "
          "Allowed: generator, package, file, command, url, member.");
    CHECK(refused("sha256: ", "sha256: x") ==
          "m.yaml:20:17: datasets.fruit.files.0.sha256: must have 64 lower-case hexadecimal digits.");
    CHECK(refused("format: text", "format: idx") == "m.yaml:19:7: datasets.fruit.files: must have 2 for this format.");
    CHECK(refused("datasets:\n", "datasets: [1]\nrest:\n").starts_with("m.yaml:3:1: rest: there is no such key."));
    CHECK(refused("    title: A small set\n", "    title: A\n    title: B\n").starts_with("m.yaml:5:5: "));
    CHECK(refused("columns:\n", "columns: [\n").starts_with("m.yaml:"));
}
