#pragma once
// A project with one small data set, "small", whose rows a test chooses.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "datasets/scene.hpp"
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::small_set {

/// Rows of two numbers with classes named "1", "2" and "4".
struct Rows {
    Points points;  ///< n x 2
    std::vector<int> classes;
};
inline const std::vector<double> class_numbers{1, 2, 4};

/// Three clouds that overlap, of sizes that differ.
inline Rows clouds(Index n) {
    Projections noise(2, n);
    fill_normal(Stream(11), noise);
    Rows rows{noise.transpose(), {}};
    for (Index i = 0; i < n; ++i) {
        const int own = i % 5 < 2 ? 0 : i % 5 < 4 ? 1 : 2;
        rows.classes.push_back(own);
        rows.points(i, 0) += 1.3 * own + 3;
        rows.points(i, 1) = 5 * rows.points(i, 1) + (own == 1 ? 6 : 0);
    }
    return rows;
}

/// The folder that tests work in while it lives.
class Project {
public:
    explicit Project(const Rows& rows) : before_(std::filesystem::current_path()) {
        std::string text;
        std::map<int, int> counts;
        for (Index i = 0; i < rows.points.rows(); ++i) {
            const int own = rows.classes[static_cast<std::size_t>(i)];
            ++counts[own];
            text += fmt::format("{},{},{}\n", rows.points(i, 0), rows.points(i, 1),
                                class_numbers[static_cast<std::size_t>(own)]);
        }
        const std::string file = folder_.write("small.csv", text);
        folder_.write("data/manifest.yaml", fmt::format(R"(version: 1
datasets:
  small:
    title: Three clouds
    description: Drawn.
    licence: CC0 1.0
    licence_url: https://creativecommons.org/publicdomain/zero/1.0/
    citation: None.
    doi: none
    homepage: https://example.org
    format: text
    rows: {}
    classes: {{"1": {}, "2": {}, "4": {}}}
    columns:
      - {{name: a, type: number}}
      - {{name: b, type: number}}
      - {{name: class, type: label}}
    files:
      - path: small.csv
        sha256: {}
        size: {}
        sources:
          - package: small
            file: {}
)",
                                                        rows.points.rows(), counts[0], counts[1], counts[2],
                                                        store::sha256(text), text.size(), file));
        std::filesystem::current_path(folder_.path());
    }
    ~Project() { std::filesystem::current_path(before_); }

private:
    scene::Folder folder_;
    std::filesystem::path before_;
};

}  // namespace rfbench::small_set
