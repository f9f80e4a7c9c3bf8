#include "rfbench/features/maps/positional_maps.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "rfbench/features/maps/log_logistic.hpp"
#include "rfbench/features/maps/row_tiles.hpp"

namespace rfbench::features {
namespace {

void require_dimension(const std::string& name, Index dimension) {
    if (dimension < 1)
        throw std::invalid_argument(name + ": d = " + std::to_string(dimension) + "; it must be positive");
}

class CosformerMap final : public FeatureMapOf<CosformerMap>, public DifferentiableMapOf<CosformerMap> {
public:
    CosformerMap(Index dimension, Index longest) : dimension_(dimension), longest_(longest) {
        require_dimension("cosformer", dimension);
        if (longest < 1)
            throw std::invalid_argument("cosformer: sequences of " + std::to_string(longest) +
                                        " tokens; there must be one or more");
    }

    Index columns() const override { return 2 * dimension_; }

    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, dimension_ + 1, columns(), out);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            for (Index i = first; i < first + n; ++i) {
                const auto [c, s] = turn(rows(i, dimension_));
                auto row = out.values.row(i).array();
                row.head(dimension_) = rows.row(i).head(dimension_).array().max(Scalar(0));
                const Scalar high = row.head(dimension_).maxCoeff();
                if (high > 0) row.head(dimension_) /= high;
                row.tail(dimension_) = static_cast<Scalar>(s) * row.head(dimension_);
                row.head(dimension_) *= static_cast<Scalar>(c);
                out.log_scale[i] = high > 0 ? std::log(static_cast<double>(high)) : 0;
            }
        });
        out.vanished = (out.values.rowwise().template lpNorm<Eigen::Infinity>().array() == 0).count();
    }

    template <class Scalar>
    void pull_rows_back(Side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                        const Rows<Scalar>& gradient, Rows<Scalar>& out) const {
        out.setZero(rows.rows(), dimension_ + 1);
        for (Index i = 0; i < rows.rows(); ++i) {
            const auto [c, s] = turn(rows(i, dimension_));
            constexpr double largest = std::numeric_limits<Scalar>::max();
            const double scale = std::min(std::exp(-features.log_scale[i]), largest);
            const auto x = rows.row(i).head(dimension_).array();
            const auto g = gradient.row(i).array();
            out.row(i).head(dimension_) =
                (x > 0).select(static_cast<Scalar>(scale) * (static_cast<Scalar>(c) * g.head(dimension_) +
                                                             static_cast<Scalar>(s) * g.tail(dimension_)),
                               Scalar(0));
        }
    }

private:
    struct Turn {
        double cosine, sine;
    };
    Turn turn(double position) const {
        if (!(position >= 0 && position <= static_cast<double>(longest_)))
            throw std::invalid_argument("cosformer: a token at position " +
                                        std::to_string(static_cast<std::int64_t>(position)) +
                                        " of sequences of at most " + std::to_string(longest_) + " tokens");
        const double angle = std::numbers::pi / 2 * position / static_cast<double>(longest_);
        return {std::cos(angle), std::sin(angle)};
    }

    Index dimension_, longest_;
};

class RetentionMap final : public FeatureMapOf<RetentionMap>, public ParametricMapOf<RetentionMap> {
public:
    /// `slope`: d log gamma / dz, which may round to 0; none where gamma is fixed.
    RetentionMap(Index dimension, double log_decay, std::optional<double> slope)
        : dimension_(dimension), log_decay_(log_decay), slope_(slope) {
        const Index pairs = dimension / 2;
        angles_.resize(pairs);
        for (Index k = 0; k < pairs; ++k)
            angles_[k] = std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(pairs));
    }

    Index columns() const override { return dimension_; }
    Index num_parameters() const override { return slope_ ? 1 : 0; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, dimension_ + 1, columns(), out);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            for (Index i = first; i < first + n; ++i) {
                auto row = out.values.row(i).array();
                row = rows.row(i).head(dimension_);
                // Entries of a turned pair are at most twice the larger one.
                const Scalar high = row.abs().maxCoeff();
                // Halves of the smallest number are zero, those of quotients are not.
                if (high > 0) row /= high;
                row *= Scalar(0.5);
                turn<Scalar>(static_cast<double>(rows(i, dimension_)), 1, row);
                out.log_scale[i] = (high > 0 ? std::log(2 * static_cast<double>(high)) : 0) +
                                   exponent(side, static_cast<double>(rows(i, dimension_))) * log_decay_;
            }
        });
        out.vanished = (out.values.rowwise().template lpNorm<Eigen::Infinity>().array() == 0).count();
    }

    template <class Scalar>
    void pull_all_back(Side side, const RowsView<Scalar>& rows, const FeatureBlock<Scalar>& features,
                       const Rows<Scalar>& gradient, Rows<Scalar>& out, Vector& by) const {
        out.setZero(rows.rows(), dimension_ + 1);
        for (Index i = 0; i < rows.rows(); ++i) {
            const double position = static_cast<double>(rows(i, dimension_));
            const auto x = rows.row(i).head(dimension_).array();
            auto row = out.row(i).head(dimension_).array();
            const Scalar high = x.abs().maxCoeff();
            // The half is in the scale, but that of zeros.
            row = gradient.row(i).array() * Scalar(high > 0 ? 0.5 : 1);
            turn<Scalar>(position, -1, row);
            if (high > 0) row /= high;
            // The features grow by n dlog gamma, or shrink, in their scale.
            if (by.size() > 0)
                by[0] += *slope_ * exponent(side, position) *
                         static_cast<double>(gradient.row(i).dot(features.values.row(i)));
        }
    }

private:
    static double exponent(Side side, double position) { return side == Side::query ? position : -position; }

    template <class Scalar, class Row>
    void turn(double position, double sign, Row&& row) const {
        for (Index k = 0; k < angles_.size(); ++k) {
            const auto c = static_cast<Scalar>(std::cos(position * angles_[k]));
            const auto s = static_cast<Scalar>(sign * std::sin(position * angles_[k]));
            const Scalar a = row[2 * k], b = row[2 * k + 1];
            row[2 * k] = c * a - s * b;
            row[2 * k + 1] = s * a + c * b;
        }
    }

    Index dimension_;
    double log_decay_;
    std::optional<double> slope_;
    Vector angles_;
};

class RetentionMaps final : public MapFamily {
public:
    RetentionMaps(Index dimension, double start) : dimension_(dimension), start_(start) {
        require_dimension("retnet", dimension);
        check_parameters("retnet", Vector::Constant(1, start), 1);
    }
    Index columns() const override { return dimension_; }
    Index parameters() const override { return 1; }
    Vector start(const Stream&) const override { return Vector::Constant(1, start_); }
    std::shared_ptr<const FeatureMap> map(const Vector& parameters) const override {
        check_parameters("retnet", parameters, 1);
        // log gamma = -log(1 + exp(-z)), whose slope is 1 - gamma.
        const double z = parameters[0];
        return std::make_shared<RetentionMap>(dimension_, log_logistic(z), 1 / (1 + std::exp(z)));
    }

private:
    Index dimension_;
    double start_;
};

}  // namespace

std::shared_ptr<const FeatureMap> cosformer_map(Index dimension, Index longest) {
    return std::make_shared<CosformerMap>(dimension, longest);
}

std::shared_ptr<const MapFamily> retention_maps(Index dimension, double start) {
    return std::make_shared<RetentionMaps>(dimension, start);
}

std::shared_ptr<const FeatureMap> retention_map(Index dimension, double decay) {
    require_dimension("retnet", dimension);
    if (!(decay > 0 && decay <= 1))
        throw std::invalid_argument("retnet: the decay is " + std::to_string(decay) +
                                    "; it must be above 0 and at most 1");
    return std::make_shared<RetentionMap>(dimension, std::log(decay), std::nullopt);
}

}  // namespace rfbench::features
