#include "rfbench/features/mechanisms/dense_exponential.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/decompositions/cholesky.hpp"
#include "rfbench/decompositions/singular_values.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanisms/log_expm1.hpp"
#include "rfbench/features/mechanisms/squared_sums.hpp"
#include "rfbench/text/number.hpp"
#include "rfbench/theory/coupling.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

class DenseExponential final : public MechanismWithMoments {
public:
    DenseExponential(DenseParameters parameters, Settings reported)
        : own_(std::move(parameters)), reported_(std::move(reported)) {
        const auto a = own_.a.array();
        // L(rho) = log(1 + 16 A^2 rho) / 2, which keeps its digits where A is small.
        rho_ = (1 - 8 * a).inverse();
        const Vector ratios = 16 * a.square() * rho_.array();
        // Far out, where the square may overflow, 16 A^2 rho is -2 A to rounding.
        constexpr double far = -1e100;
        for (Index i = 0; i < ratios.size(); ++i)
            sum_log_norm_ += 0.5 * (a[i] < far ? std::log(2.0) + std::log(-a[i]) : std::log1p(ratios[i]));
        isotropic_ = (a == a[0]).all();
    }

    Settings parameters() const override { return reported_; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        // log f is (B w).Tx + w'Aw + log D - (B w).c / 2, and what depends on the row alone.
        const Eigen::ArrayXd scale = (1 - 4 * own_.a.array()).sqrt();
        const Vector shift = offset();
        const Projections scaled = scale.matrix().asDiagonal() * draw.omega;
        Vector bias = draw.omega.cwiseAbs2().transpose() * own_.a;
        bias.array() += 0.5 * scale.log().sum();
        if (shift.size() > 0) bias -= scaled.transpose() * (shift / 2);
        return exponential_map(side(own_.query_transform, scaled, bias, shift),
                               side(own_.key_transform, scaled, bias, shift));
    }

    Moments moments(const Pair& pair) const override {
        // Var = K^2 (exp(gap) - 1) with gap = log E Z^2 - 2 log K: no difference of large numbers.
        const double gap = sum_log_norm_ + rho_.dot(displacement(pair).cwiseAbs2());
        const double log_square = 2 * pair.log_kernel();
        return {pair.log_kernel(), log_square + gap, log_square + log_expm1(gap)};
    }

    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        constexpr Index tile = 128;
        // The same in tiles, where both squared lengths of all pairs are matrix products.
        const Points left = scaled_rows(x, own_.query_transform, own_.query_centre);
        const Points right = scaled_rows(y, own_.key_transform, own_.key_centre);
        Points log_square;
        for (Index first = 0; first < x.rows(); first += tile) {
            const Index n = std::min(tile, x.rows() - first);
            auto block = out.middleRows(first, n);
            log_square.resize(n, y.rows());
            squared_sums(left.middleRows(first, n), right, +1, block);
            squared_sums(x.middleRows(first, n), y, -1, log_square);
            for (Index i = 0; i < n; ++i) {
                Eigen::ArrayXd gap = block.row(i).transpose().array() + sum_log_norm_;
                log_expm1(gap);
                block.row(i) = gap.matrix().transpose() - log_square.row(i);
            }
        }
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        const double square = displacement(pair).squaredNorm();
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                // With one A the law of Z depends on the direction of m no more, and K^2 - X is that of positive
                // features whose |x + y| is |m|.
                if (!isotropic_) return {};
                return theory::orthogonal_covariance_positive(pair.dimension, square, pair.log_kernel());
            case sampling::Coupling::simplex:
                if (!isotropic_) return {};
                return theory::simplex_covariance_positive(pair.dimension, square, pair.log_kernel());
            case sampling::Coupling::antithetic: {
                // E Z(w) Z(-w) = K^2 exp(sum L(rho_i) - |m|^2)
                const double exponent = sum_log_norm_ - square;
                if (exponent == 0) return theory::SignedLog{};
                const double log_excess = exponent > 0 ? log_expm1(exponent) : std::log(-std::expm1(exponent));
                return theory::SignedLog{2 * pair.log_kernel() + log_excess, exponent > 0 ? 1 : -1};
            }
            default: return {};
        }
    }

private:
    static Vector transformed(const Eigen::MatrixXd& transform, const Vector& x) {
        return transform.size() > 0 ? Vector(transform * x) : x;
    }
    static Vector centred(const Eigen::Map<const Vector>& x, const Vector& centre) {
        return centre.size() > 0 ? Vector(x - centre) : Vector(x);
    }

    /// m
    Vector displacement(const Pair& pair) const {
        return transformed(own_.query_transform, centred(pair.x, own_.query_centre)) +
               transformed(own_.key_transform, centred(pair.y, own_.key_centre));
    }

    /// c, or empty for zero.
    Vector offset() const {
        if (own_.query_centre.size() == 0) return {};
        return transformed(own_.query_transform, own_.query_centre) + transformed(own_.key_transform, own_.key_centre);
    }

    static ExponentialSide side(const Eigen::MatrixXd& transform, const Projections& scaled, const Vector& bias,
                                const Vector& shift) {
        // -(|x|^2 + |Tx|^2) / 2 + c.Tx - |c|^2 / 4; for T = I the first is -|x|^2.
        RowTerm row;
        if (shift.size() > 0) {
            row.constant = -shift.squaredNorm() / 4;
            row.linear = transform.size() > 0 ? Vector(transform.transpose() * shift) : shift;
        }
        if (transform.size() == 0) {
            row.isotropic = -1;
            return {scaled, bias, row};
        }
        row.isotropic = -0.5;
        row.quadratic = -0.5 * transform.transpose() * transform;
        return {transform.transpose() * scaled, bias, row};
    }

    /// Rows sqrt(rho) o T (x - p): squared norms of sums of them are sum_i rho_i m_i^2.
    Points scaled_rows(const PointsView& rows, const Eigen::MatrixXd& transform, const Vector& centre) const {
        Points result = rows;
        if (centre.size() > 0) result.rowwise() -= centre.transpose();
        if (transform.size() > 0) result = Points(result * transform.transpose());
        return result * rho_.cwiseSqrt().asDiagonal();
    }

    DenseParameters own_;
    Settings reported_;
    double sum_log_norm_ = 0;  // sum_i L(rho_i)
    Vector rho_;               // 1/(1 - 8 A_i)
    bool isotropic_;           // all A_i equal
};

double checked_a(const std::string& mechanism, double a) {
    if (!(a < 0.125) || !std::isfinite(a))
        throw InputError("mechanism '" + mechanism + "', parameter 'A': " + shortest_text(a) +
                         " is not allowed; it takes finite real numbers below 1/8");
    return a;
}

/// The Cholesky factor of a second moment plus a ridge.
Eigen::MatrixXd ridged_factor(const Eigen::MatrixXd& moment, double ridge) {
    const Index d = moment.rows();
    return decompositions::Cholesky(moment + ridge * Eigen::MatrixXd::Identity(d, d)).lower();
}

}  // namespace

std::unique_ptr<MechanismWithMoments> dense_exponential(DenseParameters parameters, Settings reported) {
    return std::make_unique<DenseExponential>(std::move(parameters), std::move(reported));
}

double optimal_a(double h, double n) {
    // rho* solves n (1 - rho) = 2 h rho (1 + rho)
    const double positive = std::max(0.0, h);
    return -positive * (1 + theory::optimal_rho(positive, n)) / (4 * n);
}

double given_or_optimal_a(const std::string& mechanism, const Settings& settings, double h, Index d) {
    const auto given = settings.find("A");
    return given == settings.end() ? optimal_a(h, static_cast<double>(d))
                                   : checked_a(mechanism, std::get<double>(given->second));
}

Vector given_or_optimal_axes(const std::string& mechanism, const Settings& settings, const Vector& h) {
    Vector a(h.size());
    const auto given = settings.find("A");
    if (given == settings.end()) {
        for (Index i = 0; i < a.size(); ++i) a[i] = optimal_a(h[i], 1);
        return a;
    }
    const auto& values = std::get<std::vector<double>>(given->second);
    if (static_cast<Index>(values.size()) != a.size())
        throw InputError("mechanism '" + mechanism + "', parameter 'A': it takes " + std::to_string(a.size()) +
                         " numbers below 1/8, one an axis; " + std::to_string(values.size()) + " were given");
    for (Index i = 0; i < a.size(); ++i) a[i] = checked_a(mechanism, values[static_cast<std::size_t>(i)]);
    return a;
}

void orient(Eigen::MatrixXd& axes) {
    for (Index j = 0; j < axes.cols(); ++j) {
        Index largest = 0;
        axes.col(j).cwiseAbs().maxCoeff(&largest);
        if (axes(largest, j) < 0) axes.col(j) *= -1;
    }
}

BalancingTransform balancing_transform(const Eigen::MatrixXd& m1, const Eigen::MatrixXd& m2, double rounding) {
    constexpr double relative_ridge = 1e-9;
    const double mean = (m1.trace() + m2.trace()) / (2 * static_cast<double>(m1.rows()));
    const double ridge = relative_ridge * std::max(mean, 0.0) + rounding;
    const Index d = m1.rows();
    if (ridge == 0) return {Eigen::MatrixXd::Identity(d, d), Eigen::MatrixXd::Identity(d, d), Vector::Zero(d)};
    const Eigen::MatrixXd left = ridged_factor(m1, ridge), right = ridged_factor(m2, ridge);

    // L2' L1 = U diag(sigma) V': T = sigma^{-1/2} U' L2' = sigma^{1/2} V' L1^{-1}, T^-T = sigma^{-1/2} V' L1'
    const auto svd = decompositions::singular_values(right.transpose() * left);
    const Vector root = svd.values.cwiseSqrt().cwiseInverse();
    return {root.asDiagonal() * svd.left.transpose() * right.transpose(),
            root.asDiagonal() * svd.right.transpose() * left.transpose(), svd.values};
}

}  // namespace rfbench::features
