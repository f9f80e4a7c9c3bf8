#include "rfbench/eigen/products.hpp"

#define RFBENCH_HERE

namespace Eigen::internal {

RFBENCH_EIGEN_PRODUCTS(RFBENCH_HERE, double)
RFBENCH_EIGEN_PRODUCTS(RFBENCH_HERE, float)

}  // namespace Eigen::internal
