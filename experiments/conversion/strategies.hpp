#pragma once
// How features of a converted network are spent over its layers and heads.
#include "conversion/converted.hpp"
#include "rfbench/dof/allocation.hpp"

namespace rfbench::experiments {

struct Strategy {
    const char* name;
    dof::Allocation allocation;
    bool at_clipped_cost;  ///< equal dimensions: the rounded mean of those of Allocation::clipped
};

/// The key `strategies`, and its axis.
config::KeyRule strategies_key(const char* otherwise);
Axis<Strategy> strategy_axis(const config::Value& configuration);

/// Degrees of freedom of the teacher's heads, layers x heads, by `sampled` queries and keys of each; lambda is a share
/// of tr S.
Eigen::ArrayXXd degrees_of(const TeacherHeads&, const networks::TransformerShape&, Index sampled, double lambda);

/// Feature dimensions of all heads, layer by layer. Their mean is `columns`, unless the strategy clips.
HeadColumns spent(const Eigen::ArrayXXd& degrees, const Strategy&, Index columns);

}  // namespace rfbench::experiments
