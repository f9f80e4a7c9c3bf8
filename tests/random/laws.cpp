#include "catch.hpp"
#include "rfbench/random/quantiles.hpp"
#include "rfbench/random/stream.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

constexpr Index many = 200000;

}  // namespace

TEST_CASE("uniforms are uniform, singly and in pairs") {
    Eigen::MatrixXd u(2, many);
    fill_uniform(Stream(21), u);
    CHECK(kolmogorov_smirnov(entries(u), [](double x) { return x; }) > level);

    std::vector<double> cells(256, 0.0);
    for (Index m = 0; m < many; ++m)
        cells[static_cast<std::size_t>(16 * std::floor(16 * u(0, m)) + std::floor(16 * u(1, m)))] += 1;
    CHECK(chi_squared(cells, std::vector<double>(256, many / 256.0)) > level);
}

TEST_CASE("normals are normal, one by one and by the matrix") {
    Eigen::MatrixXd x(2, many);
    fill_normal(Stream(22), x);
    CHECK(kolmogorov_smirnov(entries(x), normal_cdf) > level);
    CHECK(kolmogorov_smirnov(entries(x.row(1)), normal_cdf) > level);

    Stream stream(23);
    std::vector<double> single;
    for (Index i = 0; i < many; ++i) single.push_back(stream.normal());
    CHECK(kolmogorov_smirnov(single, normal_cdf) > level);

    // Neighbours within a pair and across pairs are uncorrelated, and so are their squares.
    const std::vector<double> line = entries(x);
    for (const std::size_t lag : {1u, 2u, 3u}) {
        for (const std::size_t start : {0u, 1u}) {
            Mean product, squares;
            for (std::size_t i = start; i + lag < line.size(); i += 2 * lag) {
                product.add(line[i] * line[i + lag]);
                squares.add((line[i] * line[i] - 1) * (line[i + lag] * line[i + lag] - 1));
            }
            CHECK(two_sided(product.z(0)) > level);
            CHECK(two_sided(squares.z(0)) > level);
        }
    }
}

TEST_CASE("the tails of the normals have the right weight") {
    constexpr Index columns = 100000;
    Eigen::MatrixXd x(64, columns);
    double beyond[3] = {};
    constexpr double thresholds[] = {3, 4, 5};
    for (std::uint64_t part = 0; part < 3; ++part) {
        fill_normal(Stream(24).child(part), x);
        for (int k = 0; k < 3; ++k) beyond[k] += static_cast<double>((x.array().abs() > thresholds[k]).count());
    }
    for (int k = 0; k < 3; ++k) {
        const double expected = 3.0 * 64 * columns * two_sided(thresholds[k]);
        INFO(thresholds[k] << " sigma: " << beyond[k] << " seen, " << expected << " expected");
        CHECK(two_sided((beyond[k] - expected) / std::sqrt(expected)) > level);
    }
}

TEST_CASE("chi lengths follow their law") {
    for (const int d : {1, 2, 3, 4, 5, 8, 64, 511}) {
        INFO("d = " << d);
        const auto cdf = [d](double x) { return chi_cdf(d, x); };
        Vector lengths(d <= 3 ? 1000000 : 50000);  // most rejections are at small d
        fill_chi(Stream(25).child(static_cast<std::uint64_t>(d)), d, lengths);
        CHECK(kolmogorov_smirnov(entries(lengths), cdf) > level);
        CHECK(lengths.minCoeff() > 0);

        Stream stream = Stream(26).child(static_cast<std::uint64_t>(d));
        std::vector<double> single;
        for (int i = 0; i < 20000; ++i) single.push_back(stream.chi(d));
        CHECK(kolmogorov_smirnov(single, cdf) > level);
    }
    Vector lengths(1);
    CHECK_THROWS_AS(fill_chi(Stream(1), 0, lengths), std::invalid_argument);
    CHECK_THROWS_AS(Stream(1).chi(-3), std::invalid_argument);
}

TEST_CASE("Poisson and geometric quantiles of uniforms follow their laws") {
    Eigen::MatrixXd u(1, 50000);
    fill_uniform(Stream(27), u);
    const auto check = [&](const auto& quantile, const auto& mass, std::size_t cells) {
        std::vector<double> counts(cells, 0.0), expected;
        for (const double x : entries(u)) counts[std::min(static_cast<std::size_t>(quantile(x)), cells - 1)] += 1;
        double rest = 1;
        for (std::size_t k = 0; k + 1 < cells; ++k) {
            expected.push_back(50000 * mass(static_cast<double>(k)));
            rest -= mass(static_cast<double>(k));
        }
        expected.push_back(50000 * std::max(rest, 0.0));
        CHECK(chi_squared(counts, expected) > level);
    };

    for (const double mean : {0.01, 0.5, 1.0, 3.7, 15.9, 16.1, 80.0, 900.0}) {
        INFO("Poisson, mean " << mean);
        const auto mass = [mean](double k) { return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1)); };
        const auto cells = static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 8);
        check([mean](double x) { return poisson_quantile(mean, x); }, mass, cells);
        const PoissonQuantile table(mean);
        check(table, mass, cells);
    }
    for (const double q : {0.9, 0.5, 0.2, 0.03}) {
        INFO("geometric, q " << q);
        const auto mass = [q](double k) { return q * std::pow(1 - q, k); };
        check([q](double x) { return geometric_quantile(q, x); }, mass, static_cast<std::size_t>(40 / q));
    }
}
