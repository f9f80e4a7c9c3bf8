#pragma once
// Comparisons of the studies of regression: features by samplings by their number, and methods that predict by
// themselves, over splits of data sets.
#include "sources/data_sets.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// Axes that both studies sweep, read from the keys methods, samplings, columns and splits.
struct Comparison {
    Axis<MethodChoice> methods;
    Axis<const sampling::Scheme*> samplings;
    Axis<Index> columns;
    Axis<std::uint64_t> splits;

    /// Throws config::Error as experiments::methods() does, and at the entry of a map that was trained for rows of
    /// another dimension than a task's.
    Comparison(const config::Value&, const MethodKey&, const std::vector<Task>&);

    /// False for a method whose columns no budget decides, but at the first of them.
    bool measured(const Point&) const;
};

/// Stands for the key `datasets`.
Axis<Task> task_axis(const std::vector<Task>&);

/// Features of rows of one data set, to be drawn several times.
struct TaskFeatures {
    const MethodChoice& choice;
    const sampling::Scheme& scheme;
    Index columns;

    TaskFeatures(const Comparison&, const Point&);

    /// Fitted to these rows, which are both queries and keys.
    RowDrawing fit(const Points& rows) const { return choice->row_features()->of_rows(rows, rows); }
    /// Draws that cost no more than the columns, one at least.
    RowMap draw(const RowDrawing&, const Stream&) const;
};

}  // namespace rfbench::experiments
