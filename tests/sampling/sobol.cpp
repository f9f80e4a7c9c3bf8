#include "catch.hpp"
#include "rfbench/random/quantiles.hpp"
#include "sampling/draws.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

const sampling::Scheme& sobol() { return sampling::find("sobol"); }

// M times the mean square error of the estimate of the Gaussian kernel from M projections in 4 dimensions.
template <class Feature>
double scaled_error(const sampling::Scheme& scheme, Index count, double kernel, const Feature& feature) {
    Mean square;
    for (std::uint64_t i = 0; i < 400; ++i) {
        const Projections omega = normals(scheme, Stream(91).child(i), 4, count);
        double sum = 0;
        for (Index m = 0; m < count; ++m) sum += feature(omega.col(m));
        const double error = sum / static_cast<double>(count) - kernel;
        square.add(error * error);
    }
    return square.mean() * static_cast<double>(count);
}

}  // namespace

TEST_CASE("every coordinate of the first 2^k points visits each of 2^k slices once") {
    for (const Index d : {1, 2, 4, 64, 600})
        for (const Index count : {1, 2, 16, 256}) {
            INFO("d = " << d << ", M = " << count);
            const Projections u = uniforms(sobol(), Stream(92), d, count);
            bool once = true;
            for (Index i = 0; i < d; ++i) {
                std::vector<int> visits(static_cast<std::size_t>(count), 0);
                for (Index m = 0; m < count; ++m)
                    visits[static_cast<std::size_t>(std::floor(u(i, m) * static_cast<double>(count)))] += 1;
                for (const int number : visits) once = once && number == 1;
            }
            CHECK(once);
        }
}

TEST_CASE("quarters hold equal shares when M is a multiple of 4 but not a power of two") {
    // Any run of 4 points that begins at a multiple of 4 has one point in each quarter.
    const Index count = 100;
    const Projections u = uniforms(sobol(), Stream(93), 5, count);
    for (Index i = 0; i < 5; ++i) {
        std::vector<int> visits(4, 0);
        for (Index m = 0; m < count; ++m) visits[static_cast<std::size_t>(std::floor(4 * u(i, m)))] += 1;
        for (const int number : visits) CHECK(number == 25);
    }
}

TEST_CASE("the first two coordinates form a (0, 8, 2)-net") {
    // 256 points: every dyadic box of area 2^-8 holds exactly one.
    const Projections u = uniforms(sobol(), Stream(94), 2, 256);
    for (int j = 0; j <= 8; ++j) {
        const int wide = 1 << j, high = 256 >> j;
        std::vector<int> visits(256, 0);
        for (Index m = 0; m < 256; ++m)
            visits[static_cast<std::size_t>(std::floor(u(0, m) * wide) * high + std::floor(u(1, m) * high))] += 1;
        CHECK(*std::max_element(visits.begin(), visits.end()) == 1);
    }
}

TEST_CASE("scrambling is nested and uniform: points keep the digits they share, and no more") {
    // The sequence begins 0, 1/2, 3/4, 1/4. Points 0 and 1 part at the first digit, 0 and 3 at the second; behind that
    // their digits are independent.
    Mean half, first_digit_pair, second_digit_pair;
    bool parted = true, together = true;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Projections u = uniforms(sobol(), Stream(95).child(i), 1, 4);
        const auto digits = [&](Index m, double scale) { return std::floor(scale * u(0, m)); };
        const auto behind = [&](Index m, double scale) { return scale * u(0, m) - digits(m, scale) - 0.5; };
        parted = parted && digits(0, 2) != digits(1, 2) && digits(0, 4) != digits(3, 4);
        together = together && digits(0, 2) == digits(3, 2) && digits(1, 2) == digits(2, 2);
        half.add(digits(0, 2));
        first_digit_pair.add(behind(0, 2) * behind(1, 2));
        second_digit_pair.add(behind(0, 4) * behind(3, 4));
    }
    CHECK(parted);
    CHECK(together);
    CHECK(two_sided(half.z(0.5)) > level);
    CHECK(two_sided(first_digit_pair.z(0)) > level);
    CHECK(two_sided(second_digit_pair.z(0)) > level);
}

TEST_CASE("normals are the quantiles of the uniforms") {
    const Projections u = uniforms(sobol(), Stream(96), 3, 50), omega = normals(sobol(), Stream(96), 3, 50);
    CHECK(omega == u.unaryExpr([](double x) { return normal_quantile(x); }));
}

TEST_CASE("the error is far below that of independent points at d = 4, M = 256") {
    // Design notes: M times the mean square error 1.08 (positive) and .071 (trigonometric) for iid points, .063 and
    // .0011 for scrambled Sobol points, factors 17 and 65. Half of each is asked for: the spread of a ratio of mean
    // squares over 400 draws is about 15 %.
    const sampling::Scheme& iid = sampling::find("iid");
    const Vector x = Vector::Constant(4, std::sqrt(0.183) / 2), z = 2 * x;
    const auto positive = [&](const auto& w) { return std::exp(w.dot(z) - z.squaredNorm() / 2); };
    const double iid_positive = std::expm1(z.squaredNorm());
    CHECK(scaled_error(iid, 256, 1, positive) == Approx(iid_positive).epsilon(0.4));
    CHECK(scaled_error(sobol(), 256, 1, positive) < iid_positive / 8.5);

    const Vector v = std::sqrt(0.473) * Vector::Constant(4, 0.5);
    const double kernel = std::exp(-v.squaredNorm() / 2), iid_cosine = std::pow(1 - kernel * kernel, 2) / 2;
    const auto cosine = [&](const auto& w) { return std::cos(w.dot(v)); };
    CHECK(scaled_error(iid, 256, kernel, cosine) == Approx(iid_cosine).epsilon(0.4));
    CHECK(scaled_error(sobol(), 256, kernel, cosine) < iid_cosine / 32);
}

TEST_CASE("dimensions without direction numbers are refused with a way out") {
    Projections omega(3667, 2);
    sobol().normals(Stream(97), omega);
    CHECK(omega.allFinite());
    Projections wide(3668, 2);
    try {
        sobol().uniforms(Stream(97), wide);
        CHECK(false);
    } catch (const std::invalid_argument& error) {
        CHECK(std::string(error.what()) ==
              "sampling 'sobol': dimension 3668 is too high, direction numbers are known for at most 3667; "
              "'orthogonal' takes any dimension");
    }
}
