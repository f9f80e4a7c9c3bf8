#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "rfbench/features/maps/channels.hpp"
#include "rfbench/features/maps/relu_unit.hpp"

namespace rfbench::features {
namespace {

/// Inputs at once: what is done to one hidden unit after another stays in the first-level cache.
constexpr Index inputs_at_once = 256;

template <class Scalar>
using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

/// Places of the parameters: s, t of each hidden unit, a and c of each channel. Units of separate networks stand with
/// their channel.
class NetworkChannels final : public ChannelsOf<NetworkChannels> {
public:
    explicit NetworkChannels(const NetworkShape& shape)
        : count_(shape.channels),
          hidden_(shape.hidden),
          shared_(shape.shared),
          relu_(shape.activation == "relu"),
          activation_(nonlinearity(shape.activation)),
          output_(nonlinearity(shape.output)) {
        if (count_ < 1 || hidden_ < 1)
            throw std::invalid_argument("learned channels: " + std::to_string(count_) + " channels with " +
                                        std::to_string(hidden_) + " hidden units; both must be positive");
    }

    Index count() const override { return count_; }
    Index parameters() const override {
        return shared_ ? 2 * hidden_ + count_ * (hidden_ + 1) : count_ * (3 * hidden_ + 1);
    }
    bool nonnegative() const override { return output_.nonnegative; }
    const Nonlinearity& output() const override { return output_; }

    Vector start(const Stream& stream) const override {
        // A network a column: s, t, a, c, of which a and c are smaller by sqrt(hidden).
        const Index networks = shared_ ? 1 : count_, size = parameters() / networks;
        Eigen::MatrixXd all(size, networks);
        fill_uniform(stream, all);
        all = 2 * all.array() - 1;
        all.bottomRows(size - 2 * hidden_) /= std::sqrt(static_cast<double>(hidden_));
        return all.reshaped();
    }

    template <class Scalar>
    void sum(const Parameters& given, const RowRef<Scalar>& u, Rows<Scalar>& sums) const {
        const Row<Scalar> p = given.transpose().template cast<Scalar>();
        sums.resize(u.size(), count_);
        if (relu_)
            sum_in_chunks<true>(p, u, sums);
        else
            sum_in_chunks<false>(p, u, sums);
    }

    template <class Scalar>
    void send_back(const Parameters& given, const RowRef<Scalar>& u, const Rows<Scalar>& gradient, Vector& by,
                   Index first, RowRef<Scalar> inputs) const {
        const Row<Scalar> p = given.transpose().template cast<Scalar>();
        if (relu_ && !shared_) {
            send_relu_back(p, u, gradient, by, first, inputs);
            return;
        }
        const bool wanted = by.size() > 0;
        Row<Scalar> before, unit, back, sent;
        Rows<Scalar> columns;
        const auto add = [&](Index place, Scalar value) { by[first + place] += static_cast<double>(value); };
        for (Index at = 0; at < u.size(); at += inputs_at_once) {
            const Index n = std::min(inputs_at_once, u.size() - at);
            const auto own = u.segment(at, n);
            auto to_inputs = inputs.segment(at, n);
            to_inputs.setZero();
            // A channel a row.
            columns = gradient.middleRows(at, n).transpose();
            for (Index l = 0; l < count_ && wanted; ++l) add(weight(l, hidden_), columns.row(l).sum());
            // Forwards again for each unit; then to a, through act to s and t, and to u.
            for (Index network = 0; network < (shared_ ? 1 : count_); ++network)
                for (Index h = 0; h < hidden_; ++h) {
                    const Index place = slope(network, h);
                    before = p[place] * own + p[place + hidden_];
                    activation_.apply(before, unit_of(unit, n));
                    const Index begin = shared_ ? 0 : network, end = shared_ ? count_ : network + 1;
                    sent.setZero(n);
                    for (Index l = begin; l < end; ++l) {
                        if (wanted) add(weight(l, h), columns.row(l).dot(unit.matrix()));
                        sent += p[weight(l, h)] * columns.row(l).array();
                    }
                    activation_.slope(before, before);
                    back = before * sent;
                    if (wanted) {
                        add(place, (back * own).sum());
                        add(place + hidden_, back.sum());
                    }
                    to_inputs += p[place] * back;
                }
        }
    }

private:
    /// So many inputs that sums over all hidden units stay in registers.
    template <class Scalar>
    using Chunk = Eigen::Array<Scalar, 1, 64>;

    template <bool relu, class Scalar>
    void sum_in_chunks(const Row<Scalar>& p, const RowRef<Scalar>& u, Rows<Scalar>& sums) const {
        std::vector<Chunk<Scalar>> units(shared_ ? static_cast<std::size_t>(hidden_) : 0);
        for (Index at = 0; at < u.size(); at += Chunk<Scalar>::SizeAtCompileTime) {
            const Index n = std::min<Index>(Chunk<Scalar>::SizeAtCompileTime, u.size() - at);
            Chunk<Scalar> own = Chunk<Scalar>::Zero();
            own.head(n) = u.segment(at, n);
            for (Index h = 0; h < static_cast<Index>(units.size()); ++h)
                units[static_cast<std::size_t>(h)] = hidden_unit<relu, Scalar>(p, slope(0, h), own);
            for (Index l = 0; l < count_; ++l) {
                Chunk<Scalar> sum = Chunk<Scalar>::Constant(p[weight(l, hidden_)]);
                for (Index h = 0; h < hidden_; ++h)
                    if (shared_)
                        sum += p[weight(l, h)] * units[static_cast<std::size_t>(h)];
                    else
                        sum += p[weight(l, h)] * hidden_unit<relu, Scalar>(p, slope(l, h), own);
                sums.col(l).segment(at, n) = sum.head(n).transpose();
            }
        }
    }
    template <bool relu, class Scalar>
    Chunk<Scalar> hidden_unit(const Row<Scalar>& p, Index place, const Chunk<Scalar>& own) const {
        Chunk<Scalar> unit = p[place] * own + p[place + hidden_];
        if constexpr (relu)
            unit = unit.max(Scalar(0));
        else
            activation_.apply(unit, unit);
        return unit;
    }

    /// send_back() of separate networks of relu units.
    template <class Scalar>
    void send_relu_back(const Row<Scalar>& p, const RowRef<Scalar>& u, const Rows<Scalar>& gradient, Vector& by,
                        Index first, RowRef<Scalar> inputs) const {
        Row<Scalar> own, to_inputs;
        Rows<Scalar> columns;
        const auto add = [&](Index place, Scalar value) {
            if (by.size() > 0) by[first + place] += static_cast<double>(value);
        };
        for (Index at = 0; at < u.size(); at += inputs_at_once) {
            const Index n = std::min(inputs_at_once, u.size() - at), entries = Lanes<Scalar>::round_up(n);
            own.setZero(entries);
            own.head(n) = u.segment(at, n);
            columns.setZero(count_, entries);
            columns.leftCols(n) = gradient.middleRows(at, n).transpose();
            to_inputs.setZero(entries);
            for (Index l = 0; l < count_; ++l) {
                add(weight(l, hidden_), columns.row(l).sum());
                for (Index h = 0; h < hidden_; ++h) {
                    const Index s = slope(l, h), t = s + hidden_, a = weight(l, h);
                    const ReluUnit<Scalar> by_unit = relu_pullback<Scalar>(
                        {p[s], p[t], p[a]}, own.data(), columns.row(l).data(), entries, to_inputs.data());
                    add(s, by_unit.s);
                    add(t, by_unit.t);
                    add(a, by_unit.a);
                }
            }
            inputs.segment(at, n) = to_inputs.head(n);
        }
    }

    template <class Scalar>
    static Row<Scalar>& unit_of(Row<Scalar>& unit, Index n) {
        unit.resize(n);
        return unit;
    }
    /// Place of s of unit h of a network; t stands `hidden` after it.
    Index slope(Index network, Index h) const { return network * (3 * hidden_ + 1) + h; }
    /// Place of a_lh, or of c_l for h = hidden.
    Index weight(Index l, Index h) const { return 2 * hidden_ + l * (shared_ ? hidden_ + 1 : 3 * hidden_ + 1) + h; }

    Index count_, hidden_;
    bool shared_, relu_;
    const Nonlinearity& activation_;
    const Nonlinearity& output_;
};

}  // namespace

std::unique_ptr<Channels> network_channels(const NetworkShape& shape) {
    return std::make_unique<NetworkChannels>(shape);
}

}  // namespace rfbench::features
