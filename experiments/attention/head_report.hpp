#pragma once
// Shared parts of the reports on drawn heads: curves and rows for each method and sampling that was measured.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {

/// The panels of a figure with a curve for each method and sampling: all samplings in one panel where there are few
/// curves, a panel each where there are many.
struct PanelPlan {
    std::string suffix;                  ///< of its title: "", or ", orthogonal"
    std::vector<std::string> samplings;  ///< shown in it
};
std::vector<PanelPlan> panel_plans(const store::Dataset&);

/// The label of such a curve: "positive", or "positive, orthogonal" beside other samplings.
std::string series_name(const PanelPlan&, const std::string& method, const std::string& sampling);

/// The curve of that name through the values of all repeats: an axis "repeat" beside that of the curve.
using Curve = std::function<report::Series(std::string name, const report::Slice&)>;

/// Means over repeats with their 95 % intervals, on a logarithmic axis.
Curve mean_curve(const std::vector<double>& x, report::Style);

/// A curve of the plan's panel for each method and sampling of which `variable` has values at `fixed`.
std::vector<report::Series> curves(const store::Dataset&, const std::string& variable, const report::Fixed& fixed,
                                   const PanelPlan&, const Curve&);

/// Such curves against the number of real columns, a panel for each head and plan that has any.
std::vector<report::Panel> panels_of_heads(const store::Dataset&, const std::string& variable, const report::Axis& y,
                                           const Curve&);

/// A column of a table, and where its values are.
struct PlacedColumn {
    report::Column column;
    report::Fixed at;
};

/// Entry of a table for the values of all repeats.
using SampledEntry = std::function<report::Entry(const report::Slice&)>;
/// Their mean ± half its 95 % interval.
report::Entry mean_entry(const report::Slice&);

/// A row for each method and sampling of which `variable` has values.
report::Table table_of_methods(const store::Dataset&, const std::string& name, const std::string& caption,
                               const std::string& variable, const std::vector<PlacedColumn>&,
                               const SampledEntry& = mean_entry);

}  // namespace rfbench::experiments
