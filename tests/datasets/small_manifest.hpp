#pragma once
// A manifest of one small text data set and one small IDX data set, made in the test.
#include <string>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/datasets/manifest.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench_places.hpp"
#include "scene.hpp"

namespace scene {

/// The manifest of the project, and nobody to tell anything.
inline rfbench::datasets::Manifest project_manifest() {
    return rfbench::datasets::load_manifest(RFBENCH_SOURCE_DIR "/data/manifest.yaml");
}
inline const rfbench::datasets::Warn quiet = [](const std::string&) {};

inline const std::string fruit_bytes = "1.5,red,apple\r\n2,green,pear\r\n3,red,apple";

/// Two images of 28 x 28 pixels, all 51 and all 255, and their labels 3 and 7.
inline std::string image_bytes() {
    return std::string("\0\0\x08\x03", 4) + big_endian(2) + big_endian(28) + big_endian(28) + std::string(784, '\x33') +
           std::string(784, '\xff');
}
inline std::string label_bytes() { return std::string("\0\0\x08\x01", 4) + big_endian(2) + "\x03\x07"; }

/// One `files` entry; `sources` is YAML of the list, or empty.
inline std::string file_yaml(const std::string& path, const std::string& bytes, const std::string& sources) {
    return "      - path: " + path + "\n        sha256: " + rfbench::store::sha256(bytes) +
           "\n        size: " + std::to_string(bytes.size()) + "\n" +
           (sources.empty() ? "" : "        sources:\n" + sources);
}

inline std::string facts_yaml(const std::string& name) {
    return "  " + name +
           ":\n    title: A small set\n    description: Made in a test.\n    licence: CC0\n"
           "    licence_url: https://example.org/cc0\n    citation: Nobody (2024).\n    doi: 10.0/none\n"
           "    homepage: https://example.org\n";
}

inline std::string fruit_yaml(const std::string& sources = "") {
    return facts_yaml("fruit") +
           "    format: text\n    rows: 3\n    classes: {apple: 2, pear: 1}\n    columns:\n"
           "      - {name: weight, type: number}\n      - {name: colour, type: category, values: [red, green]}\n"
           "      - {name: kind, type: label}\n    files:\n" +
           file_yaml("market/fruit.data", fruit_bytes, sources);
}

inline std::string mnist_yaml() {
    return facts_yaml("mnist-test") + "    format: idx\n    rows: 2\n    classes: {\"3\": 1, \"7\": 1}\n    files:\n" +
           file_yaml("mnist/images", image_bytes(), "") + file_yaml("mnist/labels", label_bytes(), "");
}

inline rfbench::datasets::Manifest small_manifest(const std::string& fruit_sources = "") {
    return rfbench::datasets::parse_manifest("version: 1\ndatasets:\n" + fruit_yaml(fruit_sources) + mnist_yaml(),
                                             "small.yaml");
}

}  // namespace scene
