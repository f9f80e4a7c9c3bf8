#include <cmath>
#include <stdexcept>

#include "rfbench/features/maps/channels.hpp"

namespace rfbench::features {
namespace {

/// All entries of a matrix as one row, in place.
auto flat(Eigen::MatrixXd& matrix) {
    return Eigen::Map<Eigen::Array<double, 1, Eigen::Dynamic>>(matrix.data(), matrix.size());
}

class NetworkChannels final : public Channels {
public:
    explicit NetworkChannels(const NetworkShape& shape)
        : count_(shape.channels),
          hidden_(shape.hidden),
          activation_(nonlinearity(shape.activation)),
          output_(nonlinearity(shape.output)) {
        if (count_ < 1 || hidden_ < 1)
            throw std::invalid_argument("learned channels: " + std::to_string(count_) + " channels with " +
                                        std::to_string(hidden_) + " hidden units; both must be positive");
    }

    Index count() const override { return count_; }
    Index parameters() const override { return count_ * size(); }
    bool nonnegative() const override { return output_.nonnegative; }

    Vector start(const Stream& stream) const override {
        // A channel a column: s, t, a, c, of which a and c are smaller by sqrt(hidden).
        Eigen::MatrixXd all(size(), count_);
        fill_uniform(stream, all);
        all = 2 * all.array() - 1;
        all.bottomRows(hidden_ + 1) /= std::sqrt(static_cast<double>(hidden_));
        return all.reshaped();
    }

    void evaluate(const Parameters& parameters, const Vector& u, Points& out) const override {
        out.resize(u.size(), count_);
        Eigen::MatrixXd hidden, sums;
        for (Index l = 0; l < count_; ++l) {
            const Unit unit = channel(parameters, l);
            affine(unit, u, hidden);
            activation_.apply(flat(hidden), flat(hidden));
            sums.noalias() = hidden * unit.weights;
            sums.array() += unit.shift;
            output_.apply(flat(sums), flat(sums));
            out.col(l) = sums;
        }
    }

    void pullback(const Parameters& parameters, const Vector& u, const Points& gradient, ParameterGradient own,
                  Vector& inputs) const override {
        inputs.setZero(u.size());
        Eigen::MatrixXd affine_values, hidden, sums;
        for (Index l = 0; l < count_; ++l) {
            const Unit unit = channel(parameters, l);
            // Forwards again, with what goes into act kept.
            affine(unit, u, affine_values);
            hidden = affine_values;
            activation_.apply(flat(hidden), flat(hidden));
            sums.noalias() = hidden * unit.weights;
            sums.array() += unit.shift;
            output_.slope(flat(sums), flat(sums));
            const Vector back = sums.col(0).cwiseProduct(gradient.col(l));

            // Backwards: to a and c; through act to s and t; and to u.
            auto part = own.segment(l * size(), size());
            part.segment(2 * hidden_, hidden_).noalias() += hidden.transpose() * back;
            part[3 * hidden_] += back.sum();
            activation_.slope(flat(affine_values), flat(affine_values));
            affine_values.array() *= (back * unit.weights.transpose()).array();
            part.head(hidden_).noalias() += affine_values.transpose() * u;
            part.segment(hidden_, hidden_) += affine_values.colwise().sum().transpose();
            inputs.noalias() += affine_values * unit.slopes;
        }
    }

private:
    /// s, t, a, c of one channel, in this order.
    struct Unit {
        Eigen::Map<const Vector> slopes, offsets, weights;
        double shift;
    };

    Index size() const { return 3 * hidden_ + 1; }

    Unit channel(const Parameters& parameters, Index l) const {
        const double* const at = parameters.data() + l * size();
        return {{at, hidden_}, {at + hidden_, hidden_}, {at + 2 * hidden_, hidden_}, at[3 * hidden_]};
    }

    /// s_h u_n + t_h, N x hidden.
    static void affine(const Unit& unit, const Vector& u, Eigen::MatrixXd& out) {
        out.noalias() = u * unit.slopes.transpose();
        out.rowwise() += unit.offsets.transpose();
    }

    Index count_, hidden_;
    const Nonlinearity& activation_;
    const Nonlinearity& output_;
};

}  // namespace

std::unique_ptr<Channels> network_channels(const NetworkShape& shape) {
    return std::make_unique<NetworkChannels>(shape);
}

}  // namespace rfbench::features
