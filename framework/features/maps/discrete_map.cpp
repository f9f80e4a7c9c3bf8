#include "rfbench/features/maps/discrete_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rfbench/features/log_features.hpp"
#include "rfbench/features/maps/double_and_float.hpp"
#include "rfbench/features/maps/row_tiles.hpp"
#include "rfbench/features/maps/squared_length.hpp"
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
        : odd_(SignBits::Zero(powers.rows(), (powers.cols() + bits * group - 1) / (bits * group) * group)) {
        // Bit m % 32 of word m / 32 belongs to feature m.
        for (Index l = 0; l < powers.rows(); ++l)
            for (Index m = 0; m < powers.cols(); ++m)
                if (std::fmod(powers(l, m), 2.0) == 1) odd_(l, m / bits) |= 1u << m % bits;
    }

    Index words() const { return odd_.cols(); }

    /// Signs (-1)^c of all features, c the number of negative coordinates of `point` with odd powers.
    template <class Scalar>
    void signs(const Scalar* point, std::uint32_t* out) const {
        for (Index first = 0; first < words(); first += group) {
            // Each negative coordinate turns the signs of the features that have an odd power of it: exclusive or, a
            // register of bits at a time.
            std::array<std::uint32_t, group> negative{};
            for (Index l = 0; l < odd_.rows(); ++l) {
                const std::uint32_t counts = point[l] < Scalar(0) ? ~0u : 0u;
                const std::uint32_t* const odd = &odd_(l, first);
                for (std::size_t w = 0; w < negative.size(); ++w) negative[w] ^= odd[w] & counts;
            }
            std::copy(negative.begin(), negative.end(), out + first);
        }
    }

private:
    static constexpr Index bits = 32, group = 4;  // of a word; words that fill a register

    SignBits odd_;  // d x words
};

/// Features that are not zero stay above this times the row's largest: positive features stay positive.
template <class Scalar>
constexpr Scalar log_least = sizeof(Scalar) == sizeof(double) ? Scalar(-700) : Scalar(-85);

class DiscreteMap final : public FeatureMapOf<DiscreteMap>, public LogFeaturesOf<DiscreteMap> {
public:
    DiscreteMap(const Eigen::MatrixXd& powers, const Vector& bias) : powers_(powers, bias), odd_(powers) {}

    Index columns() const override { return powers_.in<double>().powers.columns(); }

    template <class Scalar>
    void evaluate_rows(Side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        const Powers<Scalar>& own = powers_.in<Scalar>();
        prepare(rows, own.powers.rows(), columns(), out);
        const double log_weight = -0.5 * std::log(static_cast<double>(columns()));
        // A flag for each row, since threads share the tiles; they are counted at the end.
        std::vector<char> vanished(static_cast<std::size_t>(rows.rows()), 0);
        for_row_tiles(rows.rows(), [&](Index first, Index n) {
            const auto points = rows.middleRows(first, n);
            auto tile = out.values.middleRows(first, n);
            // The logarithms of |features| are affine in those of |x|: one product with the powers.
            const Rows<Scalar> logs = logs_of(RowsView<Scalar>(points));
            own.powers.multiply(products::strided(logs), own.bias.data(), 0, &tile(0, 0), tile.cols());
            for (Index i = 0; i < n; ++i) {
                auto row = tile.row(i).array();
                const Scalar high = row.maxCoeff();
                // A row is zero when every feature has a power of a coordinate that is.
                const bool zero = high < static_cast<Scalar>(certainly_zero);
                vanished[static_cast<std::size_t>(first + i)] = zero;
                if (zero)
                    row.setZero();
                else if ((points.row(i).array() == Scalar(0)).any())
                    exp_but_zeros(row, high);
                else
                    row = (row - high).max(log_least<Scalar>).exp();
                const double square = squared_length(points, i);
                out.log_scale[first + i] = (zero ? 0.0 : static_cast<double>(high)) - 0.5 * square + log_weight;
            }
            // So far these are moduli; where a coordinate is negative they get their signs.
            if (!(points.array() < Scalar(0)).any()) return;
            std::vector<std::uint32_t> signs(static_cast<std::size_t>(odd_.words()));
            for (Index i = 0; i < n; ++i) {
                odd_.signs(points.data() + i * points.rowStride(), signs.data());
                apply_signs(signs.data(), tile.cols(), &tile(i, 0));
            }
        });
        out.vanished = std::count(vanished.begin(), vanished.end(), 1);
    }

    template <class Scalar>
    LogInputs<Scalar> take_inputs(Side, const RowsView<Scalar>& rows) const {
        LogInputs<Scalar> out;
        const Vector squares = rows.template cast<double>().rowwise().squaredNorm();
        out.factors = products::RowsSharingEntries<Scalar>(logs_of(rows));
        out.log_scale = -0.5 * (squares.array() + std::log(static_cast<double>(columns())));
        if ((rows.array() < Scalar(0)).any()) out.signed_rows = rows;
        return out;
    }

    template <class Scalar>
    void write_logs(Side, const LogInputs<Scalar>& in, Index first, Index n, LogFeatureBlock<Scalar>& out) const {
        const Powers<Scalar>& own = powers_.in<Scalar>();
        out.logs.resize(n, columns());
        out.log_scale = in.log_scale.segment(first, n);
        in.factors.multiply(own.powers, first, n, own.bias.data(), out.logs.data(), columns());
        const bool negative = in.signed_rows.size() > 0;
        out.signs.resize(negative ? n : 0, odd_.words());
        for (Index i = 0; negative && i < n; ++i) odd_.signs(&in.signed_rows(first + i, 0), &out.signs(i, 0));
    }

private:
    /// log|x_l|, log_zero in place of log 0.
    template <class Scalar>
    static Rows<Scalar> logs_of(const RowsView<Scalar>& points) {
        Rows<Scalar> logs = points;  // contiguous, so that all of it is in vector instructions
        logs = logs.array().abs().log().max(static_cast<Scalar>(log_zero));
        return logs;
    }

    template <class Row, class Scalar>
    static void exp_but_zeros(Row& row, Scalar high) {
        for (Index m = 0; m < row.size(); ++m)
            row[m] = row[m] < static_cast<Scalar>(certainly_zero)
                         ? Scalar(0)
                         : std::exp(std::max(row[m] - high, log_least<Scalar>));
    }

    DoubleAndFloat<Powers> powers_;
    OddPowers odd_;
};

}  // namespace

std::unique_ptr<FeatureMap> discrete_map(const Eigen::MatrixXd& powers, const Vector& bias) {
    return std::make_unique<DiscreteMap>(powers, bias);
}

}  // namespace rfbench::features
