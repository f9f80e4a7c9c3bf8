#include "study/singular.hpp"

#include <algorithm>
#include <cmath>

#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {

store::Variable singular_columns(double share) {
    return {"singular", {}, {share}, "", "mean share of columns whose landmarks cannot be told apart"};
}

std::optional<report::Table> singular_table(const store::Dataset& data) {
    const auto is_singular = [](const store::Variable& one) { return one.name == "singular"; };
    if (std::none_of(data.variables.begin(), data.variables.end(), is_singular)) return {};
    const report::Format percent{report::Format::Kind::percent, 2};
    report::Table table{
        .name = "singular",
        .caption =
            "Columns that carry nothing: eigenvalues of the kernel matrix of the landmarks that are rounding. They are "
            "left out, and nothing is added to them. Share of all columns, over all cells.",
        .columns = {report::word_column("method"), report::number_column("mean", percent),
                    report::number_column("largest", percent)}};
    for (const std::string& method : report::words(data, "method")) {
        double sum = 0, count = 0, largest = 0;
        for (const double share : report::slice(data, "singular", {{"method", method}}).values) {
            // NaN: nothing was measured there.
            if (std::isnan(share)) continue;
            sum += share;
            ++count;
            largest = std::max(largest, share);
        }
        if (largest > 0) table.rows.push_back({{method, sum / count, largest}});
    }
    if (table.rows.empty()) return {};
    return table;
}

}  // namespace rfbench::experiments
