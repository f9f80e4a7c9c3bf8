#include <cmath>

#include "rfbench/features/maps/exponential_map.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/theory/coupling.hpp"

namespace rfbench::features {
namespace {

class Trigonometric final : public MechanismWithMoments {
public:
    explicit Trigonometric(bool conjugate) : conjugate_(conjugate) {}

    Settings parameters() const override { return {{"conjugate", conjugate_}}; }
    Index columns(Index count) const override { return 2 * count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        const Eigen::VectorXcd none = Eigen::VectorXcd::Zero(draw.omega.cols());
        return complex_exponential_map(draw.omega, {{0, 1}, none, {}}, {{0, conjugate_ ? -1.0 : 1.0}, none, {}});
    }

    Moments moments(const Pair& pair) const override {
        // E Z^2 = (1 + K^4) / 2
        const double square = distance(pair);
        return {-0.5 * square, std::log1p(std::exp(-2 * square)) - M_LN2, 2 * std::log(-std::expm1(-square)) - M_LN2};
    }

    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                return theory::orthogonal_covariance_trigonometric(pair.dimension, distance(pair));
            case sampling::Coupling::simplex:
                return theory::simplex_covariance_trigonometric(pair.dimension, distance(pair));
            case sampling::Coupling::antithetic:
                // Z is even in omega: the second of a pair says nothing new.
                return theory::SignedLog{moments(pair).log_variance, 1};
            default: return {};
        }
    }

private:
    /// |x - y|^2; without the conjugate the estimate is that of K(x, -y).
    double distance(const Pair& pair) const { return conjugate_ ? pair.minus : pair.plus; }

    bool conjugate_;
};

std::unique_ptr<MechanismWithMoments> fit_trigonometric(const Statistics&, const Settings& settings) {
    const auto conjugate = settings.find("conjugate");
    return std::make_unique<Trigonometric>(conjugate == settings.end() || std::get<bool>(conjugate->second));
}

}  // namespace

const MechanismInfo& trigonometric() {
    static const MechanismInfo info{
        .name = "trigonometric",
        .paper_name = "TrigRF",
        .summary = "complex exponentials of random frequencies; bounded, not positive",
        .features = "f1 = exp(i w.x), f2 = exp(-i w.y), w ~ N(0, I)",
        .variance = "Var = (1 - K^2)^2 / 2",
        .reference = "Rahimi and Recht 2007; Likhosherstov 2022, (6.1), (2.12)",
        .cost = "no fit; 2 real columns a draw; O(d) and one sine and cosine a feature",
        .parameters = {{"conjugate", ParameterInfo::Type::boolean, "true or false",
                        "false: f2 = exp(i w.y), a common mistake; the estimates are those of K(x, -y) "
                        "(default true)"}},
        .differentiable = true,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_trigonometric};
    return info;
}

}  // namespace rfbench::features
