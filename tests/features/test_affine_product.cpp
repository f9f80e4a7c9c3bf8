#include <limits>

#include "catch.hpp"
#include "rfbench/features/affine_product.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;
using features::AffineProduct;

namespace {

/// Normal entries that float holds exactly.
Eigen::MatrixXd normal_matrix(Index n, Index d, std::uint64_t seed) {
    Eigen::MatrixXd result(n, d);
    fill_normal(Stream(seed), result);
    return result.cast<float>().cast<double>();
}

template <class Scalar>
void check_sums(Index n, Index d, Index columns) {
    INFO(n << " rows, d = " << d << ", M = " << columns);
    const Projections weights = normal_matrix(d, columns, 1);
    const Vector bias = normal_matrix(columns, 1, 2);
    const Rows<Scalar> rows = normal_matrix(n, d, 3).cast<Scalar>();

    // One more column than is asked for: what lies beyond must stay as it was.
    Rows<Scalar> out = Rows<Scalar>::Constant(n, columns + 1, Scalar(7));
    AffineProduct<Scalar>(weights, bias).apply(rows, out.data(), columns + 1);
    for (Index i = 0; i < n; ++i) {
        for (Index m = 0; m < columns; ++m) {
            long double sum = bias[m], size = std::abs(bias[m]);
            for (Index k = 0; k < d; ++k) {
                const long double term = static_cast<long double>(rows(i, k)) * weights(k, m);
                sum += term;
                size += std::abs(term);
            }
            // d fused additions, each rounded once
            const long double tolerance = static_cast<long double>(d + 1) * std::numeric_limits<Scalar>::epsilon() * size;
            REQUIRE(std::abs(out(i, m) - sum) <= tolerance);
        }
        REQUIRE(out(i, columns) == Scalar(7));
    }
}

}  // namespace

TEST_CASE("affine product: equals the sum, for every remainder of rows and columns") {
    for (const Index n : {0, 1, 5, 6, 7, 13})
        for (const Index d : {1, 2, 64})
            for (const Index columns : {1, 15, 16, 63, 64, 65, 130}) {
                check_sums<float>(n, d, columns);
                check_sums<double>(n, d, columns);
            }
}

TEST_CASE("affine product: a row's result does not depend on the rows beside it") {
    const Index n = 20, d = 9, columns = 70;
    const Projections weights = normal_matrix(d, columns, 1);
    const Points rows = normal_matrix(n, d, 2);
    const AffineProduct<double> product(weights, Vector::Zero(columns));
    Points together(n, columns), alone(1, columns);
    product.apply(rows, together.data(), columns);
    for (Index i = 0; i < n; ++i) {
        product.apply(rows.row(i), alone.data(), columns);
        CHECK(alone == together.row(i));
    }
}
