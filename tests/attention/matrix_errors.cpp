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
    CHECK(a.log_kernel == b.log_kernel);
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

TEST_CASE("matrix_errors: the kernel's error does not depend on how far scores are below what lengths allow") {
    const Sequence s = sequence(40, 60, 3, 2, 1, 3);
    // Orthogonal parts of queries and keys change no score, and exp(|q| |k| / sqrt d) from 1e2 to 1e3000.
    for (const double length : {0.0, 30.0, 130.0}) {
        INFO(length);
        Points queries = Points::Zero(40, 5), keys = Points::Zero(60, 5);
        queries.leftCols(3) = s.queries;
        keys.leftCols(3) = s.keys;
        queries.col(3).setConstant(length);
        keys.col(4).setConstant(length);
        for (const char* name : {"positive", "trigonometric"}) {
            INFO(name);
            const Sequence own{queries, keys, s.values};
            const auto map = map_of(features::find(name), own, 16);
            features::FeatureBlock<double> of_queries, of_keys;
            map.evaluate(features::Side::query, queries, of_queries);
            map.evaluate(features::Side::key, keys, of_keys);
            const features::LogMatrix estimates = features::estimate(of_queries, of_keys);
            const Points logs = queries * keys.transpose() / std::sqrt(5.0);
            // Both relative to the largest of all entries, so in one range.
            const double top = std::max(logs.maxCoeff(), estimates.log_abs.maxCoeff());
            const Points difference =
                estimates.sign.array() * (estimates.log_abs.array() - top).exp() - (logs.array() - top).exp();
            const double size = 2 * logs.maxCoeff() + std::log((logs.array() - logs.maxCoeff()).exp().square().sum());
            const MatrixErrors errors = matrix_errors({queries, keys, s.values}, map);
            // Exponents of up to |q| |k| / sqrt d, whose roundings are relative.
            const double allowed = 8 * (length * length + 100) * std::numeric_limits<double>::epsilon();
            CHECK(std::abs(errors.size.log_kernel - size) <= allowed);
            CHECK(std::abs(errors.error.log_kernel - 2 * top - std::log(difference.squaredNorm())) <= 64 * allowed);
        }
    }
}

TEST_CASE("matrix_errors: no keys take no bytes, few take all queries at once") {
    CHECK(matrix_errors_bytes(0) == 0);
    CHECK(matrix_errors_bytes(3) == 512 * 3 * sizeof(double));
}
