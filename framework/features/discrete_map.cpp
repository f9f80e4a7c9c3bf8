#include "rfbench/features/discrete_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rfbench/features/row_tiles.hpp"
#include "rfbench/features/squared_length.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::features {
namespace {

/// In place of log 0: its multiples lie below every log that is not of zero, and the first of them that count are
/// finite in float too.
constexpr double log_zero = -1e30;
constexpr double certainly_zero = -1e28;

template <class Scalar>
struct Powers {
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> entries;
    products::Panels<Scalar> powers;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> bias;

    Powers(const Eigen::MatrixXd& k, const Vector& b)
        : entries(k.cast<Scalar>()), powers(products::strided(entries)), bias(b.cast<Scalar>()) {}
};

/// For every coordinate the features whose power of it is odd, a bit each.
class OddPowers {
public:
    explicit OddPowers(const Eigen::MatrixXd& powers)
        : words_((powers.cols() + bits - 1) / bits), odd_(static_cast<std::size_t>(words_ * powers.rows()), 0) {
        for (Index l = 0; l < powers.rows(); ++l)
            for (Index m = 0; m < powers.cols(); ++m)
                if (std::fmod(powers(l, m), 2.0) == 1)
                    odd_[static_cast<std::size_t>(l * words_ + m / bits)] |= 1u << m % bits;
    }

    /// Row i of `values` times (-1)^c, c the number of negative coordinates of row i of `points` with odd powers.
    template <class Scalar, class Tile>
    void apply_signs(const RowsView<Scalar>& points, Tile& values) const {
        std::vector<std::uint32_t> negative(static_cast<std::size_t>(words_));
        for (Index i = 0; i < points.rows(); ++i) {
            std::fill(negative.begin(), negative.end(), 0);
            for (Index l = 0; l < points.cols(); ++l)
                if (points(i, l) < Scalar(0))
                    for (Index w = 0; w < words_; ++w)
                        negative[static_cast<std::size_t>(w)] ^= odd_[static_cast<std::size_t>(l * words_ + w)];
            for (Index w = 0; w < words_; ++w)
                turn(negative[static_cast<std::size_t>(w)], &values(i, w * bits),
                     std::min(bits, values.cols() - w * bits));
        }
    }

private:
    static constexpr Index bits = 32;

    template <class Scalar>
    static void turn(std::uint32_t negative, Scalar* values, Index n) {
#pragma omp simd
        for (Index m = 0; m < n; ++m) values[m] *= static_cast<Scalar>(1 - 2 * static_cast<int>(negative >> m & 1u));
    }

    Index words_;
    std::vector<std::uint32_t> odd_;  // d x words
};

/// Features that are not zero stay above this times the row's largest: positive features stay positive.
template <class Scalar>
constexpr Scalar log_least = sizeof(Scalar) == sizeof(double) ? Scalar(-700) : Scalar(-85);

class DiscreteMap final : public FeatureMap {
public:
    DiscreteMap(const Eigen::MatrixXd& powers, const Vector& bias)
        : wide_(powers, bias),
          narrow_(powers, bias),
          odd_(powers) {}

    Index columns() const override { return wide_.powers.columns(); }
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
            const Rows<float> logs = logs_of(RowsView<float>(rows.middleRows(first, n)));
            // Differences of what stands for log 0 would lose all else.
            if ((logs.array() == static_cast<float>(log_zero)).any())
                narrow_.powers.multiply(products::strided(logs), narrow_.bias.data(), 0, &tile(0, 0), tile.cols());
            else
                narrow_.powers.multiply_alike(products::strided(logs), narrow_.bias.data(), &tile(0, 0), tile.cols());
            if (!negative) return;
            auto signs = out.signs.middleRows(first, n);
            odd_.apply_signs<float>(rows.middleRows(first, n), signs);
        });
        const Vector squares = rows.cast<double>().rowwise().squaredNorm();
        out.log_scale = -0.5 * (squares.array() + std::log(static_cast<double>(columns())));
        return true;
    }

private:
    /// log|x_l|, log_zero in place of log 0.
    template <class Scalar>
    static Rows<Scalar> logs_of(const RowsView<Scalar>& points) {
        Rows<Scalar> logs = points;  // contiguous, so that all of it is in vector instructions
        logs = logs.array().abs().log();
        return (points.array() == Scalar(0)).select(static_cast<Scalar>(log_zero), logs);
    }

    template <class Scalar>
    void evaluate_with(const Powers<Scalar>& own, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        prepare(rows, own.powers.rows(), columns(), out);
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            const auto points = rows.middleRows(first, n);
            auto tile = out.values.middleRows(first, n);
            const Rows<Scalar> logs = logs_of(RowsView<Scalar>(points));
            own.powers.multiply(products::strided(logs), own.bias.data(), 0, &tile(0, 0), tile.cols());
            for (Index i = 0; i < n; ++i) {
                auto row = tile.row(i).array();
                const Scalar high = row.maxCoeff();
                const bool zero = high < static_cast<Scalar>(certainly_zero);
                vanished[static_cast<std::size_t>(first + i)] = zero;
                if (zero) row.setZero();
                else if ((points.row(i).array() == Scalar(0)).any()) exp_but_zeros(row, high);
                else row = (row - high).max(log_least<Scalar>).exp();
                const double square = squared_length(points, i);
                out.log_scale[first + i] = (zero ? 0.0 : static_cast<double>(high)) - 0.5 * square + log_weight;
            }
            if ((points.array() < Scalar(0)).any()) odd_.apply_signs<Scalar>(points, tile);
        });
        out.vanished = std::count(vanished.begin(), vanished.end(), 1);
    }

    template <class Row, class Scalar>
    static void exp_but_zeros(Row& row, Scalar high) {
        for (Index m = 0; m < row.size(); ++m)
            row[m] = row[m] < static_cast<Scalar>(certainly_zero)
                         ? Scalar(0)
                         : std::exp(std::max(row[m] - high, log_least<Scalar>));
    }

    Powers<double> wide_;
    Powers<float> narrow_;
    OddPowers odd_;
};

}  // namespace

std::unique_ptr<FeatureMap> discrete_map(const Eigen::MatrixXd& powers, const Vector& bias) {
    return std::make_unique<DiscreteMap>(powers, bias);
}

}  // namespace rfbench::features
