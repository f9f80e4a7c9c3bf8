#include "rfbench/datasets/manifest.hpp"

#include <set>

#include "catch.hpp"
#include "rfbench_places.hpp"
#include "small_manifest.hpp"

using namespace rfbench::datasets;
using scene::said;

namespace {

const std::string whole = "version: 1\ndatasets:\n" + scene::fruit_yaml(
                                                          "          - url: https://example.org/f.zip\n"
                                                          "            member: fruit.data\n");

/// What is said when `from` is replaced by `to` in a good manifest.
std::string refused(const std::string& from, const std::string& to) {
    std::string text = whole;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return said([&] { parse_manifest(text.replace(at, from.size(), to), "m.yaml"); });
}

}  // namespace

TEST_CASE("The project's manifest is sound and complete") {
    const Manifest manifest = load_manifest(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
    const std::vector<std::string> expected{"optdigits", "mnist-test", "abalone",      "banknote", "car",
                                            "yeast",     "cmc",        "nursery",      "wifi",     "krkopt",
                                            "iris",      "wine",       "breast-cancer"};
    std::vector<std::string> names;
    std::set<std::string> sums;
    for (const Entry& entry : manifest.entries) {
        names.push_back(entry.name);
        INFO(entry.name);
        CHECK(entry.licence.starts_with("CC BY"));
        CHECK(entry.doi.starts_with("10."));
        for (const DataFile& file : entry.files) {
            CHECK(sums.insert(file.sha256).second);
            bool url = false;
            for (const Source& source : file.sources) url |= !source.url.empty();
            CHECK(url);
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
    CHECK(said([&] { manifest.find("friut"); }) ==
          "there is no data set 'friut'; there are fruit, mnist-test. Did you mean 'fruit'?");
}

TEST_CASE("Malformed manifests are refused by file, line and column") {
    CHECK(said([&] { parse_manifest(whole, "m.yaml"); }) == "accepted");
    CHECK(refused("version: 1", "version: 2") ==
          "m.yaml:1:10: 'version' of the manifest is not 1, the only version this program reads");
    CHECK(refused("    licence: CC0", "    license: CC0") ==
          "m.yaml:6:5: data set 'fruit' has the unknown key 'license'; allowed: title, description, licence, "
          "licence_url, citation, doi, homepage, format, separator, header_lines, rows, classes, columns, files. "
          "Did you mean 'licence'?");
    CHECK(refused("    doi: 10.0/none\n", "") == "m.yaml:4:5: data set 'fruit' lacks the key 'doi'");
    CHECK(refused("    title: A small set", "    title:") ==
          "m.yaml:4:5: 'title' of data set 'fruit' must be a text, not nothing");
    CHECK(refused("rows: 3", "rows: many") ==
          "m.yaml:12:11: 'rows' of data set 'fruit' must be a whole number from 1, not 'many'");
    CHECK(refused("rows: 3", "rows: 4") ==
          "m.yaml:13:14: 'classes' of data set 'fruit' add up to 3 rows, but 'rows' is 4");
    CHECK(refused("format: text", "format: txt") ==
          "m.yaml:11:13: 'format' of data set 'fruit' is 'txt'; allowed: text, idx. Did you mean 'text'?");
    CHECK(refused("type: number", "type: numbr") ==
          "m.yaml:15:30: 'type' of a column of data set 'fruit' is 'numbr'; allowed: number, category, label, ignored. "
          "Did you mean 'number'?");
    CHECK(refused("type: number", "type: label") ==
          "m.yaml:15:7: 'columns' of data set 'fruit' must have exactly one column of type label");
    CHECK(refused("type: number", "type: number, values: [a]") ==
          "m.yaml:15:46: 'values' of a column of data set 'fruit' only goes with type: category");
    CHECK(refused("market/fruit.data", "../fruit.data") ==
          "m.yaml:19:15: 'path' of a file of data set 'fruit' must be relative and stay inside its folder");
    CHECK(refused("market/fruit.data", "/etc/fruit.data") ==
          "m.yaml:19:15: 'path' of a file of data set 'fruit' must be relative and stay inside its folder");
    CHECK(refused("https://example.org/f.zip", "http://example.org/f.zip") ==
          "m.yaml:23:18: 'url' of a source of data set 'fruit' must begin with https://");
    CHECK(refused("- url: https://example.org/f.zip", "- package: fruit") ==
          "m.yaml:24:21: 'member' of a source of data set 'fruit' only goes with 'url'");
    CHECK(refused("- url: https://example.org/f.zip\n            member: fruit.data",
                  "- package: p\n            file: f") ==
          "m.yaml:24:19: 'file' of a source of data set 'fruit' must be an absolute path");
    CHECK(refused("- url: https://example.org/f.zip\n            member: fruit.data", "- generator: nursry") ==
          "m.yaml:23:24: 'generator' of a source of data set 'fruit' is 'nursry'; allowed: car, nursery, krkopt. "
          "Did you mean 'nursery'?");
    CHECK(refused("- url: https://example.org/f.zip\n            member: fruit.data", "- generator: [car]") ==
          "m.yaml:23:24: 'generator' of a source of data set 'fruit' must be a text, not a list of 1");
    CHECK(refused("- url: https://example.org/f.zip", "- generator: car") ==
          "m.yaml:24:21: 'member' of a source of data set 'fruit' only goes with 'url'");
    CHECK(refused("- url: https://example.org/f.zip\n            member", "- generator: car\n            file") ==
          "m.yaml:24:19: 'file' of a source of data set 'fruit' only goes with 'package'");
    CHECK(refused("            member: fruit.data", "            generator: car") ==
          "m.yaml:23:13: a source of data set 'fruit' has either 'generator', or 'package' and 'file', or 'url'");
    CHECK(refused("- url: https://example.org/f.zip", "- generatr: car")
              .starts_with("m.yaml:23:13: a source of data set 'fruit' has the unknown key 'generatr'; allowed: "
                           "generator, package, file, url, member. Did you mean 'generator'?"));
    CHECK(refused("sha256: ", "sha256: x") ==
          "m.yaml:20:17: 'sha256' of a file of data set 'fruit' must have 64 lower-case hexadecimal digits");
    CHECK(refused("format: text", "format: idx") ==
          "m.yaml:19:7: 'files' of data set 'fruit' must have 2 for this format");
    CHECK(refused("datasets:\n", "datasets: [1]\nrest:\n")
              .starts_with("m.yaml:3:1: the manifest has the unknown key 'rest'"));
    CHECK(refused("    title: A small set\n", "    title: A\n    title: B\n").starts_with("m.yaml:5:5: "));
    CHECK(refused("columns:\n", "columns: [\n").starts_with("m.yaml:"));
}
