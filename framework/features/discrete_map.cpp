#include "rfbench/features/discrete_map.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rfbench/features/row_tiles.hpp"

namespace rfbench::features {
namespace {

/// In place of log 0: k times it is finite in float too, and far below every log that is not of zero.
constexpr double log_zero = -1e30;
constexpr double certainly_zero = -1e28;

template <class Scalar>
using ScalarMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
struct Powers {
    ScalarMatrix<Scalar> powers, odd;
    Eigen::Array<Scalar, 1, Eigen::Dynamic> bias;

    Powers(const Eigen::MatrixXd& k, const Vector& b)
        : powers(k.cast<Scalar>()),
          odd(k.unaryExpr([](double v) { return std::fmod(v, 2.0); }).template cast<Scalar>()),
          bias(b.transpose().array().cast<Scalar>()) {}
};

class DiscreteMap final : public FeatureMap {
public:
    DiscreteMap(const Eigen::MatrixXd& powers, const Vector& bias) : wide_(powers, bias), narrow_(powers, bias) {}

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
            const Rows<Scalar> logs = points.unaryExpr(
                [](Scalar v) { return v == 0 ? static_cast<Scalar>(log_zero) : std::log(std::abs(v)); });
            const Rows<Scalar> negative = points.unaryExpr([](Scalar v) { return v < 0 ? Scalar(1) : Scalar(0); });
            auto tile = out.values.middleRows(first, n);
            tile.noalias() = logs * own.powers;
            const Rows<Scalar> flips = negative * own.odd;
            for (Index i = 0; i < n; ++i) {
                auto row = tile.row(i).array();
                row += own.bias;
                const Scalar high = row.maxCoeff();
                const bool zero = high < static_cast<Scalar>(certainly_zero);
                vanished[static_cast<std::size_t>(first + i)] = zero;
                for (Index m = 0; m < row.size(); ++m) {
                    const bool odd = static_cast<int>(flips(i, m)) % 2 != 0;
                    const Scalar size = zero ? Scalar(0) : std::exp(row[m] - high);
                    row[m] = odd ? -size : size;
                }
                const double square = points.row(i).template cast<double>().squaredNorm();
                out.log_scale[first + i] = (zero ? 0.0 : static_cast<double>(high)) - 0.5 * square + log_weight;
            }
        });
        out.vanished = std::count(vanished.begin(), vanished.end(), 1);
    }

    Powers<double> wide_;
    Powers<float> narrow_;
};

}  // namespace

std::unique_ptr<FeatureMap> discrete_map(const Eigen::MatrixXd& powers, const Vector& bias) {
    return std::make_unique<DiscreteMap>(powers, bias);
}

}  // namespace rfbench::features
