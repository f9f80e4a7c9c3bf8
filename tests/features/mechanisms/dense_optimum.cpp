// The closed-form fits of the positive family are optima: of their class, in their order, and against the numbers of
// record.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "features/single_draws.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/mechanisms.hpp"
#include "rfbench/features/mechanisms/dense_exponential.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "rfbench/theory/special.hpp"
#include "support/decompositions.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::features;
using namespace rfbench::tests;

namespace {

struct Sets {
    Points x, y;
};

/// x and y with different axes, scales from 0.05 to 1, and different means.
Sets anisotropic(Index n, Index d) {
    const Eigen::MatrixXd first = normal_points(d, d, Stream(11)), second = normal_points(d, d, Stream(12));
    const Eigen::MatrixXd u = householder_qr(first).q, v = householder_qr(second).q;
    const Vector scales = Vector::LinSpaced(d, 0.05, 1);
    Sets sets{normal_points(n, d, Stream(13)) * scales.asDiagonal() * u,
              normal_points(n, d, Stream(14)) * scales.reverse().asDiagonal() * v};
    sets.x.rowwise() += Eigen::RowVectorXd::Constant(d, 0.3);
    sets.y.rowwise() += Eigen::RowVectorXd::LinSpaced(d, -0.1, 0.5);
    return sets;
}

double mean_log_second_moment(const MechanismWithMoments& mechanism, const Sets& sets) {
    double sum = 0;
    for (Index i = 0; i < sets.x.rows(); ++i)
        for (Index j = 0; j < sets.y.rows(); ++j)
            sum += mechanism.moments(Pair(sets.x.row(i).data(), sets.y.row(j).data(), sets.x.cols())).log_second_moment;
    return sum / static_cast<double>(sets.x.rows() * sets.y.rows());
}

double fitted_mean(const MechanismInfo& info, const Sets& sets) {
    return mean_log_second_moment(*fit_with_moments(info, features::statistics(sets.x, sets.y), {}), sets);
}

/// The least n L(rho) + rho h over rho, L(rho) = log((1 + rho) / (2 sqrt(rho))): 2 h rho^2 + (n + 2h) rho - n = 0.
double least_gap(double h, double n) {
    const double b = n + 2 * h, rho = (std::sqrt(b * b + 8 * h * n) - b) / (4 * h);
    return n * std::log((1 + rho) / (2 * std::sqrt(rho))) + rho * h;
}

/// The least mean log second moments of the classes, sum_i [L(rho_i) + rho_i mean m_i^2] - mean |x - y|^2, from spectra
/// of the sets' moments: of E (x + y)(x + y)' where T is a rotation, of E x x' E y y' where it is any matrix and A one
/// number, of the product of covariances where centres and all A_i are free.
struct Leasts {
    double plain, centred, asymmetric, symmetric, best;
    double condition;  ///< the largest ratio of a mean eigenvalue to the least one

    explicit Leasts(const Sets& sets) {
        using Matrix = Eigen::MatrixXd;
        const double n = static_cast<double>(sets.x.rows()), d = static_cast<double>(sets.x.cols());
        const Vector mean_x = sets.x.colwise().mean(), mean_y = sets.y.colwise().mean();
        const Matrix m1 = sets.x.transpose() * sets.x / n, m2 = sets.y.transpose() * sets.y / n;
        const Matrix c1 = m1 - mean_x * mean_x.transpose(), c2 = m2 - mean_y * mean_y.transpose();
        const Matrix cross = mean_x * mean_y.transpose();
        const Matrix sums = m1 + m2 + cross + cross.transpose();
        const auto roots = [](const Matrix& a, const Matrix& b) { return Vector(real_eigenvalues(a * b).cwiseSqrt()); };
        const auto over_axes = [](const Vector& h) {
            double sum = 0;
            for (const double one : h) sum += least_gap(one, 1);
            return sum;
        };

        const double apart = m1.trace() + m2.trace() - 2 * cross.trace();
        plain = least_gap(sums.trace(), d) - apart;
        centred = least_gap(c1.trace() + c2.trace(), d) - apart;
        asymmetric = least_gap(2 * (roots(m1, m2).sum() + cross.trace()), d) - apart;
        symmetric = over_axes(symmetric_eigenpairs(sums).values) - apart;
        best = over_axes(2 * roots(c1, c2)) - apart;

        condition = 0;
        for (const Matrix* one : {&m1, &m2, &c1, &c2}) {
            const double smallest = symmetric_eigenpairs(*one).values.minCoeff();
            condition = std::max(condition, one->trace() / d / smallest);
        }
    }
};

}  // namespace

TEST_CASE("Fitted mean log second moments are the least of their classes, and wider classes have smaller ones",
          "[features][dense]") {
    for (const Index d : {2, 6, 20}) {
        INFO("d = " << d);
        const Sets sets = anisotropic(40, d);
        const Leasts least(sets);

        // The ridge of 1e-9 mean eigenvalues moves T by r, relatively, and a least value therefore by d r^2 at most.
        const double r = 1e-9 * least.condition, tolerance = 1e-10 + static_cast<double>(d) * r * r;
        REQUIRE(tolerance < 1e-8);
        const auto excess = [&](const MechanismInfo& info, double expected) {
            return std::abs(fitted_mean(info, sets) - expected);
        };
        CHECK(excess(optimal_positive(), least.plain) <= tolerance);
        CHECK(excess(centred_optimal_positive(), least.centred) <= tolerance);
        CHECK(excess(dense_asymmetric(), least.asymmetric) <= tolerance);
        CHECK(excess(dense_symmetric(), least.symmetric) <= tolerance);
        CHECK(excess(dense_centred(), least.best) <= tolerance);

        // On these sets, which have axes of their own, each wider class gains a hundred thousand times the tolerance.
        constexpr double gain = 1e-3;
        CHECK(least.best <= least.symmetric - gain);
        CHECK(least.best <= least.asymmetric - gain);
        CHECK(least.best <= least.centred - gain);
        CHECK(least.symmetric <= least.plain - gain);
        CHECK(least.asymmetric <= least.plain - gain);
        CHECK(least.centred <= least.plain - gain);
    }
}

TEST_CASE("The centred optimum is a minimum over T, A and the centres", "[features][dense]") {
    const Index d = 4;
    const Sets sets = anisotropic(30, d);
    const Statistics both = features::statistics(sets.x, sets.y);
    const BalancingTransform balancing = balancing_transform(both.x.covariance(), both.y.covariance(), 0);
    CHECK((balancing.query.transpose() * balancing.key - Eigen::MatrixXd::Identity(d, d)).norm() <= 1e-11);

    DenseParameters best{balancing.query, balancing.key, Vector(d), both.x.mean, both.y.mean};
    for (Index i = 0; i < d; ++i) best.a[i] = optimal_a(2 * balancing.singular[i], 1);
    const auto mean = [&](const DenseParameters& parameters) {
        return mean_log_second_moment(*dense_exponential(parameters, {}), sets);
    };
    const double least = mean(best);
    CHECK(least == Approx(fitted_mean(dense_centred(), sets)).epsilon(1e-8));

    for (std::uint64_t trial = 0; trial < 30; ++trial)
        for (const double size : {0.03, 0.3}) {
            INFO("trial " << trial << ", size " << size);
            DenseParameters other = best;
            const Eigen::MatrixXd change =
                Eigen::MatrixXd::Identity(d, d) + normal_points(d, d, Stream(100 + trial), size);
            other.query_transform = change * best.query_transform;
            other.key_transform = inverse(change).transpose() * best.key_transform;
            CHECK(mean(other) > least);
            other = best;
            // 1 - 8A times a random factor
            const Vector steps = normal_points(d, 1, Stream(200 + trial), size).col(0);
            other.a = (1 - (1 - 8 * best.a.array()) * steps.array().exp()) / 8;
            CHECK(mean(other) > least);
            other = best;
            other.query_centre += size * normal_points(d, 1, Stream(300 + trial)).col(0);
            CHECK(mean(other) > least);
        }
}

TEST_CASE("Closed forms of h: OPRF, centred OPRF, ADERF", "[features][dense]") {
    const Sets sets = anisotropic(25, 3);
    const Statistics both = features::statistics(sets.x, sets.y);
    const Eigen::MatrixXd m1 = both.x.second_moment, m2 = both.y.second_moment;
    const double means = 2 * both.x.mean.dot(both.y.mean);
    const auto rho = [&](const MechanismInfo& info) {
        return 1 / (1 - 8 * std::get<double>(fit_with_moments(info, both, {})->parameters().at("A")));
    };
    const double h = m1.trace() + m2.trace() + means;
    CHECK(rho(optimal_positive()) == Approx(theory::optimal_rho(h, 3)).epsilon(1e-13));
    CHECK(rho(centred_optimal_positive()) ==
          Approx(theory::optimal_rho(h - (both.x.mean + both.y.mean).squaredNorm(), 3)).epsilon(1e-13));
    // 2 tr (M1^{1/2} M2 M1^{1/2})^{1/2} = 2 sum of the roots of the eigenvalues of M1 M2; the ridge changes it by 1e-7.
    const double balanced = 2 * real_eigenvalues(m1 * m2).cwiseSqrt().sum() + means;
    CHECK(rho(dense_asymmetric()) == Approx(theory::optimal_rho(balanced, 3)).epsilon(1e-6));
}

TEST_CASE("Mean log variances on the thesis' regimes are those of record", "[features][dense]") {
    // d = 64, gamma = 1, fitted on the same 200 points of each set. The record is one sample, rounded to 0.1: it must
    // lie within 4 standard deviations of the samples here, plus the rounding.
    struct Record {
        const MechanismInfo* info;
        double normal, heterogeneous;
    };
    const std::vector<Record> records{
        {&optimal_positive(), -85.1, -136.2}, {&dense_symmetric(), -86.5, -145.6}, {&dense_centred(), -88.6, -149.2}};
    const Index d = 64, n = 200;
    for (const double shift : {0.0, 1.0}) {
        std::vector<statistics::RunningMoments> means(records.size());
        for (std::uint64_t repeat = 0; repeat < 12; ++repeat) {
            const Points x = normal_points(n, d, Stream(1000 + 2 * repeat));
            const Points y = normal_points(n, d, Stream(1001 + 2 * repeat)).array() + shift;
            const Statistics both = features::statistics(x, y);
            for (std::size_t k = 0; k < records.size(); ++k) {
                Points out(n, n);
                fit_with_moments(*records[k].info, both, {})->log_variances(x, y, out);
                means[k].add(out.mean());
            }
        }
        for (std::size_t k = 0; k < records.size(); ++k) {
            const double record = shift == 0 ? records[k].normal : records[k].heterogeneous;
            INFO(records[k].info->name << ", shift " << shift << ": " << means[k].mean() << " +- "
                                       << means[k].standard_deviation() << ", of record " << record);
            CHECK(std::abs(means[k].mean() - record) <= 4 * means[k].standard_deviation() + 0.05);
        }
    }
}
