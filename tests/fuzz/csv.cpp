// Texts of rows (delimited, ARFF, LIBSVM's): a data set with named columns, and points.

#include "reading.hpp"
#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/points.hpp"

using namespace rfbench;

FUZZ(bytes) {
    fuzz::refuses_or_reads([&] {
        const datasets::SeenTable seen = datasets::look_at(bytes, "file.csv");
        datasets::describe(seen, "file.csv");
        datasets::layout_of(seen, {seen.columns.back().name, {}, {}}, "file.csv");
    });
    fuzz::refuses_or_reads([&] { datasets::read_points_text(bytes, "points.csv"); });
}
