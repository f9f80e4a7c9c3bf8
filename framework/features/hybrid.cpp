#include "rfbench/features/hybrid.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/features/positive.hpp"
#include "rfbench/features/row_tiles.hpp"
#include "rfbench/features/trigonometric.hpp"

namespace rfbench::features {
namespace {

struct Sizes {
    Index trigonometric = 1;  // M1
    Index positive = 1;       // M2
    Index angular = 1;        // M3
    bool shared = true;       // trigonometric and positive features use the same omegas, M1 = M2
    bool conjugate = true;    // of the trigonometric keys

    std::vector<Index> groups() const {
        if (shared) return {trigonometric, angular};
        return {trigonometric, positive, angular};
    }
    Index omegas() const { return trigonometric + (shared ? 0 : positive) + angular; }
    Index columns() const { return (angular + 1) * (2 * trigonometric + positive); }
};

/// One unit: the columns are, with a the angular signs, [T, a x T, P, a x P] / sqrt(2); the minus sign of (6.4) sits in
/// the last block of the queries.
class Unit {
public:
    Unit(const Projections& omega, const Sizes& sizes)
        : sizes_(sizes),
          angular_(omega.rightCols(sizes.angular)),
          narrow_(angular_.cast<float>()),
          trigonometric_(
              map_of(trigonometric(), {{"conjugate", sizes.conjugate}}, omega.leftCols(sizes.trigonometric))),
          positive_(map_of(positive(), {}, omega.middleCols(sizes.shared ? 0 : sizes.trigonometric, sizes.positive))) {}

    /// Fills columns first, first + 1, ... of out.values with this unit's, relative to the returned log scales.
    template <class Scalar>
    Vector evaluate(Side side, const RowsView<Scalar>& rows, Index first, Rows<Scalar>& out) const {
        FeatureBlock<Scalar> trig, pos;
        trigonometric_->evaluate(side, rows, trig);
        positive_->evaluate(side, rows, pos);
        const Vector scale = trig.log_scale.cwiseMax(pos.log_scale);
        const Rows<Scalar> products = rows * angular<Scalar>();
        const Scalar weight = 1 / std::sqrt(static_cast<Scalar>(sizes_.angular));
        const Index nt = trig.values.cols();
        const Index np = pos.values.cols();
        const Index start_positive = first + (sizes_.angular + 1) * nt;
        for (Index i = 0; i < rows.rows(); ++i) {
            trig.values.row(i) *= static_cast<Scalar>(std::exp(trig.log_scale[i] - scale[i]));
            pos.values.row(i) *= static_cast<Scalar>(std::exp(pos.log_scale[i] - scale[i]));
            out.row(i).segment(first, nt) = trig.values.row(i);
            out.row(i).segment(start_positive, np) = pos.values.row(i);
            for (Index k = 0; k < sizes_.angular; ++k) {
                // sign(0) = +1, so that the zero vector has a mean angle of pi / 2 to every other
                const Scalar sign = products(i, k) < 0 ? -weight : weight;
                out.row(i).segment(first + (k + 1) * nt, nt) = sign * trig.values.row(i);
                out.row(i).segment(start_positive + (k + 1) * np, np) =
                    (side == Side::query ? -sign : sign) * pos.values.row(i);
            }
        }
        return scale.array() - 0.5 * M_LN2;
    }

private:
    static std::unique_ptr<FeatureMap> map_of(const MechanismInfo& info, const Settings& settings, const Projections& omega) {
        return info.fit({}, settings)->map({omega, {}});
    }
    template <class Scalar>
    const auto& angular() const {
        if constexpr (std::is_same_v<Scalar, float>)
            return narrow_;
        else
            return angular_;
    }

    Sizes sizes_;
    Projections angular_;
    Eigen::MatrixXf narrow_;
    std::unique_ptr<FeatureMap> trigonometric_, positive_;
};

/// The mean of several independent units.
class HybridMap final : public FeatureMap {
public:
    HybridMap(const Projections& omega, const Sizes& sizes) : dimension_(omega.rows()), sizes_(sizes) {
        for (Index first = 0; first < omega.cols(); first += sizes.omegas())
            units_.emplace_back(omega.middleCols(first, sizes.omegas()), sizes);
    }

    Index columns() const override { return sizes_.columns() * static_cast<Index>(units_.size()); }
    void evaluate(Side side, const RowsView<double>& rows, FeatureBlock<double>& out) const override {
        evaluate_with(side, rows, out);
    }
    void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const override {
        evaluate_with(side, rows, out);
    }

private:
    template <class Scalar>
    void evaluate_with(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, dimension_, columns(), out);
        Points scales(rows.rows(), static_cast<Index>(units_.size()));
        Index first = 0;
        for (std::size_t u = 0; u < units_.size(); ++u, first += sizes_.columns())
            scales.col(static_cast<Index>(u)) = units_[u].evaluate(side, rows, first, out.values);
        // One log scale a row for all units, and the mean's 1/units, half in each block.
        out.log_scale = scales.rowwise().maxCoeff();
        for (Index u = 0; u < scales.cols(); ++u)
            for (Index i = 0; i < rows.rows(); ++i)
                out.values.row(i).segment(u * sizes_.columns(), sizes_.columns()) *=
                    static_cast<Scalar>(std::exp(scales(i, u) - out.log_scale[i]));
        out.log_scale.array() -= 0.5 * std::log(static_cast<double>(units_.size()));
    }

    Index dimension_;
    Sizes sizes_;
    std::vector<Unit> units_;
};

/// Angle between x and y, accurate near 0 and pi; pi/2 when one of them is zero, as the sign features have it.
double angle(const Pair& pair) {
    if (pair.xx == 0 || pair.yy == 0) return M_PI_2;
    const Vector u = pair.x / std::sqrt(pair.xx);
    const Vector v = pair.y / std::sqrt(pair.yy);
    return 2 * std::atan2((u - v).norm(), (u + v).norm());
}

class Hybrid final : public Mechanism {
public:
    explicit Hybrid(const Sizes& sizes) : sizes_(sizes) {}

    Settings parameters() const override {
        return {{"M1", static_cast<double>(sizes_.trigonometric)},
                {"M2", static_cast<double>(sizes_.positive)},
                {"M3", static_cast<double>(sizes_.angular)},
                {"shared", sizes_.shared},
                {"conjugate", sizes_.conjugate}};
    }

    std::vector<Index> groups(Index count) const override {
        std::vector<Index> result;
        for (Index unit = 0; unit < count; ++unit)
            for (const Index size : sizes_.groups()) result.push_back(size);
        return result;
    }
    Index columns(Index count) const override { return count * sizes_.columns(); }

    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        return std::make_unique<HybridMap>(draw.omega, sizes_);
    }

    Moments moments(const Pair& pair) const override {
        using theory::SignedLog;
        const double a = 1 - angle(pair) / M_PI;
        const double w = a * (1 - a) / static_cast<double>(sizes_.angular);
        const double square = sizes_.conjugate ? pair.minus : pair.plus;  // T estimates exp(-square / 2)
        const double log_trigonometric =
            2 * std::log(-std::expm1(-square)) - M_LN2 - std::log(static_cast<double>(sizes_.trigonometric));
        const double log_positive =
            4 * pair.xy + std::log(-std::expm1(-pair.plus)) - std::log(static_cast<double>(sizes_.positive));
        SignedLog variance = scaled(SignedLog{std::log(a * a + w), 1}, log_trigonometric) +
                             scaled(SignedLog{std::log((1 - a) * (1 - a) + w), 1}, log_positive);
        if (sizes_.shared) {
            // Cov(T, P) = -(1 - cos c) / M1 times E T E P
            const double half = std::sin(0.5 * (sizes_.conjugate ? pair.xx - pair.yy : pair.plus));
            const double factor = 2 * (a * (1 - a) - w) * 2 * half * half / static_cast<double>(sizes_.trigonometric);
            if (factor != 0)
                variance = variance + SignedLog{std::log(std::abs(factor)) - 0.5 * (square + pair.minus),
                                                factor > 0 ? -1 : 1};
        }
        double log_mean = pair.log_kernel();
        if (!sizes_.conjugate) {
            // The two parts no longer have one mean: + w (E T - E P)^2.
            const SignedLog of_t{-0.5 * square, 1}, kernel{pair.log_kernel(), 1};
            log_mean = (scaled(of_t, std::log(a)) + scaled(kernel, std::log1p(-a))).log_abs;
            const SignedLog gap = of_t + SignedLog{kernel.log_abs, -1};
            if (gap.sign != 0 && w > 0) variance = variance + SignedLog{std::log(w) + 2 * gap.log_abs, 1};
        }
        const double log_variance =
            variance.sign > 0 ? variance.log_abs : -std::numeric_limits<double>::infinity();
        const SignedLog second = SignedLog{log_variance, variance.sign > 0 ? 1 : 0} + SignedLog{2 * log_mean, 1};
        return {log_mean, second.log_abs, log_variance};
    }

private:
    Sizes sizes_;
};

Index size_setting(const Settings& settings, std::string_view name, Index otherwise) {
    const auto found = settings.find(name);
    if (found == settings.end()) return otherwise;
    const double value = std::get<double>(found->second);
    if (value < 1)
        throw std::invalid_argument("hybrid: " + std::string(name) + " = " + std::to_string(static_cast<Index>(value)) +
                                    "; it must be at least 1");
    return static_cast<Index>(value);
}

std::unique_ptr<Mechanism> fit_hybrid(const Statistics&, const Settings& settings) {
    Sizes sizes;
    if (const auto shared = settings.find("shared"); shared != settings.end())
        sizes.shared = std::get<bool>(shared->second);
    if (const auto conjugate = settings.find("conjugate"); conjugate != settings.end())
        sizes.conjugate = std::get<bool>(conjugate->second);
    sizes.trigonometric = size_setting(settings, "M1", 1);
    sizes.positive = size_setting(settings, "M2", sizes.trigonometric);
    sizes.angular = size_setting(settings, "M3", 1);
    if (sizes.shared && sizes.trigonometric != sizes.positive)
        throw std::invalid_argument("hybrid: shared omegas need M1 = M2, given M1 = " +
                                    std::to_string(sizes.trigonometric) + " and M2 = " +
                                    std::to_string(sizes.positive) + "; make them equal or set shared=false");
    return std::make_unique<Hybrid>(sizes);
}

}  // namespace

const MechanismInfo& hybrid() {
    using Type = ParameterInfo::Type;
    static const MechanismInfo info{
        .name = "hybrid",
        .paper_name = "HybRF",
        .summary = "trigonometric near angle 0, positive near angle pi, mixed by angular sign features",
        .features = "[T, a x T, P, i a x P] / sqrt(2), with T trigonometric, P positive, a = sign(w3.x) / sqrt(M3)",
        .variance = "Var = (a^2+w) Var T + ((1-a)^2+w) Var P + 2 (a(1-a)-w) Cov(T, P), a = 1 - theta/pi, "
                    "w = a(1-a)/M3; Cov = 0 for independent omegas, -(K^2/M1)(1 - cos(|x|^2-|y|^2)) for shared ones",
        .reference = "Likhosherstov 2022, (6.4), (6.6), Theorem 12",
        .cost = "no fit; one draw is a whole unit of (M3+1)(2 M1 + M2) real columns",
        .parameters = {{"M1", Type::integer, "at least 1", "trigonometric features of a unit (default 1)"},
                       {"M2", Type::integer, "at least 1; equal to M1 when shared", "positive features (default M1)"},
                       {"M3", Type::integer, "at least 1", "angular sign features (default 1)"},
                       {"shared", Type::boolean, "true or false",
                        "trigonometric and positive features use the same omegas (default true: never worse)"},
                       {"conjugate", Type::boolean, "true or false",
                        "false: T without the conjugate of its keys, a common mistake (default true)"}},
        .fit = fit_hybrid};
    return info;
}

}  // namespace rfbench::features
