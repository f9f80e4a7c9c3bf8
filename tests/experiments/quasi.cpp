// The quasi studies on small configurations.
#include <cmath>

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "sources/heads.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

/// Means over groups for each count.
std::vector<double> over_groups(const store::Dataset& data, const char* variable) {
    const std::size_t groups = data.axis("repeat").size();
    const auto& values = data.variable(variable).values;
    std::vector<double> means(values.size() / groups, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) means[i / groups] += values[i] / static_cast<double>(groups);
    return means;
}

double slope(const std::vector<double>& counts, const std::vector<double>& errors) {
    std::vector<double> x, y;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        x.push_back(std::log(counts[k]));
        y.push_back(std::log(errors[k]));
    }
    return statistics::linear_fit(x, y).slope;
}

}  // namespace

TEST_CASE("quasi/rate: independent features fall as M^-1/2, not as the printed 1/M^-0.5; scrambled points faster",
          "[errata]") {
    const Study study = find("quasi", "rate");
    const Sweep sweep = study.prepare(parsed(study,
                                             "methods:\n- {use: positive, sampling: iid}\n"
                                             "- {use: positive, sampling: sobol}\n"
                                             "dimensions: 2\nlengths: 0.5\ndraws: [16, 64, 256, 1024]\npairs: 40\n"
                                             "estimates: 40\nrepeats: 4\n"));
    const std::vector<double> counts{16, 64, 256, 1024};
    const auto errors = over_groups(computed_at(sweep, "method=positive, iid"), "relative_error");
    // 160 draws: an error's own relative error is about 1/sqrt(2 * 160) (pairs are alike), 6 % at both ends of log 64.
    CHECK(slope(counts, errors) == Approx(-0.5).margin(4 * 0.06 * M_SQRT2 / std::log(64)));
    CHECK(slope(counts, over_groups(computed_at(sweep, "method=positive, sobol"), "relative_error")) < -0.7);
}

TEST_CASE("quasi/rate: error is variance and squared bias, and only fixed features have one") {
    const Study study = find("quasi", "rate");
    const Sweep sweep = study.prepare(parsed(study,
                                             "methods:\n- {use: positive, sampling: iid}\n"
                                             "- {use: positive-fixed, sampling: iid}\n"
                                             "dimensions: 4\nlengths: 1\ndraws: [64]\npairs: 60\nestimates: 50\n"
                                             "repeats: 12\n"));
    for (const engine::Cell& cell : sweep.cells()) {
        const store::Dataset data = computed(sweep, cell);
        const auto& errors = data.variable("relative_error").values;
        const auto& deviations = data.variable("relative_deviation").values;
        const auto bias = statistics::mean_interval(data.variable("squared_bias").values, 0.999999);
        double square = 0, variance = 0;
        for (std::size_t g = 0; g < errors.size(); ++g) {
            square += errors[g] * errors[g] / 12;
            variance += deviations[g] * deviations[g] / 12;
        }
        // Both sides are unbiased for the same number; their difference is of the order of the interval.
        CHECK(std::abs(square - variance - bias.value) <= 4 * bias.half_width);
        if (cell.coordinates[0] == 0)
            CHECK(std::abs(bias.value) <= 2 * bias.half_width);
        else
            CHECK(bias.value > 2 * bias.half_width);
    }
}

TEST_CASE("quasi/rate: squared bias is a product of different groups: of two, it is the same seen from either") {
    const Study study = find("quasi", "rate");
    const Sweep sweep = study.prepare(parsed(study,
                                             "methods:\n- {use: positive, sampling: iid}\n"
                                             "dimensions: 3\nlengths: 1\ndraws: [8, 32]\npairs: 30\nestimates: 3\n"
                                             "repeats: 2\n"));
    const store::Dataset data = computed_at(sweep, "method=positive, iid");
    const auto& bias = data.variable("squared_bias").values;
    const auto& errors = data.variable("relative_error").values;
    const auto& deviations = data.variable("relative_deviation").values;
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(bias[2 * k] == Approx(bias[2 * k + 1]).epsilon(1e-12));
        // |m_0 . m_1| <= |m_0| |m_1|, where |m_g|^2 is the mean square less (R - 1) / R of the variance.
        double lengths = 1;
        for (const std::size_t i : {2 * k, 2 * k + 1})
            lengths *= errors[i] * errors[i] - deviations[i] * deviations[i] * 2 / 3;
        CHECK(bias[2 * k] * bias[2 * k] <= lengths);
    }
}

TEST_CASE("quasi/attention: with the norm left out of the keys the output does not converge", "[errata]") {
    const Study study = find("quasi", "attention");
    const Sweep sweep =
        study.prepare(parsed(study,
                             "methods:\n- {use: positive, sampling: sobol}\n"
                             "- {use: discrete-cosine, sampling: iid, softmax: true}\n"
                             "heads: {use: normal, dimension: 4, length: 60, scales: 0.5}\ncolumns: [64, 4096]\n"
                             "repeats: 2\n"));
    for (const std::string repeat : {"repeat=0", "repeat=1"}) {
        const auto errors = [&](const char* method) {
            return values(computed(sweep, {method, repeat}), "relative_output_error");
        };
        const auto sobol = errors("method=positive, sobol"), cosine = errors("method=discrete-cosine, iid");
        INFO(sobol[0] << ", " << sobol[1] << "; " << cosine[0] << ", " << cosine[1]);
        CHECK(sobol[1] < 0.3 * sobol[0]);
        CHECK(cosine[1] > 0.8 * cosine[0]);
    }
}

TEST_CASE("quasi: methods have one label each, and laws that their sampling can draw") {
    const Study study = find("quasi", "rate");
    const auto refused = [&](const char* entries) {
        const std::string yaml = std::string("methods:\n") + entries + "dimensions: 2\nlengths: 1\ndraws: 4\n";
        return ::refused(study, yaml);
    };
    CHECK(refused("- {use: positive, sampling: iid}\n- {use: positive, sampling: iid, label: 'positive, iid'}\n")
              .find("the label 'positive, iid' is taken by an earlier method") != std::string::npos);
    CHECK(refused("- {use: poisson, sampling: dct}\n").find("omega of 'poisson' is discrete") != std::string::npos);
    CHECK(refused("- {use: positive-weighted, sampling: dct, step: 3}\n").find("Did you mean 'steps'?") !=
          std::string::npos);
}

TEST_CASE("(13) of DiJiang lacks the normaliser: of values that are all 1 it does not make 1", "[errata]") {
    const HeadSequence head = draw_head(50, 8, 1, Stream(3));
    const Points ones = Points::Ones(50, 1);
    const auto mechanism = features::fit(features::find("discrete-cosine"),
                                         attention::softmax_statistics(head.tokens.queries, head.tokens.keys));
    const auto map = attention::softmax_map(*mechanism, 8, 8, sampling::find("dct"), Stream(4));
    features::FeatureBlock<double> queries, keys;
    map.evaluate(features::Side::query, head.tokens.queries, queries);
    map.evaluate(features::Side::key, head.tokens.keys, keys);
    const Vector sums = queries.log_scale.array().exp() *
                        (queries.values * (keys.values.transpose() * keys.log_scale.array().exp().matrix())).array();
    CHECK(sums.minCoeff() > 2);  // about L exp(q.k / sqrt d): the printed output
    Points out;
    attention::linear<double>(map, {head.tokens.queries, head.tokens.keys, ones}, attention::Visible::all, out);
    CHECK((out.array() - 1).abs().maxCoeff() < 1e-12);
}
