#include <cmath>

#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/maps/cosine_map.hpp"
#include "rfbench/features/maps/squared_length.hpp"
#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/fitted_weights.hpp"
#include "rfbench/features/mechanisms/positive_fixed.hpp"

namespace rfbench::features {
namespace {

/// e^{x.y} = e^{|x|^2/2} K(x, y) e^{|y|^2/2}: this much of a row is not in the features of the paper.
constexpr double isotropic = -0.5;

/// f_j / sum_l f_l, times exp(-|x|^2/2).
class Normalised final : public FeatureMapOf<Normalised>, public DifferentiableMapOf<Normalised> {
public:
    explicit Normalised(std::unique_ptr<FeatureMap> inner) : inner_(std::move(inner)) {}

    Index columns() const override { return inner_->columns(); }
    LargestEntry largest_entry() const override { return inner_->largest_entry(); }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        inner_->evaluate(side, rows, out);
        for (Index i = 0; i < rows.rows(); ++i)
            out.log_scale[i] =
                isotropic * squared_length(rows, i) - std::log(static_cast<double>(out.values.row(i).sum()));
    }

    /// With p = f / sum f: df_j = f_j (W_j - sum_l p_l W_l - x). The part without x is the inner map's gradient of what
    /// has no share along p; the inner row term is then multiplied by 0.
    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> along = gradient.cwiseProduct(features.values).rowwise().sum();
        const auto shares = along.cwiseQuotient(features.values.rowwise().sum());
        const Rows<Scalar> across = gradient.colwise() - shares;
        inner_->differentiable()->pullback(side, rows, features, across, out);
        out += static_cast<Scalar>(2 * isotropic) * (along.asDiagonal() * rows);
    }

private:
    std::unique_ptr<FeatureMap> inner_;
};

class DiscreteCosine final : public Mechanism {
public:
    DiscreteCosine(Statistics statistics, bool softmax, int steps)
        : statistics_(std::move(statistics)), softmax_(softmax), steps_(steps) {}

    Settings parameters() const override { return {{"softmax", softmax_}, {"steps", static_cast<double>(steps_)}}; }
    Index columns(Index count) const override { return count; }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        const Projections omega = with_normal_radii(draw.omega);
        if (softmax_) return std::make_unique<Normalised>(cosine_or_dense_map({omega, Vector::Zero(omega.cols()), {}}));
        const Vector log_weights = fitted_log_weights(omega, isotropic, statistics_, steps_);
        return cosine_or_dense_map({omega, 0.5 * log_weights, {.isotropic = isotropic}});
    }

private:
    Statistics statistics_;
    bool softmax_;
    int steps_;
};

std::unique_ptr<Mechanism> fit_discrete_cosine(const Statistics& statistics, const Settings& settings) {
    const auto found = settings.find("softmax");
    return std::make_unique<DiscreteCosine>(statistics, found != settings.end() && std::get<bool>(found->second),
                                            steps_setting("discrete-cosine", settings));
}

}  // namespace

const MechanismInfo& discrete_cosine() {
    static const MechanismInfo info{
        .name = "discrete-cosine",
        .paper_name = "WDCF",
        .summary = "the features of DiJiang: normal radii, no |q|^2 / 2 in attention; draw them by dct or dct-columns",
        .features =
            "f_j(x) = D_j exp(T_j c_j.x - |x|^2/2) on both sides, c_j = w_j / |w_j|, T_j = Phi^{-1}(t_j); with "
            "softmax=true exp(-|x|^2/2) softmax_j(T_j c_j.x), as in the released program",
        .variance = "none in closed form; estimates of K only up to a factor of each row",
        .reference = "Chen et al. 2024, (12) and released program",
        .cost = "as positive-weighted; O(M log d) a row from d = 256 on with sampling dct or dct-columns",
        .parameters = {{"softmax", ParameterInfo::Type::boolean, "true or false",
                        "true: features of a row add up to a constant, without D, as released; default false"},
                       steps_parameter()},
        .positive = true,
        .unbiased = false,
        .differentiable = true,
        .fitted = always_fitted,
        .fit = fit_discrete_cosine};
    return info;
}

}  // namespace rfbench::features
