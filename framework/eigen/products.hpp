#pragma once
// Eigen's products of float and double matrices, compiled once for all. The kernel behind `A * B` is a second of
// compiling wherever it is made, which is in half of our units: they find it declared here, among the precompiled
// headers, and linked. Whoever includes our headers alone makes his own.
#include <Eigen/Core>

namespace rfbench::eigen {

template <class Scalar, int Order>
using Factor = Eigen::internal::const_blas_data_mapper<Scalar, Eigen::Index, Order>;
template <class Scalar>
using Result = Eigen::internal::blas_data_mapper<Scalar, Eigen::Index, Eigen::ColMajor, Eigen::Unaligned, 1>;
template <class Scalar>
using Traits = Eigen::internal::gebp_traits<Scalar, Scalar, false, false>;

}  // namespace rfbench::eigen

// Types and `extern` take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

// By how rows of the left and the right factor lie in memory; results are in columns, as Eigen transposes others.
#define RFBENCH_EIGEN_PRODUCT(WHERE, SCALAR, LEFT, RIGHT)                                                              \
    WHERE template struct general_matrix_matrix_product<Index, SCALAR, LEFT, false, SCALAR, RIGHT, false, ColMajor,    \
                                                        1>;                                                            \
    WHERE template struct general_matrix_vector_product<Index, SCALAR, rfbench::eigen::Factor<SCALAR, LEFT>, LEFT,     \
                                                        false, SCALAR, rfbench::eigen::Factor<SCALAR, RIGHT>, false,   \
                                                        0>;

#define RFBENCH_EIGEN_PACKING(WHERE, SCALAR, ORDER)                                                                    \
    WHERE template struct gemm_pack_lhs<SCALAR, Index, rfbench::eigen::Factor<SCALAR, ORDER>,                          \
                                        rfbench::eigen::Traits<SCALAR>::mr,                                            \
                                        rfbench::eigen::Traits<SCALAR>::LhsProgress,                                   \
                                        rfbench::eigen::Traits<SCALAR>::LhsPacket4Packing, ORDER, false, false>;       \
    WHERE template struct gemm_pack_rhs<SCALAR, Index, rfbench::eigen::Factor<SCALAR, ORDER>,                          \
                                        rfbench::eigen::Traits<SCALAR>::nr, ORDER, false, false>;

#define RFBENCH_EIGEN_PRODUCTS(WHERE, SCALAR)                                                                          \
    WHERE template struct gebp_kernel<SCALAR, SCALAR, Index, rfbench::eigen::Result<SCALAR>,                           \
                                      rfbench::eigen::Traits<SCALAR>::mr, rfbench::eigen::Traits<SCALAR>::nr, false,   \
                                      false>;                                                                          \
    RFBENCH_EIGEN_PACKING(WHERE, SCALAR, ColMajor)                                                                     \
    RFBENCH_EIGEN_PACKING(WHERE, SCALAR, RowMajor)                                                                     \
    RFBENCH_EIGEN_PRODUCT(WHERE, SCALAR, ColMajor, ColMajor)                                                           \
    RFBENCH_EIGEN_PRODUCT(WHERE, SCALAR, ColMajor, RowMajor)                                                           \
    RFBENCH_EIGEN_PRODUCT(WHERE, SCALAR, RowMajor, ColMajor)                                                           \
    RFBENCH_EIGEN_PRODUCT(WHERE, SCALAR, RowMajor, RowMajor)

// NOLINTEND(bugprone-macro-parentheses)

namespace Eigen::internal {

RFBENCH_EIGEN_PRODUCTS(extern, double)
RFBENCH_EIGEN_PRODUCTS(extern, float)

}  // namespace Eigen::internal
