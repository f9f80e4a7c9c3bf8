#include "rfbench/features/maps/affine_features.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "rfbench/features/maps/affine_product.hpp"
#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::features {
namespace {

using WeightsView = Eigen::Map<const Projections>;

/// Normal entries of variance 1/d.
Projections normal_weights(Index dimension, Index columns, const Stream& stream) {
    Projections weights(dimension, columns);
    fill_normal(stream, weights);
    return weights / std::sqrt(static_cast<double>(dimension));
}

class T2rMap final : public FeatureMapOf<T2rMap>, public ParametricMapOf<T2rMap> {
public:
    T2rMap(Index dimension, Index columns, const Vector& parameters)
        : product_(Projections(WeightsView(parameters.data(), dimension, columns)), parameters.tail(columns)) {}

    Index columns() const override { return product_.in<double>().columns(); }
    Index num_parameters() const override { return columns() * (product_.in<double>().dimension() + 1); }
    LargestEntry largest_entry() const override { return features::largest_entry(product_); }

    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const auto& product = product_.in<Scalar>();
        prepare(rows, product.dimension(), columns(), out);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            product.apply(rows.middleRows(first, n), &out.values(first, 0));
            for (Index i = first; i < first + n; ++i) {
                auto row = out.values.row(i).array();
                row = row.max(Scalar(0));
                const Scalar high = row.maxCoeff();
                if (high > 0) row /= high;
                out.log_scale[i] = high > 0 ? std::log(static_cast<double>(high)) : 0;
            }
        });
        out.vanished = (out.values.rowwise().maxCoeff().array() == 0).count();
    }

    template <class Scalar>
    void pull_all_back(Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                       const Rows<Scalar>& gradient, Rows<Scalar>& out, Vector& by) const {
        // The slope is 1 over the row's scale where a feature is positive.
        Rows<Scalar> back = (features.values.array() > 0).select(gradient, Scalar(0));
        constexpr double largest = std::numeric_limits<Scalar>::max();
        back.array().colwise() *= (-features.log_scale.array()).exp().min(largest).template cast<Scalar>();
        product_.in<Scalar>().pull_back(back, out);
        if (by.size() == 0) return;
        add_weight_gradient<Scalar>(rows, back, by, 0);
        by.tail(columns()) += back.colwise().sum().transpose().template cast<double>();
    }

private:
    DoubleAndFloat<AffineProduct> product_;
};

class HedgehogMap final : public FeatureMapOf<HedgehogMap>, public ParametricMapOf<HedgehogMap> {
public:
    HedgehogMap(Index dimension, Index half, FeatureSum sum, const Vector& parameters)
        : sum_(sum),
          half_(half),
          sides_{side(parameters, 0, dimension, half), side(parameters, dimension * half, dimension, half)} {}

    Index columns() const override { return 2 * half_; }
    Index num_parameters() const override { return 2 * half_ * sides_[0].in<double>().dimension(); }
    LargestEntry largest_entry() const override {
        return features::largest_entry(sides_[0]).both(features::largest_entry(sides_[1]));
    }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const auto& product = of(side).template in<Scalar>();
        prepare(rows, product.dimension(), columns(), out);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            Rows<Scalar> u(n, half_);
            product.apply(rows.middleRows(first, n), u.data());
            for (Index i = 0; i < n; ++i) {
                auto row = out.values.row(first + i).array();
                const Scalar high = u.row(i).cwiseAbs().maxCoeff();
                row.head(half_) = (u.row(i).array() - high).exp();
                row.tail(half_) = (-u.row(i).array() - high).exp();
                out.log_scale[first + i] = static_cast<double>(high);
                if (sum_ == FeatureSum::free) continue;
                row /= row.sum();
                out.log_scale[first + i] = 0;
            }
        });
    }

    template <class Scalar>
    void pull_all_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                       const Rows<Scalar>& gradient, Rows<Scalar>& out, Vector& by) const {
        // To logarithms first: df = f dlog f, and of a softmax f (dlog f - sum f dlog f).
        Rows<Scalar> logs = gradient.cwiseProduct(features.values);
        if (sum_ == FeatureSum::one) {
            const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> sums = logs.rowwise().sum();
            logs -= sums.asDiagonal() * features.values;
        }
        const Rows<Scalar> back = logs.leftCols(half_) - logs.rightCols(half_);
        const auto& product = of(side).template in<Scalar>();
        product.pull_back(back, out);
        if (by.size() > 0)
            add_weight_gradient<Scalar>(rows, back, by, side == Side::query ? 0 : product.dimension() * half_);
    }

private:
    using Product = DoubleAndFloat<AffineProduct>;

    static Product side(const Vector& parameters, Index first, Index dimension, Index half) {
        return Product(Projections(WeightsView(parameters.data() + first, dimension, half)),
                       Vector(Vector::Zero(half)));
    }
    const Product& of(Side side) const { return sides_[side == Side::query ? 0 : 1]; }

    FeatureSum sum_;
    Index half_;
    Product sides_[2];
};

class T2rMaps final : public MapFamily {
public:
    T2rMaps(Index dimension, Index columns) : dimension_(dimension), columns_(columns) {
        if (dimension < 1 || columns < 1)
            throw std::invalid_argument("t2r: d = " + std::to_string(dimension) + " and " + std::to_string(columns) +
                                        " columns; both must be positive");
    }
    Index columns() const override { return columns_; }
    Index parameters() const override { return columns_ * (dimension_ + 1); }
    Vector start(const Stream& stream) const override {
        Vector all = Vector::Zero(parameters());
        all.head(columns_ * dimension_) = normal_weights(dimension_, columns_, stream).reshaped();
        return all;
    }
    std::shared_ptr<const FeatureMap> map(const Vector& parameters) const override {
        check_parameters("t2r", parameters, this->parameters());
        return std::make_shared<T2rMap>(dimension_, columns_, parameters);
    }

private:
    Index dimension_, columns_;
};

class HedgehogMaps final : public MapFamily {
public:
    HedgehogMaps(Index dimension, Index columns, FeatureSum sum)
        : dimension_(dimension), half_(columns / 2), sum_(sum) {
        if (dimension < 1 || columns < 2 || columns % 2 != 0)
            throw std::invalid_argument("hedgehog: d = " + std::to_string(dimension) + " and " +
                                        std::to_string(columns) +
                                        " columns; d must be positive, and columns, half of them of exp(-W'x), even "
                                        "and positive");
    }
    Index columns() const override { return 2 * half_; }
    Index parameters() const override { return 2 * half_ * dimension_; }
    Vector start(const Stream& stream) const override {
        Projections weights = normal_weights(dimension_, half_, stream);
        const Index own = std::min(dimension_, half_);
        weights.leftCols(own).setIdentity();
        Vector all(parameters());
        all << Vector(weights.reshaped()), Vector(weights.reshaped());
        return all;
    }
    std::shared_ptr<const FeatureMap> map(const Vector& parameters) const override {
        check_parameters("hedgehog", parameters, this->parameters());
        return std::make_shared<HedgehogMap>(dimension_, half_, sum_, parameters);
    }

private:
    Index dimension_, half_;
    FeatureSum sum_;
};

}  // namespace

std::shared_ptr<const MapFamily> t2r_maps(Index dimension, Index columns) {
    return std::make_shared<T2rMaps>(dimension, columns);
}

std::shared_ptr<const MapFamily> hedgehog_maps(Index dimension, Index columns, FeatureSum sum) {
    return std::make_shared<HedgehogMaps>(dimension, columns, sum);
}

}  // namespace rfbench::features
