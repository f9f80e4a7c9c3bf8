#include "rfbench/engine/merge_stores.hpp"

#include "catch.hpp"
#include "rfbench/errors.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;

namespace {

store::Dataset other_values(const engine::Cell& cell) {
    auto data = sweep::compute(cell);
    data.variables[0].values[0] += 1;
    return data;
}

}  // namespace

TEST_CASE("two values under one identity are refused, and nothing is taken") {
    const Folder a, b;
    auto part = sweep::plan();
    part.cells.resize(1);
    engine::run(part, other_values, quiet(a.path()));
    engine::run(sweep::plan(), sweep::compute, quiet(b.path()));
    store::CellStore ours(a.path() / "cells");
    const std::string said =
        refusal<rfbench::FileError>([&] { engine::merge_stores(store::CellStore(b.path() / "cells"), ours); });
    INFO(said);
    CHECK(contains(said, (a.path() / "cells").string()));
    CHECK(contains(said, (b.path() / "cells").string()));
    CHECK(contains(said, "regime: normal"));
    CHECK(store::CellStore(a.path() / "cells").cells().size() == 1);
}

TEST_CASE("cells that another build computed to the same values are there already") {
    const Folder a, b;
    auto plan = sweep::plan();
    engine::run(plan, sweep::compute, quiet(a.path()));
    plan.provenance["compiler"] = "another";
    engine::run(plan, sweep::compute, quiet(b.path()));
    store::CellStore ours(a.path() / "cells");
    const auto united = engine::merge_stores(store::CellStore(b.path() / "cells"), ours);
    CHECK(united.there == 38);
    CHECK(united.taken == 0);
    CHECK(united.damaged.empty());
}

TEST_CASE("of measured cells those that are here stay") {
    const Folder a, b;
    auto plan = sweep::plan();
    plan.common += "measured: on this machine\n";
    plan.measured = true;
    engine::run(plan, sweep::compute, quiet(a.path()));
    engine::run(plan, other_values, quiet(b.path()));
    store::CellStore ours(a.path() / "cells");
    CHECK(engine::merge_stores(store::CellStore(b.path() / "cells"), ours).there == 38);
    const auto cell = ours.read(*ours.find(engine::Recipes(plan).identity(plan.cells[0])));
    CHECK(cell.data.variables[0].values == sweep::compute(plan.cells[0]).variables[0].values);
}

TEST_CASE("a damaged cell, and one whose identity is not that of its recipe, are left where they are") {
    const Folder a, b;
    engine::run(sweep::plan(), sweep::compute, quiet(a.path()));
    damage(a.path(), sweep::plan(), 7);
    {
        store::CellStore forged(a.path() / "cells");
        forged.add(store::digest("forged"), 1, 0,
                   {{"study: x\n", "gamma: 1\n"}, {}, sweep::compute(sweep::plan().cells[0])});
        forged.commit();
    }
    store::CellStore ours(b.path() / "cells");
    const auto united = engine::merge_stores(store::CellStore(a.path() / "cells"), ours);
    CHECK(united.taken == 37);
    REQUIRE(united.damaged.size() == 2);
    CHECK(store::CellStore(b.path() / "cells").cells().size() == 37);
}
