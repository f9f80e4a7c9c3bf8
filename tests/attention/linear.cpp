#include "rfbench/attention/linear.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"

using namespace rfbench;
using attention::Inputs;
using attention::Visible;
using features::Side;

namespace {

/// Softmax weights by the definition, in double.
Points explicit_attention(const Points& q, const Points& k, const Points& v, Visible visible,
                          const std::vector<unsigned char>& kept = {}) {
    Points scores = q * k.transpose() / std::sqrt(static_cast<double>(q.cols()));
    for (Index i = 0; i < scores.rows(); ++i)
        for (Index j = 0; j < scores.cols(); ++j)
            if ((visible == Visible::causal && j > i) || (!kept.empty() && kept[static_cast<std::size_t>(j)] == 0))
                scores(i, j) = -std::numeric_limits<double>::infinity();
    Points weights = (scores.colwise() - scores.rowwise().maxCoeff()).array().exp();
    weights.array().colwise() /= weights.rowwise().sum().array();
    return weights * v;
}

}  // namespace

TEST_CASE("exact attention equals the softmax of all scores") {
    for (const Index length : {1, 5, 96, 97, 500}) {
        const Sequence s = sequence(length, length, 8, 5, 1.0, 1);
        for (const Visible visible : {Visible::all, Visible::causal}) {
            INFO("L = " << length);
            Points out;
            attention::exact<double>({s.queries, s.keys, s.values}, visible, out);
            // Weights add up to one; each is off by few ulps times the scores' size, well below 50.
            const double tolerance = 50 * 4 * std::numeric_limits<double>::epsilon() * s.values.cwiseAbs().maxCoeff();
            CHECK((out - explicit_attention(s.queries, s.keys, s.values, visible)).cwiseAbs().maxCoeff() < tolerance);
        }
    }
}

TEST_CASE("linear attention equals the explicit matrix of estimates") {
    const Sequence s = sequence(300, 300, 4, 3, 1.0, 2);
    for (const auto& info : features::catalogue()) {
        INFO(info.name);
        const auto mechanism = features::fit(info, attention::softmax_statistics(s.queries, s.keys));
        const auto map = attention::softmax_map(*mechanism, 4, 16, sampling::find("iid"), Stream(3));
        features::FeatureBlock<double> q, k;
        map.evaluate(Side::query, s.queries, q);
        map.evaluate(Side::key, s.keys, k);
        const double high = k.log_scale.maxCoeff();
        const Eigen::VectorXd scales = (k.log_scale.array() - high).exp();
        const Points estimates = q.values * k.values.transpose() * scales.asDiagonal();
        for (const Visible visible : {Visible::all, Visible::causal}) {
            Points weights = estimates;
            if (visible == Visible::causal) weights = estimates.triangularView<Eigen::Lower>();
            const Points absolute = q.values.cwiseAbs() * k.values.transpose().cwiseAbs() * scales.asDiagonal();
            Points out;
            const auto outcome = attention::linear<double>(map, {s.queries, s.keys, s.values}, visible, out);
            Index nonpositive = 0;
            for (Index i = 0; i < weights.rows(); ++i) {
                const double sum = weights.row(i).sum();
                nonpositive += sum > 0 ? 0 : 1;
                // Sums of L R terms, in any order, over a denominator that has lost what cancels in it.
                const double terms = absolute.row(i).sum();
                const double tolerance = 1e4 * std::numeric_limits<double>::epsilon() * terms / std::abs(sum) *
                                         (1 + (weights.row(i) * s.values / sum).cwiseAbs().maxCoeff());
                REQUIRE((out.row(i) - weights.row(i) * s.values / sum).cwiseAbs().maxCoeff() <= tolerance);
            }
            CHECK(outcome.nonpositive == nonpositive);
        }
    }
}
