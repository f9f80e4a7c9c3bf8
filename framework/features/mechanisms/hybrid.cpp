#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/features/alike_features.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/sin_cos.hpp"
#include "rfbench/features/maps/squared_length.hpp"
#include "rfbench/features/mechanism_info.hpp"

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
class HybridMap final : public FeatureMapOf<HybridMap>, public AlikeFeatures {
public:
    HybridMap(const Projections& omega, const Sizes& sizes)
        : sizes_(sizes), units_(omega.cols() / sizes.omegas()), product_(by_place(omega), Vector::Zero(omega.cols())) {}

    Index columns() const override { return sizes_.columns() * units_; }
    LargestEntry largest_entry() const override { return features::largest_entry(product_); }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        evaluate_with(
            side, rows, out,
            [&](Index first, Index n, Scalar* to) { product_.in<Scalar>().apply(rows.middleRows(first, n), to); },
            [&](Index i) { return squared_length(rows, i); });
    }
    void evaluate_alike(Side side, const products::RowsSharingEntries<float>& rows, Index first, Index n,
                        FeatureBlock<float>& out) const override {
        evaluate_with<float>(
            side, rows.rows().middleRows(first, n), out,
            [&](Index at, Index size, float* to) { product_.in<float>().apply(rows, first + at, size, to); },
            [&](Index i) { return rows.squared_lengths()[first + i]; });
    }

private:
    /// The first omega of every unit, then the second of every unit, ...: trigonometric, positive if not
    /// shared, angular.
    Projections by_place(const Projections& omega) const {
        Projections result(omega.rows(), omega.cols());
        const Index places = sizes_.omegas();
        for (Index k = 0; k < places; ++k)
            for (Index u = 0; u < units_; ++u) result.col(k * units_ + u) = omega.col(u * places + k);
        return result;
    }

    /// `product`(first, n, to) writes rows first .. first + n - 1 times all omegas; `square`(i) is row i's squared
    /// length.
    template <class Scalar, class Product, class Square>
    void evaluate_with(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out, Product product,
                       Square square) const {
        const AffineProduct<double>& wide = product_.in<double>();
        prepare(rows, wide.dimension(), columns(), out);
        const Index nt = sizes_.trigonometric * units_, np = sizes_.positive * units_, na = sizes_.angular * units_;
        const double log_trigonometric = -0.5 * std::log(static_cast<double>(nt));
        const double log_positive = -0.5 * std::log(static_cast<double>(np));
        const Scalar weight = 1 / std::sqrt(static_cast<Scalar>(sizes_.angular));
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            Rows<Scalar> products(n, wide.columns());
            product(first, n, products.data());
            // Whole tiles at a time, so that short rows of few units make whole vectors too.
            const Rows<Scalar> angles = products.leftCols(nt);
            Rows<Scalar> sines(n, nt), cosines(n, nt), positive(n, np);
            sin_cos(angles.data(), angles.size(), sines.data(), cosines.data());
            // The minus sign of Re(f1 f2) = Re f1 Re f2 - Im f1 Im f2 sits in the keys, where the conjugate turns it.
            if (side == Side::key && !sizes_.conjugate) sines = -sines;
            Eigen::ArrayXd own_positive(n);
            for (Index i = 0; i < n; ++i) {
                const Scalar* const exponents = &products(i, sizes_.shared ? 0 : nt);
                const Scalar high = products.row(i).segment(sizes_.shared ? 0 : nt, np).maxCoeff();
                fill(np, &positive(i, 0), [=](Index j) { return exponents[j] - high; });
                own_positive[i] = static_cast<double>(high) - square(first + i) + log_positive;
            }
            positive = positive.array().exp();
            Rows<Scalar> signs = products.rightCols(na);
            to_signs(weight, signs.size(), signs.data());
            // T and P have one log scale, the larger; the 1 / sqrt(2) of all features is in it.
            const Eigen::ArrayXd scale = own_positive.max(log_trigonometric);
            out.log_scale.segment(first, n) = scale - 0.5 * M_LN2;
            const Eigen::ArrayXd of_t = (log_trigonometric - scale).exp(), of_p = (own_positive - scale).exp();
            for (Index i = 0; i < n; ++i) {
                // T (cosines, then sines), a x T, P, a x P; each angular feature's sign of a unit goes through that
                // unit's features.
                Scalar* const begin = &out.values(first + i, 0);
                Scalar* to = times(static_cast<Scalar>(of_t[i]), &cosines(i, 0), nt, begin);
                to = times(static_cast<Scalar>(of_t[i]), &sines(i, 0), nt, to);
                for (Index k = 0; k < sizes_.angular; ++k)
                    to = with_signs(begin, 2 * nt, &signs(i, k * units_), Scalar(1), to);
                const Scalar* const own = to;
                to = times(static_cast<Scalar>(of_p[i]), &positive(i, 0), np, to);
                for (Index k = 0; k < sizes_.angular; ++k)
                    to = with_signs(own, np, &signs(i, k * units_), Scalar(side == Side::query ? -1 : 1), to);
            }
        });
    }

    /// out[j] = value(j), j < n, in blocks of whole vectors, of which the last two overlap: rows are short. `value`
    /// must read nothing that is written.
    template <class Scalar, class Value>
    static void fill(Index n, Scalar* out, Value value) {
        constexpr Index lanes = 16;
        const auto block = [&](Index first) {
            std::array<Scalar, lanes> values;
#pragma omp simd
            for (Index j = 0; j < lanes; ++j) values[static_cast<std::size_t>(j)] = value(first + j);
            std::copy(values.begin(), values.end(), out + first);
        };
        for (Index first = 0; first + lanes <= n; first += lanes) block(first);
        if (n >= lanes) block(n - lanes);
        for (Index j = 0; n < lanes && j < n; ++j) out[j] = value(j);
    }

    /// weight times the sign; sign(0) = +1, so that the zero vector has a mean angle of pi / 2 to every other.
    template <class Scalar>
    static void to_signs(Scalar weight, Index n, Scalar* values) {
#pragma omp simd
        for (Index j = 0; j < n; ++j) values[j] = values[j] < 0 ? -weight : weight;
    }

    /// Writes factor * values and returns what follows.
    template <class Scalar>
    static Scalar* times(Scalar factor, const Scalar* values, Index n, Scalar* out) {
        fill(n, out, [=](Index j) { return factor * values[j]; });
        return out + n;
    }

    /// Writes the features of all units times their signs, which are units_ many, and returns what follows.
    template <class Scalar>
    Scalar* with_signs(const Scalar* features, Index n, const Scalar* signs, Scalar factor, Scalar* out) const {
        for (Index first = 0; first < n; first += units_)
            fill(units_, out + first, [=](Index u) { return factor * signs[u] * features[first + u]; });
        return out + n;
    }

    Sizes sizes_;
    Index units_;
    DoubleAndFloat<AffineProduct> product_;
};

/// Angle between x and y, accurate near 0 and pi; pi/2 when one of them is zero, as the sign features have it.
double angle(const Pair& pair) {
    if (pair.xx == 0 || pair.yy == 0) return M_PI_2;
    const Vector u = pair.x / std::sqrt(pair.xx);
    const Vector v = pair.y / std::sqrt(pair.yy);
    return 2 * std::atan2((u - v).norm(), (u + v).norm());
}

class Hybrid final : public MechanismWithMoments {
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
        // T has the weight (1 + mean of M3 products of signs) / 2, of mean a and variance w; P has the rest of one.
        const double a = 1 - angle(pair) / M_PI;
        const double w = a * (1 - a) / static_cast<double>(sizes_.angular);
        const double square = sizes_.conjugate ? pair.minus : pair.plus;  // T estimates exp(-square / 2)
        const double log_trigonometric =
            2 * std::log(-std::expm1(-square)) - M_LN2 - std::log(static_cast<double>(sizes_.trigonometric));
        const double log_positive =
            4 * pair.xy + std::log(-std::expm1(-pair.plus)) - std::log(static_cast<double>(sizes_.positive));
        const auto part = [](double log) { return SignedLog{log, std::isinf(log) ? 0 : 1}; };
        SignedLog variance =
            part(std::log(a * a + w) + log_trigonometric) + part(std::log((1 - a) * (1 - a) + w) + log_positive);
        if (sizes_.shared) {
            // Cov(T, P) = -(1 - cos c) / M1 times E T E P
            const double half = std::sin(0.5 * (sizes_.conjugate ? pair.xx - pair.yy : pair.plus));
            const double factor = 2 * (a * (1 - a) - w) * 2 * half * half / static_cast<double>(sizes_.trigonometric);
            if (factor != 0)
                variance =
                    variance + SignedLog{std::log(std::abs(factor)) - 0.5 * (square + pair.minus), factor > 0 ? -1 : 1};
        }
        double log_mean = pair.log_kernel();
        if (!sizes_.conjugate) {
            // The two parts no longer have one mean: + w (E T - E P)^2.
            const SignedLog of_t{-0.5 * square, 1}, kernel{pair.log_kernel(), 1};
            log_mean = (scaled(of_t, std::log(a)) + scaled(kernel, std::log1p(-a))).log_abs;
            const SignedLog gap = of_t + SignedLog{kernel.log_abs, -1};
            if (gap.sign != 0 && w > 0) variance = variance + SignedLog{std::log(w) + 2 * gap.log_abs, 1};
        }
        const double log_variance = variance.sign > 0 ? variance.log_abs : -std::numeric_limits<double>::infinity();
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
        throw InputError("hybrid: " + std::string(name) + " = " + std::to_string(static_cast<Index>(value)) +
                         "; it must be at least 1");
    return static_cast<Index>(value);
}

std::unique_ptr<MechanismWithMoments> fit_hybrid(const Statistics&, const Settings& settings) {
    Sizes sizes;
    if (const auto shared = settings.find("shared"); shared != settings.end())
        sizes.shared = std::get<bool>(shared->second);
    if (const auto conjugate = settings.find("conjugate"); conjugate != settings.end())
        sizes.conjugate = std::get<bool>(conjugate->second);
    sizes.trigonometric = size_setting(settings, "M1", 1);
    sizes.positive = size_setting(settings, "M2", sizes.trigonometric);
    sizes.angular = size_setting(settings, "M3", 1);
    if (sizes.shared && sizes.trigonometric != sizes.positive)
        throw InputError("hybrid: shared omegas need M1 = M2, given M1 = " + std::to_string(sizes.trigonometric) +
                         " and M2 = " + std::to_string(sizes.positive) + "; make them equal or set shared=false");
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
        .variance =
            "Var = (a^2+w) Var T + ((1-a)^2+w) Var P + 2 (a(1-a)-w) Cov(T, P), a = 1 - theta/pi, "
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
