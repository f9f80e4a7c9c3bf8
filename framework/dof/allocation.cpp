#include "rfbench/dof/allocation.hpp"

#include <stdexcept>
#include <string>

namespace rfbench::dof {
namespace {

void check(const Eigen::ArrayXXd& degrees, Allocation allocation, int cost, const std::optional<int>& clip) {
    if (degrees.size() == 0 || !degrees.allFinite() || !(degrees > 0).all())
        throw std::invalid_argument(
            "allocation: degrees of freedom must be positive and finite, one for each layer and head");
    if (cost < 1)
        throw std::invalid_argument("allocation: the cost is " + std::to_string(cost) + "; at least 1 is needed");
    if (allocation == Allocation::clipped && (!clip || *clip < 1))
        throw std::invalid_argument("allocation: a clip of at least 1 is needed");
}

/// Shares of the weights, with mean `cost`, rounded.
Eigen::ArrayXXi proportional(const Eigen::ArrayXXd& weights, int cost) {
    return (weights * (cost / weights.mean())).round().cast<int>().max(1);
}

}  // namespace

Eigen::ArrayXXi allocate(const Eigen::ArrayXXd& degrees, Allocation allocation, int cost, std::optional<int> clip) {
    check(degrees, allocation, cost, clip);
    const Eigen::ArrayXXd of_layer = degrees.rowwise().maxCoeff().replicate(1, degrees.cols());
    switch (allocation) {
        case Allocation::layers: return proportional(of_layer, cost);
        case Allocation::clipped: return proportional(of_layer, cost).min(*clip);
        case Allocation::heads: return proportional(degrees, cost);
        case Allocation::fixed: break;
    }
    return Eigen::ArrayXXi::Constant(degrees.rows(), degrees.cols(), cost);
}

}  // namespace rfbench::dof
