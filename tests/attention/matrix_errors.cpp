// Errors of the attention matrix, against dense matrices; studies' values are in
// tests/experiments/attention_errors.cpp.
#include "rfbench/attention/matrix_errors.hpp"

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

SoftmaxMap positive(const Sequence& s) { return map_of(features::find("positive"), s, 16); }

void check_same(const Squares& a, const Squares& b) {
    CHECK(a.matrix == b.matrix);
    CHECK(a.kernel == b.kernel);
    CHECK(a.output == b.output);
}

}  // namespace

TEST_CASE("matrix_errors: keys that are padding count for nothing") {
    const Sequence s = sequence(40, 150, 3, 2, 0.8, 1);
    const std::vector<unsigned char> kept = padding(150);
    Points keys(0, 3), values(0, 2);
    for (Index j = 0; j < 150; ++j) {
        if (!kept[static_cast<std::size_t>(j)]) continue;
        keys.conservativeResize(keys.rows() + 1, 3);
        values.conservativeResize(values.rows() + 1, 2);
        keys.bottomRows(1) = s.keys.row(j);
        values.bottomRows(1) = s.values.row(j);
    }
    const auto map = positive(s);
    const MatrixErrors own = matrix_errors({s.queries, s.keys, s.values, kept}, map);
    const MatrixErrors without = matrix_errors({s.queries, keys, values}, map);
    check_same(own.size, without.size);
    check_same(own.error, without.error);
    CHECK(own.nonpositive == without.nonpositive);

    const std::vector<unsigned char> none(150, 0);
    CHECK(refusal([&] { matrix_errors({s.queries, s.keys, s.values, none}, map); }) == "matrix errors: no key is kept");
}

TEST_CASE("matrix_errors: weights stay what they are where exponents of rows differ by thousands") {
    Sequence s = sequence(30, 50, 3, 2, 1, 2);
    s.queries.topRows(10) *= 1000;
    s.queries.bottomRows(10) *= 1e-3;
    const MatrixErrors own = matrix_errors({s.queries, s.keys, s.values}, positive(s));
    const Points weights = softmax_weights(s.queries, s.keys, seen(30, 50, Visible::all));
    const double allowed = softmax_tolerance(s.queries, s.keys, Points::Ones(50, 1));
    CHECK(std::abs(own.size.matrix - weights.squaredNorm()) <= 2 * allowed * weights.norm());
    CHECK(std::abs(own.size.output - (weights * s.values).squaredNorm()) <=
          2 * softmax_tolerance(s.queries, s.keys, s.values) * (weights * s.values).norm() * std::sqrt(60.0));
    CHECK(std::isfinite(own.error.matrix));
}
