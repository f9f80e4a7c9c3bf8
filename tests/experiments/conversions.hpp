#pragma once
// Networks of a few hundred parameters, trained and converted.
#include <filesystem>
#include <stdexcept>
#include <string>

#include "cells.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "study/foundation.hpp"
#include "support/temporary_folder.hpp"

namespace rfbench::conversions {

using namespace rfbench::cells;

inline constexpr const char* recall = "{use: recall, length: 12, vocabulary: 8, pairs: 2, batch: 3";
inline constexpr const char* lists = "{use: lists, shortest: 4, longest: 10, depth: 2, batch: 3";

/// Networks of sources, with which prepare() of this thread converts while it lives.
class Trained {
public:
    explicit Trained(const std::string& sources) : there_(folder_.path()) {
        std::filesystem::create_directories(folder_ / "training");
        store::write(
            folder_ / "training/teachers.h5",
            collected(
                find("training", "teachers"),
                "sources: [" + sources +
                    "]\nlayers: 2\nheads: 2\nwidth: 8\ninner: 8\nevaluations: 1\njudged: 4\nkept: 2\nseeds: 2\n"));
    }

    store::Dataset data() const { return store::read(folder_ / "training/teachers.h5"); }

private:
    tests::TemporaryFolder folder_;
    FoundationFolder there_;
};

inline std::string yaml(const std::string& sources, const std::string& methods = "exact, uniform, positive") {
    return "from: training/teachers\nsources: [" + sources + "]\nmethods: [" + methods +
           "]\ncolumns: 8\nevaluations: 2\njudged: 5\ncompared: 2\nfitted_on: 3\ndistil_steps: 2\ndistil_batch: 2\n"
           "points: 16\ncontinuation: 3\nseeds: 2\n";
}

inline std::string source(const char* begun, int steps) { return begun + (", steps: " + std::to_string(steps) + "}"); }

inline const report::Table& table_named(const Report& report, const std::string& name) {
    for (const report::Table& table : report.tables)
        if (table.name == name) return table;
    throw std::logic_error("there is no table " + name);
}

}  // namespace rfbench::conversions
