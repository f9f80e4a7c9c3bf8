#include <omp.h>

#include <mutex>
#include <set>

#include "catch.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

std::map<std::string, std::string> reference() {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path(), 1));
    return snapshot(folder.path());
}

}  // namespace

TEST_CASE("every result file has the same bytes for any number of threads and any order of the cells") {
    const auto expected = reference();
    CHECK(expected.size() == 3);  // the collected file, the list of its cells and the sums
    for (const int threads : {1, 2, 3})
        for (const auto order : {engine::Order::forward, engine::Order::reverse, engine::Order::shuffled}) {
            const Folder folder;
            auto options = quiet(folder.path(), threads);
            options.order = order;
            options.shuffle_seed = std::uint64_t(threads);
            engine::run(sweep::plan(), sweep::compute, options);
            CHECK(differences(snapshot(folder.path()), expected) == "");
        }
}

TEST_CASE("sha256sum accepts the list of sums") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    const std::string in = (folder.path() / "variance" / "small").string();
    CHECK(std::system(("cd '" + in + "' && sha256sum --status --strict -c SHA256SUMS").c_str()) == 0);
    put_bytes(folder.path() / "variance" / "small.h5", "other");
    CHECK(std::system(("cd '" + in + "' && sha256sum --status --strict -c SHA256SUMS 2>/dev/null").c_str()) != 0);
}

TEST_CASE("the summary and the collected file tell what was done") {
    const Folder folder;
    const auto summary = engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    CHECK(summary.cells == 38);
    CHECK(summary.computed == 38);
    CHECK(summary.reused == 0);
    CHECK(summary.failed.empty());
    CHECK(!summary.interrupted);
    REQUIRE(summary.collected == folder.path() / "variance" / "small.h5");

    const auto whole = store::read(summary.collected);
    CHECK(whole.variable("log_variance").values.size() == 120);
    CHECK(whole.attributes.at("config") == sweep::plan().resolved);
    CHECK(whole.attributes.at("commit") == "abc");

    const store::CellStore cells(folder.path() / "cells");
    const engine::Recipes recipes(sweep::plan());
    const engine::Cell known = sweep::plan().cells[3];
    const auto cell = cells.read(*cells.find(recipes.identity(known)));
    CHECK(cell.recipe.common == sweep::plan().common);
    CHECK(cell.recipe.own == "regime: normal\ngamma: 0.1\nrepeat: 3\n");
    CHECK(cell.provenance.at("commit") == "abc");
    CHECK(cell.data.variable("kernel").values == sweep::compute(known).variable("kernel").values);
}

TEST_CASE("cells run side by side, each with one OpenMP thread, and the caller's settings come back") {
    for (const int threads : {1, 3}) {
        const Folder folder;
        const int levels = omp_get_max_active_levels(), team = omp_get_max_threads();
        std::atomic<int> inside{0}, begun{0}, most{0}, widest{0};
        engine::run(
            sweep::plan(),
            [&](const engine::Cell& cell) {
                const int now = ++inside;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                if (omp_get_max_threads() != 1) widest = omp_get_max_threads();
#pragma omp parallel
                if (omp_get_num_threads() > 1) widest = omp_get_num_threads();
#pragma omp parallel num_threads(2)
                if (threads > 1 && omp_get_num_threads() > 1) widest = omp_get_num_threads();
                // The first cells wait for one another, so that each thread has one, however late it comes.
                ++begun;
                while (begun < threads) usleep(100);
                --inside;
                return sweep::compute(cell);
            },
            quiet(folder.path(), threads));
        CHECK(most == threads);
        CHECK(widest == 0);
        CHECK(omp_get_max_active_levels() == levels);
        CHECK(omp_get_max_threads() == team);
    }
}

TEST_CASE("a cell that throws is recorded with its reason and the others go on") {
    const auto plan = sweep::plan();
    const Folder folder;
    std::atomic<bool> broken{true};
    const auto compute = [&](const engine::Cell& cell) {
        if (broken && cell.key == plan.cells[3].key) throw std::runtime_error("no convergence");
        if (broken && cell.key == plan.cells[9].key) throw 7;
        auto data = sweep::compute(cell);
        if (broken && cell.key == plan.cells[20].key) data.variables[0].values.pop_back();
        return data;
    };
    auto summary = engine::run(plan, compute, quiet(folder.path()));
    CHECK(summary.computed == 35);
    REQUIRE(summary.failed.size() == 3);
    CHECK(summary.failed[0].key == plan.cells[3].key);
    CHECK(summary.failed[0].reason == "no convergence");
    CHECK(summary.failed[1].key == plan.cells[9].key);
    CHECK(!summary.failed[1].reason.empty());
    CHECK(contains(summary.failed[2].reason, "log_variance"));
    CHECK(!summary.interrupted);

    auto whole = store::read(summary.collected);
    CHECK(whole.attributes.at("failed_cells") ==
          plan.cells[3].key + "\n" + plan.cells[9].key + "\n" + plan.cells[20].key);
    CHECK(std::isnan(whole.variable("kernel").values[3]));
    CHECK(!std::isnan(whole.variable("kernel").values[4]));

    const auto state = engine::status(plan, folder.path());
    CHECK(state.count(engine::State::failed) == 3);
    CHECK(state.cells[3].reason == "no convergence");

    // The next run tries the failed ones again, and only those.
    broken = false;
    summary = engine::run(plan, compute, quiet(folder.path()));
    CHECK(summary.computed == 3);
    CHECK(summary.reused == 35);
    CHECK(summary.failed.empty());
    CHECK(differences(snapshot(folder.path()), reference()) == "");
}

TEST_CASE("cells that do not fit together are an error that names two of them, and stay done") {
    const auto plan = sweep::plan();
    const Folder folder;
    const std::string text = refusal<std::invalid_argument>([&] {
        engine::run(
            plan,
            [&](const engine::Cell& cell) {
                auto data = sweep::compute(cell);
                if (cell.key == plan.cells[5].key) data.variables.pop_back();
                return data;
            },
            quiet(folder.path()));
    });
    CHECK(contains(text, plan.cells[0].key));
    CHECK(contains(text, plan.cells[5].key));
    CHECK(engine::status(plan, folder.path()).count(engine::State::done) == plan.cells.size());
    CHECK(!fs::exists(folder.path() / "variance" / "small.h5"));
}

TEST_CASE("two runs at once on one folder refuse, on two folders they do not") {
    const Folder folder;
    fs::create_directories(folder.path() / "variance" / "small");
    const engine::Lock held(folder.path() / "variance" / "small" / "lock");
    Counted counted;
    const std::string text =
        refusal<std::runtime_error>([&] { engine::run(sweep::plan(), counted.function(), quiet(folder.path())); });
    INFO(text);
    CHECK(contains(text, "a run is at work here already (process " + std::to_string(getpid()) + ")"));
    CHECK(contains(text, (folder.path() / "variance" / "small").string()));
    CHECK(counted.calls == 0);

    auto other = sweep::plan();
    other.config = "other";
    CHECK(engine::run(other, sweep::compute, quiet(folder.path())).computed == 38);
}

TEST_CASE("an empty plan is no error") {
    const Folder folder;
    auto plan = sweep::plan();
    plan.cells.clear();
    const auto summary = engine::run(plan, sweep::compute, quiet(folder.path()));
    CHECK(summary.cells == 0);
    CHECK(!summary.interrupted);
}
