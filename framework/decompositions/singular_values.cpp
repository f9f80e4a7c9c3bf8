#include "rfbench/decompositions/singular_values.hpp"

#include <Eigen/SVD>

namespace rfbench::decompositions {

SingularValues singular_values(const Eigen::MatrixXd& a) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

}  // namespace rfbench::decompositions
