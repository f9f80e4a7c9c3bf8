#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_optimum.hpp"
#include "rfbench/features/mechanisms/generalized_exponential_variance.hpp"
#include "rfbench/features/mechanisms/squared_sums.hpp"
#include "rfbench/theory/coupling.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::features {
namespace {

using Complex = std::complex<double>;

class GeneralizedExponential final : public MechanismWithMoments {
public:
    /// An imaginary part of -0 would put sqrt(-(1 - 4A)) on the other side of its cut.
    GeneralizedExponential(Complex a, double t, Index d)
        : a_(a.imag() == 0 ? Complex(a.real(), 0.0) : a), t_(t), d_(d), variance_(a_, t, d) {}

    Settings parameters() const override { return {{"A", a_}, {"t", t_}}; }
    Index columns(Index count) const override { return is_real() ? count : 2 * count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        const Vector squares = draw.omega.colwise().squaredNorm().transpose();
        // log f1 = A |w|^2 + B w.x - (t + 1) |x|^2 / 2 + (d / 4) log(1 - 4A), and f2 has tB for B.
        const Complex four = 1.0 - 4.0 * a_;
        const Complex log_d = 0.25 * static_cast<double>(d_) * std::log(four);
        const RowTerm row{.isotropic = -(t_ + 1) / 2};
        if (is_real()) {
            const Vector bias = (a_.real() * squares).array() + log_d.real();
            const ExponentialSide side{std::sqrt(four.real()) * draw.omega, bias, row};
            return exponential_map(side, side);
        }
        // t = -1 turns an imaginary part of 0 into -0; adding 0 puts the root back on the upper side of its cut.
        const Complex slope = std::sqrt(Complex(t_ * four.real(), t_ * four.imag() + 0.0));
        const Eigen::VectorXcd bias = (a_ * squares.cast<Complex>()).array() + log_d;
        return complex_exponential_map(draw.omega, {slope, bias, row}, {t_ * slope, bias, row});
    }

    Moments moments(const Pair& pair) const override {
        const double log_square = 2 * pair.log_kernel();
        const double log_relative = variance_.log_relative(t_ > 0 ? pair.plus : pair.minus);
        return {pair.log_kernel(), log_square + theory::log_add(0, log_relative), log_square + log_relative};
    }

    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        constexpr Index tile = 128;
        Points plus;
        for (Index first = 0; first < x.rows(); first += tile) {
            const Index n = std::min(tile, x.rows() - first);
            const auto rows = x.middleRows(first, n);
            auto block = out.middleRows(first, n);
            // |x - y|^2 is -2 log K; for t = -1 it is what the variance depends on too.
            squared_sums(rows, y, -1, block);
            if (t_ > 0) {
                plus.resize(n, y.rows());
                squared_sums(rows, y, +1, plus);
            }
            for (Index i = 0; i < n; ++i) {
                Eigen::ArrayXd relative = block.row(i).transpose().array();
                if (t_ > 0) relative = plus.row(i).transpose().array();
                variance_.log_relative(relative);
                // Log relative variance + 2 log K: the block holds -2 log K.
                block.row(i) = relative.matrix().transpose() - block.row(i);
            }
        }
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        // For orthogonal directions with chi(d) lengths only t matters, not A.
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                return t_ > 0 ? theory::orthogonal_covariance_positive(pair.dimension, pair.plus, pair.log_kernel())
                              : theory::orthogonal_covariance_trigonometric(pair.dimension, pair.minus);
            case sampling::Coupling::simplex:
                return t_ > 0 ? theory::simplex_covariance_positive(pair.dimension, pair.plus, pair.log_kernel())
                              : theory::simplex_covariance_trigonometric(pair.dimension, pair.minus);
            case sampling::Coupling::antithetic:
                return theory::scaled(variance_.antithetic(t_ > 0 ? pair.plus : pair.minus), 2 * pair.log_kernel());
            default: return {};
        }
    }

private:
    /// A real and t = +1: the features are real and positive, and cost one column.
    bool is_real() const { return t_ > 0 && a_.imag() == 0; }

    Complex a_;
    double t_;
    Index d_;
    GeneralizedExponentialVariance variance_;
};

Complex checked_a(const ParameterValue& value) {
    const Complex a = std::get<Complex>(value);
    if (!std::isfinite(a.real()) || !std::isfinite(a.imag()) || !(a.real() < 0.125))
        throw InputError((std::ostringstream{} << "mechanism 'generalized-exponential', parameter 'A': " << a.real()
                                               << std::showpos << a.imag()
                                               << "i is not allowed; it takes finite complex numbers with "
                                                  "real part below 1/8")
                             .str());
    return a;
}

double checked_t(const ParameterValue& value) {
    const double t = std::get<double>(value);
    if (t != 1 && t != -1)
        throw InputError((std::ostringstream{} << "mechanism 'generalized-exponential', parameter 't': " << t
                                               << " is not allowed; it takes +1 or -1")
                             .str());
    return t;
}

std::unique_ptr<MechanismWithMoments> fit_generalized_exponential(const Statistics& statistics,
                                                                  const Settings& settings) {
    const Index d = statistics.dimension();
    const auto given_a = settings.find("A"), given_t = settings.find("t");
    // Takes the sign with the smaller relative variance at the average |x + ty|^2.
    std::optional<GeneralizedExponentialOptimum> best;
    for (const double t : {+1.0, -1.0}) {
        if (given_t != settings.end() && checked_t(given_t->second) != t) continue;
        const double q = std::max(0.0, statistics.mean_square_sum(t));
        GeneralizedExponentialOptimum candidate{};
        if (given_a != settings.end()) {
            const Complex a = checked_a(given_a->second);
            candidate = {a, t, GeneralizedExponentialVariance(a, t, d).log_relative(q)};
        } else {
            candidate = complex_optimum(t, q, d);
        }
        if (!best || candidate.log_relative < best->log_relative) best = candidate;
    }
    return std::make_unique<GeneralizedExponential>(best->a, best->t, d);
}

}  // namespace

const MechanismInfo& generalized_exponential() {
    using Type = ParameterInfo::Type;
    static const MechanismInfo info{
        .name = "generalized-exponential",
        .paper_name = "GERF",
        .summary =
            "complex exponentials that contain trigonometric and positive features, with A and t of least variance",
        .features =
            "f1 = D exp(A|w|^2 + B w.x + C|x|^2), f2 the same with tB and y, B = sqrt(t(1-4A)), C = -(t+1)/2, "
            "D = (1-4A)^{d/4}, principal roots, w ~ N(0, I)",
        .variance =
            "E Z^2 = exp(-(t+1)(|x|^2+|y|^2)) (Re(a1 exp(a2 q)) + a3 exp(a4 q))/2, q = |x+ty|^2, "
            "a1 = (1+16A^2/(1-8A))^{d/2}, a2 = t + t/(1-8A), a3 = (1+16|A|^2/(1-8 Re A))^{d/2}, "
            "a4 = t/2 + (t+2|1-4A|)/(2(1-8 Re A))",
        .reference = "Likhosherstov 2022, Theorems 13 and 14, (6.11)-(6.13), (6.15)",
        .cost =
            "fit by L-BFGS-B from mean |x+ty|^2; 2 real columns a draw, or 1 when t = +1 and A is real; O(d), one "
            "exponential and one sine and cosine a feature",
        .parameters = {{"A", Type::complex, "complex numbers with real part below 1/8, as -0.06+0.12i",
                        "weight of |w|^2; fit: least second moment (6.13) at the average |x+ty|^2"},
                       {"t", Type::sign, "+1 or -1", "sign of B in the key; fit: the better of the two"}},
        .positive = false,
        .differentiable = true,
        .fitted = [](const Settings& given) { return !given.contains("A") || !given.contains("t"); },
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_generalized_exponential};
    return info;
}

}  // namespace rfbench::features
