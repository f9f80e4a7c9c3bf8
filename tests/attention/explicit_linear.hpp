#pragma once
// Linear attention by its definition: the whole matrix of estimates, in double, from features of either precision.
#include <cmath>

#include "catch.hpp"
#include "rfbench/features/feature_map.hpp"
#include "sequences.hpp"

/// Sums of every query, with c the largest scale of a key.
struct ExplicitSums {
    rfbench::Points numerators;    ///< sum_j mask_ij K^_ij v_j / c
    rfbench::Vector denominators;  ///< sum_j mask_ij K^_ij / c
    rfbench::Vector error;         ///< by rounding, of a denominator and of a numerator of values up to one
    double largest;                ///< max |v|
};

template <class Scalar>
ExplicitSums explicit_sums(const rfbench::features::FeatureMap& map, const SequenceOf<Scalar>& s,
                           const rfbench::Points& mask) {
    using namespace rfbench;
    features::FeatureBlock<Scalar> q, k;
    map.evaluate(features::Side::query, s.queries, q);
    map.evaluate(features::Side::key, s.keys, k);
    const double high = k.log_scale.size() > 0 ? k.log_scale.maxCoeff() : 0;
    const Points p = q.values.template cast<double>(), absolute_p = p.cwiseAbs();
    const Points r = (k.log_scale.array() - high).exp().matrix().asDiagonal() * k.values.template cast<double>();
    const Points weights = mask.cwiseProduct(p * r.transpose());

    // Sums of R, then of L products. The features that attention sees differ from these by the order of sums over d, in
    // exponents or angles below 20 for entries of size one.
    const double features = 2 * 20 * (static_cast<double>(s.queries.cols()) + 8) * epsilon_of<Scalar>;
    const double terms = static_cast<double>(s.keys.rows() + map.columns() + 8) * epsilon_of<Scalar>;
    const Points absolute = absolute_p * r.cwiseAbs().transpose();
    const Vector scales = (k.log_scale.array() - high).exp();
    const Vector of_p = absolute_p.rowwise().sum(), of_r = r.cwiseAbs().rowwise().sum();
    const Points entries = of_p * scales.transpose() + Vector::Ones(p.rows()) * of_r.transpose();
    const Points errors = terms * absolute + features * entries;
    const Points values = s.values.template cast<double>();
    return {weights * values, weights.rowwise().sum(), mask.cwiseProduct(errors).rowwise().sum(),
            values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0};
}

/// Rows whose denominator is no more than what rounding may leave may be anything, but few are.
template <class Scalar>
void check_quotients(const rfbench::Rows<Scalar>& out, rfbench::Index nonpositive, const ExplicitSums& sums) {
    using namespace rfbench;
    REQUIRE(out.rows() == sums.denominators.size());
    Index expected_nonpositive = 0, doubtful = 0;
    for (Index i = 0; i < out.rows(); ++i) {
        const double sum = sums.denominators[i], error = sums.error[i];
        if (error > 0 && std::abs(sum) <= 2 * error) {
            ++doubtful;
            continue;
        }
        expected_nonpositive += sum > 0 ? 0 : 1;
        if (error == 0) {  // it sees nothing
            REQUIRE(out.row(i).isZero(0));
            continue;
        }
        const Eigen::RowVectorXd expected = sums.numerators.row(i) / sum;
        REQUIRE((out.row(i).template cast<double>() - expected).cwiseAbs().maxCoeff() <=
                2 * error / std::abs(sum) * (sums.largest + expected.cwiseAbs().maxCoeff()));
    }
    CHECK(nonpositive >= expected_nonpositive);
    CHECK(nonpositive <= expected_nonpositive + doubtful);
    CHECK(doubtful <= 1 + out.rows() / 4);
}
