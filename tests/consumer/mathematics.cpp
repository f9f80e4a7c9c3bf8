// Draws features and attends through the installed headers, and exits with 0 when all is as it must be.
#include <cmath>
#include <cstdio>
#include <rfbench/attention/exact.hpp>
#include <rfbench/attention/linear.hpp>
#include <rfbench/attention/masked.hpp>
#include <rfbench/attention/softmax_map.hpp>
#include <rfbench/features/catalogue.hpp>
#include <rfbench/version.hpp>
#include <string_view>

using namespace rfbench;

static_assert(std::string_view(rfbench::version) == FOUND_VERSION, "the header and the package are of one version");

/// |a - b| is below a bound.
bool near(const char* what, double a, double b, double bound) {
    std::printf("%s: %.6f and %.6f\n", what, a, b);
    return std::abs(a - b) < bound;
}

bool features_estimate_the_kernel() {
    const Points x{{0.3, -0.2, 0.1}}, y{{0.1, 0.4, 0.2}};
    const auto mechanism = features::fit(features::find("optimal-positive"), features::statistics(x, y));
    const auto map = mechanism->map(features::draw(*mechanism, 3, 4096, sampling::find("orthogonal"), Stream(1)));
    features::FeatureBlock<double> queries, keys;
    map->evaluate(features::Side::query, x, queries);
    map->evaluate(features::Side::key, y, keys);
    return near("kernel", std::exp(features::estimate(queries, keys).log_abs(0, 0)),
                std::exp(-0.5 * (x - y).squaredNorm()), 0.05);
}

/// Linear attention with many features is near exact attention; a mask of ones below the diagonal is causal attention.
bool attention_agrees() {
    using namespace attention;
    const Points q{{0.3, -0.2}, {0.1, 0.4}, {-0.5, 0.2}}, k{{0.2, 0.1}, {-0.3, 0.6}, {0.4, -0.1}}, v{{1}, {-2}, {3}};
    const auto mechanism = features::fit(features::find("positive"), softmax_statistics(q, k));
    const auto map = softmax_map(*mechanism, 2, 4096, sampling::find("orthogonal"), Stream(2));
    const ToeplitzMask ones = causal_mask(decaying_mask({3}, 0));
    Points expected, out, through_mask, by_transforms;
    exact<double>({q, k, v}, Visible::causal, expected);
    linear<double>(map, {q, k, v}, Visible::causal, out);
    masked<double>(map, ones, {q, k, v}, through_mask, MaskPath::dense);
    masked<double>(map, ones, {q, k, v}, by_transforms, MaskPath::fft);
    // Four standard errors, |v| / sqrt(M) each; ulps of sums of M positive terms.
    return near("exact attention to one key", expected(0, 0), 1, 1e-14) &&
           near("linear and exact attention", out(2, 0), expected(2, 0), 4 * 3 / std::sqrt(4096.0)) &&
           near("masked and causal attention", (through_mask - out).norm(), 0, 1e-10) &&
           near("masked attention by FFTs", (by_transforms - out).norm(), 0, 1e-10);
}

int main() { return features_estimate_the_kernel() && attention_agrees() ? 0 : 1; }
