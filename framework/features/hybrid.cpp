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

/// The columns are, with a the angular signs of each feature's unit, [T, a x T, P, a x P] / sqrt(2); the minus sign of
/// (6.4) sits in the last block of the queries. Units are averaged by the 1/M of T and P, M counting over all of them.
class HybridMap final : public FeatureMap {
public:
    HybridMap(const Projections& omega, const Sizes& sizes)
        : sizes_(sizes),
          units_(omega.cols() / sizes.omegas()),
          angular_(of_units(omega, sizes.omegas() - sizes.angular, sizes.angular)),
          narrow_(angular_.cast<float>()),
          trigonometric_(map_of(trigonometric(), {{"conjugate", sizes.conjugate}},
                                of_units(omega, 0, sizes.trigonometric))),
          positive_(map_of(positive(), {},
                           of_units(omega, sizes.shared ? 0 : sizes.trigonometric, sizes.positive))) {}

    Index columns() const override { return sizes_.columns() * units_; }
    void evaluate(Side side, const RowsView<double>& rows, FeatureBlock<double>& out) const override {
        evaluate_with(side, angular_, rows, out);
    }
    void evaluate(Side side, const RowsView<float>& rows, FeatureBlock<float>& out) const override {
        evaluate_with(side, narrow_, rows, out);
    }

private:
    static std::unique_ptr<FeatureMap> map_of(const MechanismInfo& info, const Settings& settings,
                                              const Projections& omega) {
        return info.fit({}, settings)->map({omega, {}});
    }

    /// Omegas first .. first + count - 1 of each unit: the first of every unit, then the second of every unit, ...
    Projections of_units(const Projections& omega, Index first, Index count) const {
        Projections result(omega.rows(), units_ * count);
        for (Index k = 0; k < count; ++k)
            for (Index u = 0; u < units_; ++u) result.col(k * units_ + u) = omega.col(u * sizes_.omegas() + first + k);
        return result;
    }

    template <class Scalar, class Angular>
    void evaluate_with(Side side, const Angular& angular, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, angular.rows(), columns(), out);
        FeatureBlock<Scalar> trig, pos;
        trigonometric_->evaluate(side, rows, trig);
        positive_->evaluate(side, rows, pos);
        const Vector scale = trig.log_scale.cwiseMax(pos.log_scale);
        out.log_scale = scale.array() - 0.5 * M_LN2;
        const Index nt = trig.values.cols(), np = pos.values.cols();
        const Index start_positive = nt * (sizes_.angular + 1);
        const Scalar weight = 1 / std::sqrt(static_cast<Scalar>(sizes_.angular));
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            Rows<Scalar> signs = rows.middleRows(first, n) * angular;
            // sign(0) = +1, so that the zero vector has a mean angle of pi / 2 to every other
            for (Index j = 0; j < signs.size(); ++j) signs.data()[j] = signs.data()[j] < 0 ? -weight : weight;
            for (Index i = 0; i < n; ++i) {
                const Index row = first + i;
                const auto t = trig.values.row(row).array() * factor<Scalar>(trig.log_scale[row] - scale[row]);
                const auto p = pos.values.row(row).array() * factor<Scalar>(pos.log_scale[row] - scale[row]);
                auto own = out.values.row(row).array();
                own.head(nt) = t;
                own.segment(start_positive, np) = p;
                for (Index k = 0; k < sizes_.angular; ++k) {
                    const auto sign = signs.row(i).segment(k * units_, units_).array();
                    for (Index j = 0; j < nt; j += units_)
                        own.segment((k + 1) * nt + j, units_) = own.segment(j, units_) * sign;
                    const Index target = start_positive + (k + 1) * np;
                    for (Index j = 0; j < np; j += units_)
                        own.segment(target + j, units_) = own.segment(start_positive + j, units_) * sign;
                    if (side == Side::query) own.segment(target, np) = -own.segment(target, np);
                }
            }
        });
    }

    template <class Scalar>
    static Scalar factor(double log) {
        return static_cast<Scalar>(std::exp(log));
    }

    Sizes sizes_;
    Index units_;
    Projections angular_;
    Eigen::MatrixXf narrow_;
    std::unique_ptr<FeatureMap> trigonometric_, positive_;
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
        const auto part = [](double log) { return SignedLog{log, std::isinf(log) ? 0 : 1}; };
        SignedLog variance = part(std::log(a * a + w) + log_trigonometric) +
                             part(std::log((1 - a) * (1 - a) + w) + log_positive);
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
        .parameters = {{"M1", Type::integer, "whole numbers from 1 on", "trigonometric features of a unit (default 1)"},
                       {"M2", Type::integer, "whole numbers from 1 on; equal to M1 when shared",
                        "positive features (default M1)"},
                       {"M3", Type::integer, "whole numbers from 1 on", "angular sign features (default 1)"},
                       {"shared", Type::boolean, "true or false",
                        "trigonometric and positive features use the same omegas (default true: never worse)"},
                       {"conjugate", Type::boolean, "true or false",
                        "false: T without the conjugate of its keys, a common mistake (default true)"}},
        .fit = fit_hybrid};
    return info;
}

}  // namespace rfbench::features
