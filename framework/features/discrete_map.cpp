#include "rfbench/features/discrete_map.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rfbench/features/row_tiles.hpp"

namespace rfbench::features {
namespace {

/// In place of log 0: its multiples lie below every log that is not of zero, and the first of them that count are finite
/// in float too.
constexpr double log_zero = -1e30;
constexpr double certainly_zero = -1e28;

template <class Scalar>
using ScalarMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
struct Powers {
    ScalarMatrix<Scalar> powers;
    Eigen::Array<Scalar, 1, Eigen::Dynamic> bias;

    Powers(const Eigen::MatrixXd& k, const Vector& b)
        : powers(k.cast<Scalar>()), bias(b.transpose().array().cast<Scalar>()) {}
};

/// Features that are not zero stay above this times the row's largest: positive features stay positive.
template <class Scalar>
constexpr Scalar log_least = sizeof(Scalar) == sizeof(double) ? Scalar(-700) : Scalar(-85);

class DiscreteMap final : public FeatureMap {
public:
    DiscreteMap(const Eigen::MatrixXd& powers, const Vector& bias)
        : wide_(powers, bias),
          narrow_(powers, bias),
          odd_(powers.unaryExpr([](double k) { return std::fmod(k, 2.0); }).cast<float>()) {}

    Index columns() const override { return wide_.powers.cols(); }
    void evaluate(Side, const RowsView<double>& rows, FeatureBlock<double>& out) const override {
        evaluate_with(wide_, rows, out);
    }
    void evaluate(Side, const RowsView<float>& rows, FeatureBlock<float>& out) const override {
        evaluate_with(narrow_, rows, out);
    }

private:
    template <class Scalar>
    void evaluate_with(const Powers<Scalar>& own, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, own.powers.rows(), columns(), out);
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            const auto points = rows.middleRows(first, n);
            auto tile = out.values.middleRows(first, n);
            Rows<Scalar> logs = points;  // contiguous, so that all of it is in vector instructions
            logs = logs.array().abs().log();
            const bool zeros = (points.array() == Scalar(0)).any();
            if (zeros) logs = (points.array() == Scalar(0)).select(static_cast<Scalar>(log_zero), logs);
            tile.noalias() = logs * own.powers;
            for (Index i = 0; i < n; ++i) {
                auto row = tile.row(i).array();
                row += own.bias;
                const Scalar high = row.maxCoeff();
                const bool zero = high < static_cast<Scalar>(certainly_zero);
                vanished[static_cast<std::size_t>(first + i)] = zero;
                if (zero) row.setZero();
                else if (zeros) exp_but_zeros(row, high);
                else row = (row - high).max(log_least<Scalar>).exp();
                const double square = points.row(i).template cast<double>().squaredNorm();
                out.log_scale[first + i] = (zero ? 0.0 : static_cast<double>(high)) - 0.5 * square + log_weight;
            }
            if ((points.array() < Scalar(0)).any()) apply_signs<Scalar>(points, tile);
        });
        out.vanished = std::count(vanished.begin(), vanished.end(), 1);
    }

    template <class Row, class Scalar>
    static void exp_but_zeros(Row& row, Scalar high) {
        for (Index m = 0; m < row.size(); ++m)
            row[m] = row[m] < static_cast<Scalar>(certainly_zero) ? Scalar(0)
                                                                  : std::exp(std::max(row[m] - high, log_least<Scalar>));
    }

    /// Times (-1)^c, c the number of negative coordinates with odd powers: at most d, exact in float.
    template <class Scalar, class Tile>
    void apply_signs(const Eigen::Ref<const Rows<Scalar>, 0, Eigen::OuterStride<>>& points, Tile& tile) const {
        const Rows<float> negative = (points.array() < Scalar(0)).template cast<float>();
        const Rows<float> count = negative * odd_;
        for (Index i = 0; i < tile.rows(); ++i) {
            const auto half = 0.5f * count.row(i).array();
            tile.row(i).array() *= (1 - 4 * (half - half.floor())).template cast<Scalar>();
        }
    }

    Powers<double> wide_;
    Powers<float> narrow_;
    Eigen::MatrixXf odd_;
};

}  // namespace

std::unique_ptr<FeatureMap> discrete_map(const Eigen::MatrixXd& powers, const Vector& bias) {
    return std::make_unique<DiscreteMap>(powers, bias);
}

}  // namespace rfbench::features
