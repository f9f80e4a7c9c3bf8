// Figures and tables that change together with the collected file.
#include <stdexcept>

#include "catch.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/journal.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/verify.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

const fs::path place = fs::path("variance") / "small";

engine::Options shown(const fs::path& folder) {
    auto options = quiet(folder);
    options.show = draw;
    return options;
}

engine::Plan other_plan() {
    auto plan = sweep::plan();
    plan.resolved = "experiment: variance\nseed: 2\n";
    return plan;
}

/// Whether the figure in place is of the file in place, both are listed, and nothing else is wrong.
bool agrees(const fs::path& root) {
    const fs::path collected = root / "variance" / "small.h5", figure = root / place / "figures" / "of.txt";
    return bytes_of(figure) == store::sha256_file(collected) && store::verify(root / place).empty() &&
           store::read_checksums(root / place).contains("figures/of.txt");
}

}  // namespace

TEST_CASE("figures change with the file that they show, and are listed with it") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, shown(folder.path()));
    CHECK(agrees(folder.path()));
    const std::string first = bytes_of(folder.path() / place / "figures" / "of.txt");
    engine::run(other_plan(), sweep::compute, shown(folder.path()));
    CHECK(agrees(folder.path()));
    CHECK(bytes_of(folder.path() / place / "figures" / "of.txt") != first);
    // A run that draws nothing leaves no figure of other data, and one of the same data.
    engine::run(other_plan(), sweep::compute, quiet(folder.path()));
    CHECK(agrees(folder.path()));
    engine::run(sweep::plan(), sweep::compute, quiet(folder.path()));
    CHECK(!fs::exists(folder.path() / place / "figures" / "of.txt"));
    CHECK(store::verify(folder.path() / place).empty());
}

TEST_CASE("where figures cannot be made, or a stop is asked for meanwhile, all that was in place stays") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, shown(folder.path()));
    const auto before = snapshot(folder.path());
    auto options = quiet(folder.path());
    options.show = [](const fs::path& collected, const fs::path& at) {
        draw(collected, at);
        throw std::runtime_error("no ink");
    };
    CHECK(refusal<std::runtime_error>([&] { engine::run(other_plan(), sweep::compute, options); }) == "no ink");
    CHECK(differences(snapshot(folder.path()), before) == "");

    std::atomic<bool> stop{false};
    options.stop = &stop;
    options.show = [&](const fs::path& collected, const fs::path& at) {
        draw(collected, at);
        stop = true;
    };
    CHECK(engine::run(other_plan(), sweep::compute, options).interrupted);
    CHECK(differences(snapshot(folder.path()), before) == "");
    CHECK(agrees(folder.path()));
}

TEST_CASE("while figures are made nobody else changes them") {
    const Folder folder;
    auto options = quiet(folder.path());
    options.show = [&](const fs::path& collected, const fs::path& at) {
        draw(collected, at);
        CHECK(refusal([&] { const engine::Lock lock(folder.path() / place / "lock"); }) != "accepted");
        CHECK(store::verify(folder.path() / place).empty());  // and nothing is wrong meanwhile
    };
    engine::run(sweep::plan(), sweep::compute, options);
    CHECK(agrees(folder.path()));
}

TEST_CASE("whatever becomes of journal and list, a run makes both good again") {
    const Folder folder;
    engine::run(sweep::plan(), sweep::compute, shown(folder.path()));
    const auto before = snapshot(folder.path());
    const fs::path journal = folder.path() / place / "journal", list = folder.path() / place / "SHA256SUMS";
    for (const bool gone : {false, true})
        for (const fs::path& file : {journal, list}) {
            INFO(file << (gone ? " gone" : " damaged"));
            if (gone)
                fs::remove(file);
            else
                put_bytes(file, "nonsense\n" + bytes_of(file));
            Counted counted;
            engine::run(sweep::plan(), counted.function(), shown(folder.path()));
            CHECK(counted.calls == 0);
            CHECK(store::verify(folder.path() / place).empty());
            CHECK(differences(snapshot(folder.path()), before) == "");
            CHECK(store::read_journal(journal).damaged.empty());
        }
}
