#include "rfbench/features/maps/exponential_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rfbench/features/alike_features.hpp"
#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/features/log_features.hpp"
#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/features/maps/row_terms.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/sin_cos.hpp"

namespace rfbench::features {
namespace {

/// Bytes of features from which on no cache of a core holds them.
constexpr Index streamed_from = Index{1} << 25;

/// Blocks of rows from the one that is projected to the one that is called for from memory.
constexpr Index blocks_ahead = 3;

/// The term of row scale q, and half its squared length: none is left of -|x|^2 / 2.
RowTerm of_softmax(RowTerm term, double scale) {
    term.isotropic = scale * scale * (term.isotropic + 0.5);
    term.linear *= scale;
    term.quadratic *= scale * scale;
    return term;
}

class ExponentialMap final : public FeatureMapOf<ExponentialMap>,
                             public DifferentiableMapOf<ExponentialMap>,
                             public LogFeaturesOf<ExponentialMap> {
public:
    ExponentialMap(ExponentialSide query, ExponentialSide key, const products::Arithmetic& arithmetic = {})
        : arithmetic_(arithmetic),
          given_{std::move(query), std::move(key)},
          sides_{prepared(given_[0], arithmetic), prepared(given_[1], arithmetic)} {}

    Index columns() const override { return sides_[0].product.in<double>().columns(); }
    LargestEntry largest_entry() const override {
        return features::largest_entry(sides_[0].product).both(features::largest_entry(sides_[1].product));
    }
    std::shared_ptr<const FeatureMap> of_softmax(double scale) const override {
        const auto own = [&](const ExponentialSide& side) {
            return ExponentialSide{scale * side.weights, side.bias, features::of_softmax(side.row, scale)};
        };
        return std::make_shared<ExponentialMap>(own(given_[0]), own(given_[1]), arithmetic_);
    }
    products::Arithmetic arithmetic() const override { return arithmetic_; }
    std::shared_ptr<const FeatureMap> with_arithmetic(const products::Arithmetic& arithmetic) const override {
        return std::make_shared<ExponentialMap>(given_[0], given_[1], arithmetic);
    }
    const LogFeatures* logs() const override { return arithmetic_.on_vectors() ? this : nullptr; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const AffineProduct<Scalar>& product = get(side).product.in<Scalar>();
        prepare(rows, product.dimension(), columns(), out);
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        const Store how =
            out.values.size() * static_cast<Index>(sizeof(Scalar)) < streamed_from ? Store::cached : Store::streamed;
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            // As many rows as a product takes at once are projected, and then exponentiated while they are in cache.
            // Each is over its own largest feature, so that nothing overflows.
            const Index few = product.rows_at_once();
            Rows<Scalar> logs(std::min(few, n), columns());
            Eigen::Array<Scalar, Eigen::Dynamic, 1> high(logs.rows());
            for (Index at = first; at < first + n; at += few) {
                const Index own = std::min(few, first + n - at);
                prefetch(rows, at + blocks_ahead * few, few);
                product.apply(rows.middleRows(at, own), logs.data());
                // All maxima first: each waits for its last step, and exponentials would wait for it.
                for (Index i = 0; i < own; ++i) high[i] = largest(logs.row(i).array());
                for (Index i = 0; i < own; ++i)
                    exponentiate(logs.row(i).array(), high[i], out.values.row(at + i).array(), how);
                out.log_scale.segment(at, own) = high.head(own).template cast<double>();
            }
            if (how == Store::streamed) finish_streams();
            get(side).row.add(rows, first, n, log_weight, out.log_scale);
        });
    }

    template <class Scalar>
    LogInputs<Scalar> take_inputs(Side side, const RowsView<Scalar>& rows) const {
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        LogInputs<Scalar> out{products::RowsSharingEntries<Scalar>(rows), {}, Vector::Zero(rows.rows())};
        for_row_tiles(rows.rows(),
                      [&](Index first, Index n) { get(side).row.add(rows, first, n, log_weight, out.log_scale); });
        return out;
    }

    template <class Scalar>
    void write_logs(Side side, const LogInputs<Scalar>& in, Index first, Index n, LogFeatureBlock<Scalar>& out) const {
        out.logs.resize(n, columns());
        out.signs.resize(0, 0);
        out.log_scale = in.log_scale.segment(first, n);
        get(side).product.in<Scalar>().apply(in.factors, first, n, out.logs.data());
    }

    /// df_m = f_m (W_m + grad row).
    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Rows<Scalar> logs = gradient.cwiseProduct(features.values);
        get(side).product.in<Scalar>().pull_back(logs, out);
        get(side).row.add_gradients(rows, logs.rowwise().sum().template cast<double>(), out);
    }

private:
    struct Prepared {
        DoubleAndFloat<AffineProduct> product;
        RowTerms row;
    };

    static Prepared prepared(const ExponentialSide& side, const products::Arithmetic& arithmetic) {
        return {DoubleAndFloat<AffineProduct>(side.weights, side.bias, arithmetic), RowTerms(side.row)};
    }
    const Prepared& get(Side side) const { return sides_[side == Side::query ? 0 : 1]; }

    products::Arithmetic arithmetic_;
    ExponentialSide given_[2];
    Prepared sides_[2];
};

class ComplexExponentialMap final : public FeatureMapOf<ComplexExponentialMap>,
                                    public DifferentiableMapOf<ComplexExponentialMap>,
                                    public AlikeFeatures {
public:
    ComplexExponentialMap(const Projections& omega, ComplexSide query, ComplexSide key,
                          const products::Arithmetic& arithmetic = {})
        : arithmetic_(arithmetic),
          product_(omega, Vector(Vector::Zero(omega.cols())), arithmetic),
          omega_(omega),
          given_{std::move(query), std::move(key)},
          sides_{prepared(given_[0]), prepared(given_[1])} {}

    Index columns() const override { return 2 * omega_.cols(); }
    LargestEntry largest_entry() const override { return features::largest_entry(product_); }
    std::shared_ptr<const FeatureMap> of_softmax(double scale) const override {
        const auto own = [&](const ComplexSide& side) {
            return ComplexSide{scale * side.slope, side.bias, features::of_softmax(side.row, scale)};
        };
        return std::make_shared<ComplexExponentialMap>(omega_, own(given_[0]), own(given_[1]), arithmetic_);
    }
    products::Arithmetic arithmetic() const override { return arithmetic_; }
    std::shared_ptr<const FeatureMap> with_arithmetic(const products::Arithmetic& arithmetic) const override {
        return std::make_shared<ComplexExponentialMap>(omega_, given_[0], given_[1], arithmetic);
    }
    const AlikeFeatures* shared_entries() const override { return arithmetic_.on_vectors() ? this : nullptr; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        evaluate_with(side, rows, out, [&](Index first, Index n, Scalar* to) {
            product_.in<Scalar>().apply(rows.middleRows(first, n), to);
        });
    }
    void evaluate_alike(Side side, const products::RowsSharingEntries<float>& rows, Index first, Index n,
                        FeatureBlock<float>& out) const override {
        evaluate_with<float>(side, rows.rows().middleRows(first, n), out, [&](Index at, Index size, float* to) {
            product_.in<float>().apply(rows, first + at, size, to);
        });
    }

    /// With u = Omega' x, real part p and imaginary part q (minus q in the keys): dp = a p - b q, dq = a q + b p for
    /// the slope a + ib, times du.
    template <class Scalar>
    void pull_rows_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        const Prepared& own = sides_[side == Side::query ? 0 : 1];
        const Index m = omega_.cols();
        const auto a = static_cast<Scalar>(own.slope.real());
        const auto b = static_cast<Scalar>(side == Side::query ? own.slope.imag() : -own.slope.imag());
        const auto p = features.values.leftCols(m).array(), q = features.values.rightCols(m).array();
        const auto dp = gradient.leftCols(m).array(), dq = gradient.rightCols(m).array();
        const Rows<Scalar> slopes = dp * (a * p - b * q) + dq * (a * q + b * p);
        product_.in<Scalar>().pull_back(slopes, out);
        own.row.add_gradients(rows, (dp * p + dq * q).rowwise().sum().matrix().template cast<double>(), out);
    }

private:
    struct Prepared {
        std::complex<double> slope;
        RowTerms row;
        Eigen::Array<double, 1, Eigen::Dynamic> modulus, phase;  // real and imaginary part of the bias
        bool constant_modulus;
    };

    static Prepared prepared(const ComplexSide& side) {
        // With an imaginary slope and one real part of all biases, as trigonometric features have, nothing is
        // exponentiated.
        const bool constant = side.slope.real() == 0 &&
                              (side.bias.size() == 0 || (side.bias.real().array() == side.bias.real()[0]).all());
        return {side.slope, RowTerms(side.row), side.bias.real().transpose().array(),
                side.bias.imag().transpose().array(), constant};
    }

    /// `product`(first, n, to) writes rows first .. first + n - 1 times omega.
    template <class Scalar, class Product>
    void evaluate_with(Side which, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out, Product product) const {
        prepare(rows, omega_.rows(), columns(), out);
        const Prepared& own = sides_[which == Side::query ? 0 : 1];
        const Index m = omega_.cols();
        const double log_weight = -0.5 * std::log(static_cast<double>(m));
        // The minus sign of Re(f1 f2) = Re f1 Re f2 - Im f1 Im f2 sits in the keys, as that of their phases.
        const double sign = which == Side::query ? 1 : -1;
        const auto modulus_slope = static_cast<Scalar>(own.slope.real());
        const auto phase_slope = static_cast<Scalar>(sign * own.slope.imag());
        const Eigen::Array<Scalar, 1, Eigen::Dynamic> modulus_bias = own.modulus.template cast<Scalar>();
        const Eigen::Array<Scalar, 1, Eigen::Dynamic> phase_bias = (sign * own.phase).template cast<Scalar>();
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            // The products of a tile; then, row by row, sines and cosines of phases, and exponentials of moduli where
            // they differ.
            Rows<Scalar> products(n, m);
            product(first, n, products.data());
            Eigen::Array<Scalar, 1, Eigen::Dynamic> modulus(m), phase(m);
            for (Index i = 0; i < n; ++i) {
                const auto u = products.row(i).array();
                Scalar* const features = &out.values(first + i, 0);
                Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>> real(features, m), imaginary(features + m, m);
                phase = phase_slope * u + phase_bias;
                sin_cos(phase.data(), m, imaginary.data(), real.data());
                // A modulus that all features share goes into the log scale; otherwise moduli are divided by the row's
                // largest.
                double high = own.modulus[0];
                if (!own.constant_modulus) {
                    modulus = modulus_slope * u + modulus_bias;
                    const Scalar largest = features::largest(modulus);
                    exponentiate(modulus, largest, modulus);
                    real *= modulus;
                    imaginary *= modulus;
                    high = static_cast<double>(largest);
                }
                out.log_scale[first + i] = high;
            }
            own.row.add(rows, first, n, log_weight, out.log_scale);
        });
    }

    products::Arithmetic arithmetic_;
    DoubleAndFloat<AffineProduct> product_;
    Projections omega_;
    ComplexSide given_[2];
    Prepared sides_[2];
};

}  // namespace

std::unique_ptr<FeatureMap> exponential_map(ExponentialSide query, ExponentialSide key) {
    return std::make_unique<ExponentialMap>(std::move(query), std::move(key));
}

std::unique_ptr<FeatureMap> positive_map(const Projections& omega) {
    const ExponentialSide side{omega, Vector::Zero(omega.cols()), {.isotropic = -1}};
    return exponential_map(side, side);
}

std::unique_ptr<FeatureMap> complex_exponential_map(const Projections& omega, ComplexSide query, ComplexSide key) {
    return std::make_unique<ComplexExponentialMap>(omega, std::move(query), std::move(key));
}

}  // namespace rfbench::features
