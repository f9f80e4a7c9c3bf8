// Nystroem features in the studies that take features of rows.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/engine/plan.hpp"
#include "small_set.hpp"
#include "study/singular.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

constexpr Index rows_made = 60;  // 54 of them for training

/// Each row twice.
small_set::Rows doubled() {
    const small_set::Rows half = small_set::clouds(rows_made / 2);
    small_set::Rows all = half;
    all.points.conservativeResize(rows_made, Eigen::NoChange);
    all.points.bottomRows(rows_made / 2) = half.points;
    all.classes.insert(all.classes.end(), half.classes.begin(), half.classes.end());
    return all;
}

}  // namespace

TEST_CASE("with all training rows as landmarks, ridge regression is that of the kernel", "[experiments]") {
    const small_set::Project project(small_set::clouds(rows_made));
    const Sweep sweep = prepared(find("regression", "ridge"),
                                 "datasets: [small]\nnumeric: [small]\nmethods: [nystroem-features, exact]\ngammas: 1\n"
                                 "lambdas: [0.1, 1]\ncolumns: 54\nrepeats: 2\nsplits: 2\n");
    const store::Dataset through = computed_at(sweep, "method=nystroem-features"),
                         exact = computed_at(sweep, "method=exact");
    CHECK(values(through, "features")[0] == 54);
    for (const char* variable : {"validation_rmse", "test_rmse", "validation_error", "test_error"})
        for (std::size_t i = 0; i < 4; ++i)
            // Eigenvalues that are left out of K are below 1e-13, and lambda is 0.1.
            CHECK(values(through, variable)[i] == Approx(values(exact, variable)[i]).epsilon(1e-9));
    // Fewer landmarks are another regression.
    const Sweep few = prepared(find("regression", "ridge"),
                               "datasets: [small]\nnumeric: [small]\nmethods: [nystroem-features]\ngammas: 1\n"
                               "lambdas: [0.1, 1]\ncolumns: 6\nrepeats: 2\nsplits: 2\n");
    CHECK(values(computed_at(few, "method=nystroem-features"), "test_rmse")[0] !=
          Approx(values(exact, "test_rmse")[0]).epsilon(1e-3));
}

TEST_CASE("landmarks that coincide are counted in every study of rows, and shown", "[experiments]") {
    const small_set::Project project(doubled());
    const std::string yaml =
        "datasets: [small]\nmethods: [nystroem-features, positive]\ngammas: 4\ncolumns: 54\nrepeats: 2\nsplits: 1\n";
    for (const char* study : {"accuracy", "ridge", "nadaraya-watson"}) {
        INFO(study);
        const Sweep sweep = prepared(find("regression", study), yaml);
        // 54 of 60 rows are for training: 24 of the 30 pairs of equal ones at least are there whole.
        CHECK(value(computed_at(sweep, "method=nystroem-features"), "singular") >= 24.0 / 54);
        CHECK(value(computed_at(sweep, "method=positive"), "singular") == 0);
    }
    store::Dataset data{{{"method", std::vector<std::string>{"nystroem-features", "positive"}, "", ""}},
                        {{"singular", {"method"}, {0.25, 0}, "", ""}},
                        {}};
    const auto table = singular_table(data);
    REQUIRE(table);
    REQUIRE(table->rows.size() == 1);
    CHECK(std::get<double>(table->rows[0].entries[2]) == 0.25);
    data.variables[0].values[0] = 0;
    CHECK(!singular_table(data));
    data.variables.clear();
    CHECK(!singular_table(data));
}

TEST_CASE("quasi/rate: Nystroem features of points that they are fitted to others of", "[experiments]") {
    const Sweep sweep = prepared(find("quasi", "rate"),
                                 "methods: [nystroem-features, trigonometric]\ndimensions: 2\nlengths: 1\n"
                                 "draws: [4, 64]\npairs: 50\nrepeats: 2\nestimates: 3\n");
    const auto error = [&](const char* method, const char* draws) {
        return value(computed(sweep, {method, draws}), "relative_error");
    };
    // In two dimensions 64 landmarks of 2048 leave little of a smooth kernel; M draws leave 1 / sqrt M.
    CHECK(error("method=nystroem-features", "draws=64") < 1e-3);
    CHECK(error("method=nystroem-features", "draws=64") < 0.1 * error("method=nystroem-features", "draws=4"));
    CHECK(error("method=trigonometric", "draws=64") > 0.02);
}

TEST_CASE("landmarks of each draw are rows of their own, the same for one stream", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(rows_made);
    const Study& study = find("quasi", "rate");
    const auto chosen =
        methods(parsed(study, "methods: [nystroem-features]\ndimensions: 2\nlengths: 1\ndraws: 4\n"), study.methods);
    const RowDrawing fitted = chosen.front()->row_features()->of_rows(rows.points, rows.points);
    const auto& scheme = sampling::find("iid");
    const auto features = [&](std::uint64_t draw) {
        features::FeatureBlock<double> block;
        fitted.draw(5, scheme, Stream(1).child(draw)).map->evaluate(features::Side::query, rows.points, block);
        return block.values;
    };
    CHECK(features(0) == features(0));
    CHECK(features(0) != features(1));
}
