#include <cmath>
#include <stdexcept>

#include "rfbench/features/alike_features.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/sin_cos.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/theory/coupling.hpp"

namespace rfbench::features {
namespace {

class CosineMap final : public FeatureMapOf<CosineMap>, public DifferentiableMapOf<CosineMap>, public AlikeFeatures {
public:
    explicit CosineMap(const Draw& draw) : angles_(draw.omega, draw.phase) {}

    Index columns() const override { return angles_.in<double>().columns(); }
    LargestEntry largest_entry() const override { return features::largest_entry(angles_); }
    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        evaluate_with(rows, out, [&](Index first, Index n, Scalar* to) {
            angles_.in<Scalar>().apply(rows.middleRows(first, n), to);
        });
    }
    void evaluate_alike(Side, const products::RowsSharingEntries<float>& rows, Index first, Index n,
                        FeatureBlock<float>& out) const override {
        evaluate_with<float>(rows.rows().middleRows(first, n), out, [&](Index at, Index size, float* to) {
            angles_.in<float>().apply(rows, first + at, size, to);
        });
    }

    template <class Scalar>
    void pull_rows_back(Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>&, const Rows<Scalar>& gradient,
                        Rows<Scalar>& out) const {
        const AffineProduct<Scalar>& product = angles_.in<Scalar>();
        Rows<Scalar> angles(rows.rows(), columns()), sines(rows.rows(), columns()), cosines(rows.rows(), columns());
        product.apply(rows, angles.data());
        sin_cos(angles.data(), angles.size(), sines.data(), cosines.data());
        // d cos(angle) = -sin(angle) d angle; the factor sqrt(2 / M) is in the log scale.
        product.pull_back(-gradient.cwiseProduct(sines), out);
    }

private:
    /// `product`(first, n, to) writes the angles of rows first .. first + n - 1.
    template <class Scalar, class Product>
    void evaluate_with(const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out, Product product) const {
        prepare(rows, angles_.in<double>().dimension(), columns(), out);
        out.log_scale.setConstant(0.5 * (M_LN2 - std::log(static_cast<double>(columns()))));
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            Rows<Scalar> angles(n, columns()), sines(n, columns());
            product(first, n, angles.data());
            sin_cos(angles.data(), angles.size(), sines.data(), out.values.row(first).data());
        });
    }

    DoubleAndFloat<AffineProduct> angles_;
};

class CosinePhase final : public MechanismWithMoments {
public:
    explicit CosinePhase(std::optional<double> phase) : phase_(phase) {}

    Settings parameters() const override { return phase_ ? Settings{{"phase", *phase_}} : Settings{}; }
    bool has_phase() const override { return true; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        if (!phase_) return std::make_unique<CosineMap>(draw);
        return std::make_unique<CosineMap>(Draw{draw.omega, Vector::Constant(draw.omega.cols(), *phase_)});
    }

    Moments moments(const Pair& pair) const override {
        // E Z^2 = 1 + K^4 / 2, Var = (1 + (1 - K^2)^2) / 2, over uniform phases
        const double gap = -std::expm1(-pair.minus);
        return {pair.log_kernel(), std::log1p(0.5 * std::exp(-2 * pair.minus)), std::log1p(gap * gap) - M_LN2};
    }

    // Phases are independent, so the part of Z that holds them has no covariance.
    std::optional<theory::SignedLog> covariance(const Pair& pair, sampling::Coupling coupling) const override {
        switch (coupling) {
            case sampling::Coupling::orthogonal:
                return theory::orthogonal_covariance_trigonometric(pair.dimension, pair.minus);
            case sampling::Coupling::simplex:
                return theory::simplex_covariance_trigonometric(pair.dimension, pair.minus);
            case sampling::Coupling::antithetic:
                return theory::SignedLog{2 * std::log(-std::expm1(-pair.minus)) - M_LN2, 1};
            default: return {};
        }
    }

private:
    std::optional<double> phase_;
};

std::unique_ptr<MechanismWithMoments> fit_cosine_phase(const Statistics&, const Settings& settings) {
    const auto phase = settings.find("phase");
    if (phase == settings.end()) return std::make_unique<CosinePhase>(std::nullopt);
    return std::make_unique<CosinePhase>(std::get<double>(phase->second));
}

}  // namespace

const MechanismInfo& cosine_phase() {
    static const MechanismInfo info{
        .name = "cosine-phase",
        .paper_name = "RFF with phase",
        .summary = "one cosine with a random phase a frequency; always worse than trigonometric, per real column too",
        .features = "f(x) = sqrt(2) cos(w.x + b) on both sides, w ~ N(0, I), b ~ U(0, 2 pi)",
        .variance = "Var = 1 - K^2 + K^4 / 2",
        .reference = "Rahimi and Recht 2007; Shahbazi et al. 2025, eq. 4",
        .cost = "no fit; 1 real column a draw; O(d) and one cosine a feature",
        .parameters = {{"phase", ParameterInfo::Type::real, "any real number",
                        "fixes b for every feature, to look at feature values; moments are over uniform b"}},
        .differentiable = true,
        .couplings = {sampling::Coupling::orthogonal, sampling::Coupling::simplex, sampling::Coupling::antithetic},
        .fit = fit_cosine_phase};
    return info;
}

}  // namespace rfbench::features
