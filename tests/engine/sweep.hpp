#pragma once
// A small sweep with holes, the same for all tests of the engine: regime x gamma x repeat, each cell an array over an
// axis of its own and a single number, all computed from the cell's key.
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "rfbench/engine/recipe.hpp"
#include "rfbench/engine/run.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/sha256.hpp"
#include "support/temporary_folder.hpp"

namespace sweep {

namespace engine = rfbench::engine;
namespace store = rfbench::store;
namespace fs = std::filesystem;

/// In memory, because a run waits for the disk three times a cell.
struct Folder : rfbench::tests::TemporaryFolder {
    Folder() : TemporaryFolder(rfbench::tests::Medium::memory) {}
};

inline store::Axis words(std::string name, std::vector<std::string> labels) {
    return {std::move(name), std::move(labels), "", ""};
}

inline store::Axis numbers(std::string name, std::vector<double> labels) {
    return {std::move(name), std::move(labels), "", ""};
}

/// 2 x 4 x 5 cells, without those of (sphere, gamma = 0.3, repeat > 2).
inline engine::Plan plan() {
    engine::Plan plan;
    plan.experiment = "variance";
    plan.config = "small";
    plan.resolved = "experiment: variance\nseed: 1\n";
    plan.data_hash = "d0";
    plan.axes = {words("regime", {"normal", "sphere"}), numbers("gamma", {0.1, 0.2, 0.3, 0.4}),
                 numbers("repeat", {0, 1, 2, 3, 4})};
    plan.common = "study: variance/small\nseed: 1\n";
    plan.provenance = {{"commit", "abc"}, {"compiler", "some"}};
    for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t g = 0; g < 4; ++g)
            for (std::size_t i = 0; i < 5; ++i) {
                if (r == 1 && g == 2 && i > 2) continue;
                std::ostringstream key;
                key << "regime=" << (r == 0 ? "normal" : "sphere") << ",gamma=0." << g + 1 << ",repeat=" << i;
                plan.cells.push_back({key.str(), {r, g, i}});
            }
    return plan;
}

/// Value of the cell at r, g, i.
inline double value(const engine::Cell& cell, double offset) {
    double code = 0;
    for (const auto coordinate : cell.coordinates) code = 10 * code + double(coordinate);
    return std::sqrt(code + offset);
}

inline store::Dataset compute(const engine::Cell& cell) {
    store::Dataset data;
    data.axes = {words("mechanism", {"positive", "trigonometric", "hybrid"})};
    data.variables = {{"log_variance", {"mechanism"}, {value(cell, 0), value(cell, 0.25), value(cell, 0.5)}, "", "a"},
                      {"kernel", {}, {value(cell, 0.125)}, "", "b"}};
    return data;
}

inline engine::Options quiet(const fs::path& folder, int threads = 2) {
    engine::Options options;
    options.folder = folder;
    options.threads = threads;
    options.progress = engine::ProgressMode::quiet;
    options.commit_interval = 0;  // every cell is stored at once
    return options;
}

/// A figure that says of which data it is.
inline void draw(const fs::path& collected, const fs::path& folder) {
    fs::create_directories(folder / "figures");
    store::write_file(folder / "figures" / "of.txt", store::sha256_file(collected));
}

/// Counts the calls of compute.
struct Counted {
    std::atomic<int> calls{0};

    auto function() {
        return [this](const engine::Cell& cell) {
            ++calls;
            return compute(cell);
        };
    }
};

/// Every result file below the folder, by its relative name; journals and packs hold times and are none.
inline std::map<std::string, std::string> snapshot(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && !name.starts_with("journal") && !name.starts_with("lock") &&
            entry.path().extension() != ".pack" && entry.path().parent_path().filename() != "shards")
            files[fs::relative(entry.path(), folder).string()] = rfbench::tests::bytes_of(entry.path());
    }
    return files;
}

/// Files of a run that nothing stops.
inline std::map<std::string, std::string> uninterrupted(const engine::Plan& plan) {
    const Folder folder;
    engine::run(plan, compute, quiet(folder.path(), 1));
    return snapshot(folder.path());
}

/// Pack and record in which a cell of the plan is stored.
inline std::pair<fs::path, store::Record> stored(const fs::path& folder, const engine::Plan& plan, std::size_t cell) {
    const store::CellStore cells(folder / "cells");
    const store::Entry* entry = cells.find(engine::Recipes(plan).identity(plan.cells.at(cell)));
    if (!entry) throw std::runtime_error("no such cell is stored");
    return {cells.packs().at(entry->pack), entry->record};
}

/// One bit of a stored cell's values changes.
inline void damage(const fs::path& folder, const engine::Plan& plan, std::size_t cell) {
    const auto [pack, record] = stored(folder, plan, cell);
    std::string bytes = rfbench::tests::bytes_of(pack);
    bytes.at(record.offset + record.size - 1) ^= 4;
    rfbench::tests::put_bytes(pack, bytes);
}

/// The names whose bytes differ or that only one of the two has; empty when the trees are the same.
inline std::string differences(const std::map<std::string, std::string>& a,
                               const std::map<std::string, std::string>& b) {
    std::string list;
    for (const auto& [name, content] : a)
        if (const auto at = b.find(name); at == b.end() || at->second != content) list += name + " ";
    for (const auto& [name, content] : b)
        if (a.count(name) == 0) list += name + " ";
    return list;
}

}  // namespace sweep
