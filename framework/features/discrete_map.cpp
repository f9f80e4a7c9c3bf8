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

    bool evaluate_logs(Side, const RowsView<float>& rows, LogFeatureBlock& out) const override {
        out.logs.resize(rows.rows(), columns());
        const bool negative = (rows.array() < 0).any();
        out.signs.setOnes(negative ? rows.rows() : 0, negative ? columns() : 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            auto tile = out.logs.middleRows(first, n);
            log_products<float>(narrow_, rows.middleRows(first, n), tile);
            if (!negative) return;
            auto signs = out.signs.middleRows(first, n);
            apply_signs<float>(rows.middleRows(first, n), signs);
        });
        const Vector squares = rows.cast<double>().rowwise().squaredNorm();
        out.log_scale = -0.5 * (squares.array() + std::log(static_cast<double>(columns())));
        return true;
    }

private:
    /// tile = sum_l k_lm log|x_l| + bias_m, log_zero in place of log 0; whether there was a zero.
    template <class Scalar, class Tile>
    static bool log_products(const Powers<Scalar>& own, const RowsView<Scalar>& points, Tile& tile) {
        Rows<Scalar> logs = points;  // contiguous, so that all of it is in vector instructions
        logs = logs.array().abs().log();
        const bool zeros = (points.array() == Scalar(0)).any();
        if (zeros) logs = (points.array() == Scalar(0)).select(static_cast<Scalar>(log_zero), logs);
        tile.noalias() = logs * own.powers;
        for (Index i = 0; i < tile.rows(); ++i) tile.row(i).array() += own.bias;
        return zeros;
    }

    template <class Scalar>
    void evaluate_with(const Powers<Scalar>& own, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, own.powers.rows(), columns(), out);
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            const auto points = rows.middleRows(first, n);
            auto tile = out.values.middleRows(first, n);
            const bool zeros = log_products<Scalar>(own, points, tile);
            for (Index i = 0; i < n; ++i) {
                auto row = tile.row(i).array();
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
    void apply_signs(const RowsView<Scalar>& points, Tile& tile) const {
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
