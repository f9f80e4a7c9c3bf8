#include "rfbench/attention/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/parallel/in_order.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {

using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::Panels;
using products::strided;

Index Window::begin(Index i, Visible visible) const {
    return std::max<Index>(0, visible == Visible::causal ? i - width + 1 : i - width / 2);
}
Index Window::end(Index i, Index length, Visible visible) const {
    return visible == Visible::causal ? i + 1 : std::min(length, i + width / 2 + 1);
}

void check(const Window& window) {
    if (window.width < 1 || window.sinks < 0)
        throw std::invalid_argument("window attention: " + std::to_string(window.width) + " keys and " +
                                    std::to_string(window.sinks) +
                                    " sinks; there must be one key or more, and no fewer than 0 sinks");
}

namespace {

/// Queries of a tile: their windows overlap, so that most of the keys that are read are seen by most of them.
constexpr Index window_queries = 64;

/// A tile of queries with all the keys that any of them sees.
template <class Scalar>
class WindowTile {
public:
    WindowTile(const Window& window, const Inputs<Scalar>& in, Visible visible)
        : window_(window),
          in_(in),
          visible_(visible),
          scale_(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())))) {}

    /// Weights of queries first .. first + n - 1; returns how many see no key.
    Index weigh(Index number) {
        const Index length = in_.queries.rows();
        first_ = number * window_queries;
        n_ = std::min(window_queries, length - first_);
        const Index last = first_ + n_ - 1, begin = window_.begin(first_, visible_);
        keys_.clear();
        // Sinks before the windows of the tile, and then these; padding is left out.
        for (Index j = 0; j < std::min(window_.sinks, begin); ++j)
            if (in_.keeps(j)) keys_.push_back(j);
        const Index end = window_.end(last, length, visible_);
        for (Index j = begin; j < end; ++j)
            if (in_.keeps(j)) keys_.push_back(j);
        // Sinks after the windows of the tile, where all keys are visible.
        if (visible_ == Visible::all)
            for (Index j = end; j < std::min(window_.sinks, length); ++j)
                if (in_.keeps(j)) keys_.push_back(j);
        const Index m = static_cast<Index>(keys_.size());
        gathered_keys_.resize(m, in_.keys.cols());
        gathered_values_.resize(m, in_.values.cols());
        for (Index k = 0; k < m; ++k) {
            gathered_keys_.row(k) = in_.keys.row(keys_[static_cast<std::size_t>(k)]);
            gathered_values_.row(k) = in_.values.row(keys_[static_cast<std::size_t>(k)]);
        }
        queries_ = in_.queries.middleRows(first_, n_) * scale_;
        weights_.resize(n_, m);
        if (m > 0) product(queries_, strided(gathered_keys_).transposed(), weights_);
        Index unseen = 0;
        for (Index i = 0; i < n_; ++i) unseen += softmax(i) ? 0 : 1;
        return unseen;
    }

    void attend(Rows<Scalar>& out) {
        auto rows = out.middleRows(first_, n_);
        if (keys_.empty()) {
            rows.setZero();
            return;
        }
        factor_.pack(strided(gathered_values_));
        factor_.multiply(strided(weights_), rows.data(), out.cols());
    }

    /// With weights P and slopes dP = G V': dS = P (dP - rows' sums of P dP).
    void send_back(const RowsView<Scalar>& gradient, Gradients<Scalar>& to) {
        const Rows<Scalar> own = gradient.middleRows(first_, n_);
        auto by_queries = to.queries.middleRows(first_, n_);
        by_keys_.setZero(gathered_keys_.rows(), gathered_keys_.cols());
        by_values_.setZero(gathered_values_.rows(), gathered_values_.cols());
        if (keys_.empty()) {
            by_queries.setZero();
            return;
        }
        slopes_.resize(n_, weights_.cols());
        product(own, strided(gathered_values_).transposed(), slopes_);
        for (Index i = 0; i < n_; ++i) {
            const Scalar mean = slopes_.row(i).dot(weights_.row(i));
            slopes_.row(i).array() = weights_.row(i).array() * (slopes_.row(i).array() - mean);
        }
        factor_.pack(strided(gathered_keys_));
        factor_.multiply(strided(slopes_), by_queries.data(), to.queries.cols());
        by_queries *= scale_;
        // Queries carry the scale already.
        factor_.pack(strided(queries_));
        factor_.multiply(strided(slopes_).transposed(), by_keys_.data(), by_keys_.cols());
        factor_.pack(strided(own));
        factor_.multiply(strided(weights_).transposed(), by_values_.data(), by_values_.cols());
    }
    void add_to_keys(Gradients<Scalar>& to) const {
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            to.keys.row(keys_[k]) += by_keys_.row(static_cast<Index>(k));
            to.values.row(keys_[k]) += by_values_.row(static_cast<Index>(k));
        }
    }

private:
    void product(const Rows<Scalar>& a, const products::Strided<Scalar>& b, Rows<Scalar>& out) {
        factor_.pack(b);
        factor_.multiply(strided(a), out.data(), out.cols());
    }
    /// The place in keys_ of the first key at position j or later.
    Index place(Index j) const { return std::lower_bound(keys_.begin(), keys_.end(), j) - keys_.begin(); }
    /// Scores of row i become weights; whether there is any. Keys that a query sees are next to each other, but for the
    /// sinks before its window.
    bool softmax(Index i) {
        const Index query = first_ + i, length = in_.keys.rows();
        const Index num_sinks = place(visible_ == Visible::causal ? std::min(window_.sinks, query + 1) : window_.sinks);
        const Index begin = std::max(num_sinks, place(window_.begin(query, visible_)));
        const Index num_near = std::max<Index>(0, place(window_.end(query, length, visible_)) - begin);
        auto row = weights_.row(i).array();
        auto sinks = row.head(num_sinks), near = row.segment(begin, num_near);
        row.segment(num_sinks, begin - num_sinks).setZero();
        row.tail(row.size() - begin - num_near).setZero();
        if (num_sinks + num_near == 0) return false;
        constexpr Scalar none = -std::numeric_limits<Scalar>::infinity();
        const Scalar high =
            std::max(num_sinks > 0 ? features::largest(sinks) : none, num_near > 0 ? features::largest(near) : none);
        const Scalar of_sinks = features::sum_exponentiated(sinks, high);
        row /= of_sinks + features::sum_exponentiated(near, high);
        return true;
    }

    const Window& window_;
    const Inputs<Scalar>& in_;
    Visible visible_;
    Scalar scale_;
    Index first_ = 0, n_ = 0;
    std::vector<Index> keys_;
    Rows<Scalar> gathered_keys_, gathered_values_, queries_, weights_, slopes_, by_keys_, by_values_;
    Panels<Scalar> factor_;
};

template <class Scalar>
void check_window(const Window& window, const Inputs<Scalar>& in) {
    check(window);
    check_scores(in);
    if (in.queries.rows() != in.keys.rows())
        throw std::invalid_argument("window attention: " + std::to_string(in.queries.rows()) + " queries and " +
                                    std::to_string(in.keys.rows()) + " keys; both must be as many, token by token");
}

Index window_tiles(Index length) { return (length + window_queries - 1) / window_queries; }

template <class Scalar>
class WindowDecoder final : public Decoder<Scalar> {
public:
    WindowDecoder(const Window& window, Index dimension, Index value_columns)
        : window_((check(window), window)), keys_(capacity(), dimension), values_(capacity(), value_columns) {
        if (dimension < 1 || value_columns < 1)
            throw std::invalid_argument("decoding: keys of " + std::to_string(dimension) + " and values of " +
                                        std::to_string(value_columns) + " columns; both need at least 1");
    }

    void remember(const RowsView<Scalar>& keys, const RowsView<Scalar>& values) override {
        check<Scalar>({keys, keys, values}, Visible::causal);
        check_width(keys, values);
        for (Index i = 0; i < keys.rows(); ++i, ++count_) {
            keys_.row(next_place()) = keys.row(i);
            values_.row(next_place()) = values.row(i);
        }
    }

    Outcome step(const RowsView<Scalar>& query, const RowsView<Scalar>& key, const RowsView<Scalar>& value,
                 Rows<Scalar>& out) override {
        const Inputs<Scalar> in{query, key, value};
        check(in, Visible::causal, out);
        if (query.rows() != 1)
            throw std::invalid_argument("decoding: a step takes one token, not " + std::to_string(query.rows()));
        check_width(key, value);
        check_scores<Scalar>(query.cols(), max_magnitude(query), std::max(max_magnitude(key), max_remaining_key()));
        remember(key, value);
        const Index n = std::min(count_, capacity());
        Column<Scalar> weights = keys_.topRows(n) * query.row(0).transpose();
        weights *= static_cast<Scalar>(1 / std::sqrt(static_cast<double>(query.cols())));
        features::exponentiate(weights.array(), weights.maxCoeff(), weights.array());
        out = weights.transpose() * values_.topRows(n);
        out /= weights.sum();
        return {};
    }

    std::size_t bytes() const override {
        return static_cast<std::size_t>(std::min(count_, capacity()) * (keys_.cols() + values_.cols())) *
               sizeof(Scalar);
    }

private:
    Index capacity() const { return window_.sinks + window_.width; }

    /// The first tokens stay; the others take the place of the one that leaves the window.
    Index next_place() const {
        return count_ < window_.sinks ? count_ : window_.sinks + (count_ - window_.sinks) % window_.width;
    }
    /// The largest absolute entry of the keys that the next token leaves in the window.
    Scalar max_remaining_key() const {
        Scalar high = 0;
        for (Index j = 0; j < std::min(count_, capacity()); ++j)
            if (j != next_place()) high = std::max(high, keys_.row(j).cwiseAbs().maxCoeff());
        return high;
    }
    void check_width(const RowsView<Scalar>& keys, const RowsView<Scalar>& values) const {
        if (keys.cols() != keys_.cols() || values.cols() != values_.cols())
            throw std::invalid_argument("decoding: keys and values have " + std::to_string(keys.cols()) + " and " +
                                        std::to_string(values.cols()) + " columns; " + std::to_string(keys_.cols()) +
                                        " and " + std::to_string(values_.cols()) + " are remembered");
    }

    Window window_;
    Rows<Scalar> keys_, values_;
    Index count_ = 0;
};

}  // namespace

template <class Scalar>
Outcome window(const Window& own, const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out) {
    check(in, visible, out);
    check_window(own, in);
    out.resize(in.queries.rows(), in.values.cols());
    const auto make = [&] { return WindowTile<Scalar>(own, in, visible); };
    return {Loop(window_tiles(in.queries.rows()), Share::evenly).run(make, [&](WindowTile<Scalar>& tile, Index number) {
        const Index unseen = tile.weigh(number);
        tile.attend(out);
        return unseen;
    })};
}

template <class Scalar>
void window_backward(const Window& own, const Inputs<Scalar>& in, Visible visible, const RowsView<Scalar>& gradient,
                     Gradients<Scalar>& to) {
    check(in, visible);
    check_window(own, in);
    check_gradients(in, gradient, to);
    to.queries.resize(in.queries.rows(), in.queries.cols());
    to.keys.setZero(in.keys.rows(), in.keys.cols());
    to.values.setZero(in.values.rows(), in.values.cols());
    to.left_out = 0;
    Loop loop(window_tiles(in.queries.rows()), Share::in_order);
    // Windows of neighbours overlap: what goes to keys is added in the tiles' order.
    InOrder turns;
    loop.run([&] { return WindowTile<Scalar>(own, in, visible); },
             [&](WindowTile<Scalar>& tile, Index number) {
                 tile.weigh(number);
                 tile.send_back(gradient, to);
                 turns.run(loop, number, [&] { tile.add_to_keys(to); });
             });
}

template <class Scalar>
std::unique_ptr<Decoder<Scalar>> window_decoder(const Window& window, Index dimension, Index value_columns) {
    return std::make_unique<WindowDecoder<Scalar>>(window, dimension, value_columns);
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template Outcome window(const Window&, const Inputs<Scalar>&, Visible, Rows<Scalar>&);                             \
    template void window_backward(const Window&, const Inputs<Scalar>&, Visible, const RowsView<Scalar>&,              \
                                  Gradients<Scalar>&);                                                                 \
    template std::unique_ptr<Decoder<Scalar>> window_decoder(const Window&, Index, Index);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
