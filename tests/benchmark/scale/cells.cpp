// Cost of the engine itself for a cell: sweeps of tiny cells, planned, run, looked at, collected and united, each step
// in a process of its own, whose seconds and peak of memory are printed.
//
//   rfbench_scale [FOLDER [LARGEST]]    sweeps of 10^4 cells, 10^5, ... up to LARGEST (10^6), in a folder of its own in
//                                       FOLDER (the system's temporary files)
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "rfbench/engine/merge_stores.hpp"
#include "rfbench/engine/recipe.hpp"
#include "rfbench/engine/run.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/journal.hpp"

namespace {

using namespace rfbench;
namespace fs = std::filesystem;

/// side x side cells.
engine::Plan plan(std::size_t side) {
    engine::Plan plan;
    plan.experiment = "scale";
    plan.config = "cells";
    plan.resolved = "experiment: scale\nseed: 1\n";
    plan.common = "study: scale/cells\nseed: 1\n";
    plan.provenance = {{"commit", "none"}, {"compiler", "some"}};
    std::vector<double> labels(side);
    for (std::size_t i = 0; i < side; ++i) labels[i] = static_cast<double>(i);
    plan.axes = {{"gamma", labels, "", ""}, {"repeat", labels, "", ""}};
    for (std::size_t a = 0; a < side; ++a)
        for (std::size_t b = 0; b < side; ++b) plan.cells.push_back({fmt::format("gamma={},repeat={}", a, b), {a, b}});
    return plan;
}

/// Four numbers that take no time.
store::Dataset compute(const engine::Cell& cell) {
    const auto x = static_cast<double>(cell.coordinates[0]), y = static_cast<double>(cell.coordinates[1]);
    store::Dataset data;
    data.axes = {{"quantity", std::vector<std::string>{"sum", "difference", "product"}, "", ""}};
    data.variables = {{"values", {"quantity"}, {x + y, x - y, x * y}, "", "three numbers"},
                      {"kernel", {}, {x / (1 + y)}, "", "one number"}};
    return data;
}

engine::Options options(const fs::path& folder) {
    engine::Options options;
    options.folder = folder;
    options.threads = 1;
    options.progress = engine::ProgressMode::quiet;
    return options;
}

/// Prints what a step took, in a process of its own.
void measure(const char* name, std::size_t cells, const std::function<void()>& step) {
    std::fflush(stdout);
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            step();
            ::_exit(0);
        } catch (const std::exception& error) {
            fmt::print(stderr, "{}: {}\n", name, error.what());
            ::_exit(1);
        }
    }
    int status = 0;
    struct rusage used {};
    ::wait4(child, &status, 0, &used);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    const double processor = of(used.ru_utime) + of(used.ru_stime);
    if (status != 0) throw std::runtime_error(fmt::format("the step '{}' failed", name));
    fmt::print("  {:<44} {:8.2f} s  {:8.2f} s of processor  {:7.2f} us a cell  {:6.0f} MiB\n", name, seconds, processor,
               1e6 * processor / static_cast<double>(cells), static_cast<double>(used.ru_maxrss) / 1024);
}

std::uintmax_t bytes_of(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
    return bytes;
}

/// The same cells, in packs of a hundred, as many short tasks would leave them.
void fill_with_packs(const fs::path& folder, const engine::Plan& plan, std::size_t each) {
    const engine::Recipes recipes(plan);
    const fs::path cells = folder / "cells", begun = folder / "begun";
    fs::create_directories(cells);
    for (std::size_t i = 0; i < plan.cells.size(); i += each) {
        store::CellStore pack(begun);
        for (std::size_t j = i; j < std::min(i + each, plan.cells.size()); ++j) {
            const engine::Cell& cell = plan.cells[j];
            pack.add(recipes.identity(cell), recipes.place(cell), 0.001,
                     {{recipes.common(), recipes.own(cell)}, plan.provenance, compute(cell)});
        }
        pack.commit();
        for (const auto& file : fs::directory_iterator(begun))
            fs::rename(file.path(), cells / fmt::format("{}{}", i, store::pack_extension));
    }
}

void sweep(const fs::path& folder, std::size_t side) {
    const std::size_t cells = side * side;
    const fs::path one = folder / "one", other = folder / "other", packs = folder / "packs";
    fmt::print("{} cells\n", cells);
    measure("plan: cells, recipes, identities", cells, [&] {
        const engine::Plan planned = plan(side);
        engine::check(planned);
        const engine::Recipes recipes(planned);
        for (const engine::Cell& cell : planned.cells)
            if (recipes.identity(cell) == store::Digest{}) throw std::runtime_error("no identity");
    });
    measure("run, as the only shard", cells, [&] {
        auto all = options(one);
        all.shard = engine::Shard{1, 1};
        if (engine::run(plan(side), compute, all).computed != cells) throw std::runtime_error("cells are missing");
    });
    measure("status", cells, [&] { engine::status(plan(side), one); });
    measure("run that collects", cells, [&] {
        const auto summary = engine::run(plan(side), compute, options(one));
        if (summary.computed != 0 || summary.collected.empty()) throw std::runtime_error("it did not collect");
    });
    measure("run that finds all done", cells, [&] { engine::run(plan(side), compute, options(one)); });
    measure("collect: united with an empty store", cells, [&] {
        store::CellStore to(other / "cells");
        if (engine::merge_stores(store::CellStore(one / "cells"), to).taken != cells)
            throw std::runtime_error("not all taken");
    });
    fs::remove_all(other);
    measure("filling packs of 100 cells", cells, [&] { fill_with_packs(packs, plan(side), 100); });
    measure("status of packs of 100 cells", cells, [&] { engine::status(plan(side), packs); });
    measure("a shard of a hundred that finds all done", cells, [&] {
        auto one_of_many = options(packs);
        one_of_many.shard = engine::Shard{1, cells / 100};
        if (engine::run(plan(side), compute, one_of_many).computed != 0) throw std::runtime_error("cells are missing");
    });
    measure("opening these packs alone", cells, [&] { const store::CellStore opened(packs / "cells"); });
    fmt::print("  {:.0f} bytes a cell in one pack, {:.0f} in packs of 100; result file {:.0f} bytes a cell\n",
               static_cast<double>(bytes_of(one / "cells")) / static_cast<double>(cells),
               static_cast<double>(bytes_of(packs / "cells")) / static_cast<double>(cells),
               static_cast<double>(fs::file_size(one / "scale/cells.h5")) / static_cast<double>(cells));
    fs::remove_all(one);
    fs::remove_all(packs);
}

/// As cells were kept before there were packs.
void one_file_a_cell(const fs::path& folder) {
    const engine::Plan planned = plan(32);
    fs::create_directories(folder);
    measure("before: an HDF5 file and a journal line a cell", planned.cells.size(), [&] {
        for (const engine::Cell& cell : planned.cells) {
            store::Event event;
            event.event = "done";
            event.key = cell.key;
            event.sha256 = store::write(folder / (cell.key + ".h5"), compute(cell));
            store::append(folder / "journal", event);
        }
    });
    fmt::print("  {:.0f} bytes a cell\n",
               static_cast<double>(bytes_of(folder)) / static_cast<double>(planned.cells.size()));
}

}  // namespace

int main(int argc, char** argv) {
    const fs::path place = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
    const std::size_t largest = argc > 2 ? std::stoul(argv[2]) : 1'000'000;
    const fs::path folder = place / fmt::format("rfbench-scale-{}", ::getpid());
    try {
        fs::create_directories(folder);
        for (const std::size_t side : {100, 316, 1000})
            if (side * side <= largest) sweep(folder, side);
        one_file_a_cell(folder / "files");
        fs::remove_all(folder);
    } catch (const std::exception& error) {
        fmt::print(stderr, "rfbench_scale: {}; what it made is in {}\n", error.what(), folder.string());
        return 1;
    }
    return 0;
}
