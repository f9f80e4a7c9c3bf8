#include "catch.hpp"
#include "rfbench/sampling/cosine_rows.hpp"
#include "sampling/draws.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;
using sampling::cosine_direction;
using sampling::CosineSide;

namespace {

Eigen::MatrixXd directions(CosineSide side, Index d, Index first) {
    Eigen::MatrixXd all(d, d);
    for (Index m = 0; m < d; ++m) all.col(m) = cosine_direction(side, d, first + m);
    return all;
}

// E exp(r c.z) for a length r ~ chi(d) along c, by quadrature over r; with a random sign, its even part.
double mean_along(const Vector& c, const Vector& z, bool with_sign) {
    const double d = static_cast<double>(c.size()), along = c.dot(z), step = 1e-3;
    double sum = 0, weight = 0;
    for (double r = step / 2; r < 20; r += step) {
        const double density = std::pow(r, d - 1) * std::exp(-r * r / 2);
        sum += density * (with_sign ? std::cosh(r * along) : std::exp(r * along));
        weight += density;
    }
    return sum / weight;
}

}  // namespace

TEST_CASE("cosine directions are orthonormal in every transform, rows and columns, and repeat after the fourth") {
    for (const CosineSide side : {CosineSide::rows, CosineSide::columns})
        for (const Index d : {1, 2, 3, 8, 37, 128})
            for (Index type = 0; type < 4; ++type) {
                const Eigen::MatrixXd c = directions(side, d, type * d);
                INFO("d = " << d << ", transform " << type);
                // Angles up to 2 pi carry half an ulp of theirs into d products.
                CHECK((c.transpose() * c - Eigen::MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff() <
                      8 * static_cast<double>(d) * std::numeric_limits<double>::epsilon());
                CHECK(c == directions(side, d, (type + 4) * d));
            }
}

TEST_CASE("cosine directions are the orthonormal DCT-II first, and columns are its transpose") {
    const Index d = 6;
    const Eigen::MatrixXd rows = directions(CosineSide::rows, d, 0);
    for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < d; ++k) {
            const double angle = M_PI * static_cast<double>((2 * k + 1) * j) / (2.0 * static_cast<double>(d));
            const double s = std::sqrt((j == 0 ? 1 : 2) / static_cast<double>(d));
            CHECK(rows(k, j) == Approx(s * std::cos(angle)).margin(1e-15));
        }
    CHECK(directions(CosineSide::columns, d, 0) == rows.transpose());
    for (Index type = 1; type < 4; ++type)
        CHECK(directions(CosineSide::columns, d, type * d) == directions(CosineSide::rows, d, type * d).transpose());
}

TEST_CASE("(11) of DiJiang as printed is the transform of a matrix of ones: one entry, and no directions", "[errata]") {
    const Index d = 8;
    const auto s = [](Index j) { return std::sqrt((j == 0 ? 1 : 2) / static_cast<double>(d)); };
    const auto cosine = [](Index i, Index j) {
        return std::cos(M_PI * static_cast<double>((2 * i + 1) * j) / (2.0 * static_cast<double>(d)));
    };
    Eigen::MatrixXd printed = Eigen::MatrixXd::Zero(d, d);
    for (Index j1 = 0; j1 < d; ++j1)
        for (Index j2 = 0; j2 < d; ++j2)
            for (Index i1 = 0; i1 < d; ++i1)
                for (Index i2 = 0; i2 < d; ++i2) printed(j1, j2) += s(j1) * s(j2) * cosine(i1, j1) * cosine(i2, j2);
    CHECK(printed(0, 0) == Approx(8));
    printed(0, 0) = 0;
    CHECK(printed.cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE("fixed cosine rows are biased even with chi(d) lengths; signs and a rotation help", "[errata]") {
    const Index d = 8;
    const Vector z = Vector::Unit(d, 0);
    double plain = 0, with_signs = 0;
    for (Index m = 0; m < d; ++m) {
        const Vector c = cosine_direction(CosineSide::rows, d, m);
        plain += mean_along(c, z, false) / static_cast<double>(d);
        with_signs += mean_along(c, z, true) / static_cast<double>(d);
    }
    const double kernel = std::exp(0.5);
    CHECK(plain == Approx(2.714).epsilon(1e-3));
    CHECK(with_signs == Approx(1.578).epsilon(1e-3));

    Mean fixed, rotated;
    for (std::uint64_t i = 0; i < 40000; ++i) {
        const auto estimate = [&](const char* name) {
            return (normals(sampling::find(name), Stream(121).child(i), d, d).transpose() * z).array().exp().mean();
        };
        fixed.add(estimate("dct"));
        rotated.add(estimate("dct-rotated"));
    }
    CHECK(two_sided(fixed.z(with_signs)) > level);
    CHECK(two_sided(fixed.z(kernel)) < level);
    CHECK(two_sided(rotated.z(kernel)) > level);
}

TEST_CASE("fixed directions stay where they are, and lengths do not") {
    for (const char* name : {"sphere-points", "dct", "dct-columns"}) {
        INFO(name);
        const sampling::Scheme& scheme = sampling::find(name);
        const Projections a = normals(scheme, Stream(122), 5, 23), b = normals(scheme, Stream(123), 5, 23);
        for (Index m = 0; m < 23; ++m) {
            CHECK(std::abs(a.col(m).normalized().dot(b.col(m).normalized())) == Approx(1).epsilon(1e-14));
            CHECK(a.col(m).norm() != b.col(m).norm());
        }
    }
}

TEST_CASE("rotated cosine rows are orthogonal within each transform") {
    const Projections omega = normals(sampling::find("dct-rotated"), Stream(124), 6, 50);
    for (Index first = 0; first < 48; first += 6) {
        const Eigen::MatrixXd block = omega.middleCols(first, 6).colwise().normalized();
        CHECK((block.transpose() * block - Eigen::MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff() < 1e-13);
    }
}

TEST_CASE("fixed points on the sphere are nearly uniform: their second moments approach 1/d") {
    const auto distance = [](Index count) {
        const auto& scheme = sampling::find("sphere-points");
        const Eigen::MatrixXd v = normals(scheme, Stream(125), 4, count).colwise().normalized();
        return (v * v.transpose() / static_cast<double>(count) - Eigen::MatrixXd::Identity(4, 4) / 4).norm();
    };
    // For independent directions the norm has the root mean square sqrt((1 - 1/d) / count).
    CHECK(distance(64) < 0.5 * std::sqrt(0.75 / 64));
    CHECK(distance(4096) < 0.25 * std::sqrt(0.75 / 4096));
}
