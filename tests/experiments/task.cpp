// Nothing about test rows may reach what is learned from training rows.
#include "catch.hpp"
#include "regression/printed.hpp"
#include "rfbench/features/pair_statistics.hpp"
#include "sources/data_sets.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

Task small_task() {
    Projections columns(3, 60);
    fill_normal(Stream(1), columns);
    Task task{"small", "", "", columns.transpose(), {}, {"a", "b", "c"}};
    for (int i = 0; i < 60; ++i) task.classes.push_back(i % 3);
    return task;
}

}  // namespace

TEST_CASE("Changing test and validation rows leaves all that is learned bit-equal", "[regression]") {
    const Task task = small_task();
    const auto split = regression::split_rows(60, Stream(2));
    Task changed = task;
    for (const auto* part : {&split.validation, &split.test})
        for (const Index row : *part) {
            changed.points.row(row).array() = 1e6;
            changed.classes[static_cast<std::size_t>(row)] = 0;
        }
    for (const auto scaling : {datasets::Scaling::standardized, datasets::Scaling::min_max, datasets::Scaling::raw}) {
        const SplitTask ours = split_task(task, split, scaling), theirs = split_task(changed, split, scaling);
        CHECK(ours.training.rows == theirs.training.rows);
        CHECK(ours.training.classes == theirs.training.classes);
        const auto a = features::statistics(ours.training.rows, ours.training.rows);
        const auto b = features::statistics(theirs.training.rows, theirs.training.rows);
        CHECK(a.x.mean == b.x.mean);
        CHECK(a.x.minimum == b.x.minimum);
        CHECK(a.x.second_moment == b.x.second_moment);
        CHECK(a.x.log_poisson_moments == b.x.log_poisson_moments);
        CHECK(ours.test != theirs.test);
    }
}

TEST_CASE("The thesis' rows are used, all of other sets", "[regression]") {
    CHECK(rows_used("car", 1728) == 1727);
    CHECK(rows_used("nursery", 12960) == 12960);
    CHECK(rows_used("iris", 150) == 150);
}

TEST_CASE("Printed accuracies", "[regression]") {
    CHECK(printed_accuracy("krkopt", "optimal-positive", "orthogonal") == 20.2);
    CHECK(printed_accuracy("banknote", "geometric", "iid") == 94.5);
    CHECK(!printed_accuracy("iris", "positive", "iid"));
    CHECK(!printed_accuracy("car", "exact", "iid"));
}
