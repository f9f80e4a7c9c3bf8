#include "rfbench/datasets/encoding.hpp"

#include "catch.hpp"

using namespace rfbench;
using namespace rfbench::datasets;

namespace {

Table small() {
    Table table;
    table.columns = {{"colour", ColumnType::category, {"red", "green", "blue"}}, {"size", ColumnType::number, {}}};
    table.values = Points{{2, 10}, {0, 20}, {1, 30}};
    table.classes = {0, 1, 0};
    table.class_names = {"a", "b"};
    return table;
}

}  // namespace

TEST_CASE("Categories become columns, or their codes", "[encoding]") {
    CHECK(encode(small(), Encoding::one_hot) == Points{{0, 0, 1, 10}, {1, 0, 0, 20}, {0, 1, 0, 30}});
    CHECK(encode(small(), Encoding::ordinal) == Points{{2, 10}, {0, 20}, {1, 30}});
}

TEST_CASE("Scales are those of the training rows", "[encoding]") {
    const Points training{{1, 5, 7}, {3, 9, 7}};
    const Points standardized = fit_scale(training, Scaling::standardized).apply(training);
    CHECK(standardized == Points{{-1, -1, 0}, {1, 1, 0}});
    const Points others{{2, 13, 8}};
    CHECK(fit_scale(training, Scaling::standardized).apply(others) == Points{{0, 3, 1}});
    CHECK(fit_scale(training, Scaling::min_max).apply(others) == Points{{0.5, 2, 1}});
    CHECK(fit_scale(training, Scaling::raw).apply(others) == others);
    CHECK_THROWS_AS(fit_scale(Points(0, 2), Scaling::raw), std::invalid_argument);
}
