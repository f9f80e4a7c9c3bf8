// With weights P = exp(S - log sums), S = Q K' / sqrt d, and the gradient G of the outputs O = P V:
//   dV = P' G,   dS_ij = P_ij (g_i.v_j - g_i.o_i),   dQ = dS K / sqrt d,   dK = dS' Q / sqrt d.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/key_positions.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/parallel/in_order.hpp"
#include "rfbench/products/factor.hpp"

namespace rfbench::attention {
namespace {

using parallel::InOrder;
using parallel::Loop;
using parallel::Share;
using products::Arithmetic;
using products::Factor;
using products::strided;
using products::Triangle;

// Weights of a tile and their gradients stay in the second-level cache. Tiles are square, so that those on the diagonal
// of causal attention are triangular.
constexpr Index tile_rows = 96;

/// Tiles of queries that keys are read for at once: many, so that keys, which the second-level cache does not hold, are
/// read seldom; fewer of a short sequence, so that there is work for all threads.
Index tiles_at_once(Index tiles) { return std::clamp<Index>(tiles / 8, 1, 4); }

/// Tiles of the keys that are not padding, and what is sent back to them, each tile in the order of the queries' tiles.
template <class Scalar>
struct KeyTile {
    Factor<Scalar> keys, keys_transposed, values_transposed;  // n x d, d x n, e x n
    Rows<Scalar> by_keys, by_values;
    InOrder turns;
};

template <class Scalar>
class Pass {
public:
    Pass(const Inputs<Scalar>& in, Visible visible, const Rows<Scalar>& out, const Column<Scalar>& log_sums,
         const RowsView<Scalar>& gradient, const Arithmetic& arithmetic)
        : in_(in),
          visible_(visible),
          out_(out),
          log_sums_(log_sums),
          gradient_(gradient),
          arithmetic_(arithmetic),
          scale_(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())))),
          positions_(in),
          tiles_(static_cast<std::size_t>((positions_.count() + tile_rows - 1) / tile_rows)) {
        Loop(static_cast<Index>(tiles_.size()), Share::evenly).run([&](Index number) {
            const Index first = number * tile_rows, n = std::min(tile_rows, positions_.count() - first);
            const Rows<Scalar> k = positions_.rows(in.keys, first, n), v = positions_.rows(in.values, first, n);
            KeyTile<Scalar>& tile = tiles_[static_cast<std::size_t>(number)];
            tile.keys = Factor<Scalar>(strided(k), arithmetic);
            tile.keys_transposed = Factor<Scalar>(strided(k).transposed(), arithmetic);
            tile.values_transposed = Factor<Scalar>(strided(v).transposed(), arithmetic);
            tile.by_keys.setZero(n, in.keys.cols());
            tile.by_values.setZero(n, in.values.cols());
        });
    }

    void run(Gradients<Scalar>& to) {
        const Index tiles = (in_.queries.rows() + tile_rows - 1) / tile_rows, at_once = tiles_at_once(tiles);
        const Index blocks = (tiles + at_once - 1) / at_once;
        Loop loop(blocks, Share::in_order);
        const auto make = [&] { return Work(static_cast<std::size_t>(at_once), arithmetic_); };
        loop.run(make, [&](Work& work, Index number) { queries(loop, number, work, to); });
        // Padding has no gradient; the others' go back to their places.
        to.keys.setZero(in_.keys.rows(), in_.keys.cols());
        to.values.setZero(in_.values.rows(), in_.values.cols());
        for (Index j = 0; j < positions_.count(); ++j) {
            const KeyTile<Scalar>& tile = tiles_[static_cast<std::size_t>(j / tile_rows)];
            to.keys.row(positions_[j]) = scale_ * tile.by_keys.row(j % tile_rows);
            to.values.row(positions_[j]) = tile.by_values.row(j % tile_rows);
        }
    }

private:
    struct QueryTile {
        Index first = 0;
        Rows<Scalar> queries, gradient, by_queries;
        Column<Scalar> dots;  // g_i.o_i
        Factor<Scalar> packed_queries, packed_gradient;

        explicit QueryTile(const Arithmetic& arithmetic) : packed_queries(arithmetic), packed_gradient(arithmetic) {}
    };

    struct Work {
        Work(std::size_t tiles_at_once, const Arithmetic& arithmetic) : tiles(tiles_at_once, QueryTile(arithmetic)) {}

        std::vector<QueryTile> tiles;
        Rows<Scalar> weights, slopes, by_keys, by_values;
    };

    /// One block of tiles of queries against all tiles of keys.
    void queries(const Loop& loop, Index number, Work& work, Gradients<Scalar>& to) {
        const Index length = in_.queries.rows(), block = tile_rows * static_cast<Index>(work.tiles.size());
        Index end = number * block;
        for (QueryTile& own : work.tiles) {
            own.first = end;
            take(own, std::min(tile_rows, length - own.first));
            end += own.queries.rows();
        }
        for (std::size_t t = 0; t < tiles_.size(); ++t) {
            // Tiles of keys that not even the last of the queries sees get nothing, in their turn.
            const bool seen = sees(end - 1, t);
            if (seen) {
                work.by_keys.setZero(tiles_[t].keys.rows(), in_.keys.cols());
                work.by_values.setZero(tiles_[t].keys.rows(), in_.values.cols());
                for (QueryTile& own : work.tiles)
                    if (own.queries.rows() > 0 && sees(own.first + own.queries.rows() - 1, t)) against(own, t, work);
            }
            tiles_[t].turns.run(loop, number, [&] {
                if (!seen) return;
                tiles_[t].by_keys += work.by_keys;
                tiles_[t].by_values += work.by_values;
            });
        }
        for (const QueryTile& own : work.tiles)
            to.queries.middleRows(own.first, own.queries.rows()) = scale_ * own.by_queries;
    }

    /// Whether query i sees any key of a tile.
    bool sees(Index i, std::size_t t) const { return positions_.seen(i, visible_) > static_cast<Index>(t) * tile_rows; }

    void take(QueryTile& own, Index n) const {
        const auto queries = in_.queries.middleRows(own.first, n);
        own.queries = queries * scale_;
        own.gradient = gradient_.middleRows(own.first, n);
        own.dots = own.gradient.cwiseProduct(out_.middleRows(own.first, n)).rowwise().sum();
        own.packed_queries.pack(strided(RowsView<Scalar>(queries)));
        own.packed_gradient.pack(strided(own.gradient));
        own.by_queries.setZero(n, in_.queries.cols());
    }

    void against(QueryTile& own, std::size_t t, Work& work) {
        KeyTile<Scalar>& tile = tiles_[t];
        const Index n = own.queries.rows(), width = tile.keys.rows(), from = static_cast<Index>(t) * tile_rows;
        // On the diagonal of causal attention, where query i sees keys up to i, whole squares of zeros are left out.
        const bool diagonal = visible_ == Visible::causal && positions_.all() && from == own.first;
        const Triangle product = diagonal ? Triangle::lower_product : Triangle::none;
        const Triangle factor = diagonal ? Triangle::lower_factor : Triangle::none;
        const Triangle transposed = diagonal ? Triangle::upper_factor : Triangle::none;
        work.weights.resize(n, width);
        work.slopes.resize(n, width);
        tile.keys_transposed.multiply(strided(own.queries), work.weights.data(), width, product);
        tile.values_transposed.multiply(strided(own.gradient), work.slopes.data(), width, product);
        for (Index i = 0; i < n; ++i) {
            const Index seen = std::clamp<Index>(positions_.seen(own.first + i, visible_) - from, 0, width);
            auto weights = work.weights.row(i).head(seen).array();
            auto slopes = work.slopes.row(i).head(seen).array();
            features::exponentiate(weights, log_sums_[own.first + i], weights);
            slopes = (slopes - own.dots[i]) * weights;
            work.weights.row(i).tail(width - seen).setZero();
            work.slopes.row(i).tail(width - seen).setZero();
        }
        tile.keys.multiply(strided(work.slopes), own.by_queries.data(), own.by_queries.cols(), own.by_queries.data(),
                           own.by_queries.cols(), factor);
        own.packed_queries.multiply(strided(work.slopes).transposed(), work.by_keys.data(), work.by_keys.cols(),
                                    work.by_keys.data(), work.by_keys.cols(), transposed);
        own.packed_gradient.multiply(strided(work.weights).transposed(), work.by_values.data(), work.by_values.cols(),
                                     work.by_values.data(), work.by_values.cols(), transposed);
    }

    const Inputs<Scalar>& in_;
    Visible visible_;
    const Rows<Scalar>& out_;
    const Column<Scalar>& log_sums_;
    const RowsView<Scalar>& gradient_;
    Arithmetic arithmetic_;
    Scalar scale_;
    KeyPositions positions_;
    std::vector<KeyTile<Scalar>> tiles_;
};

}  // namespace

template <class Scalar>
void exact_backward(const Inputs<Scalar>& in, Visible visible, const Rows<Scalar>& out, const Column<Scalar>& log_sums,
                    const RowsView<Scalar>& output_gradient, Gradients<Scalar>& to, const Arithmetic& arithmetic) {
    check(in, visible);
    check_scores(in);
    check_gradients(in, output_gradient, to);
    if (out.rows() != in.queries.rows() || out.cols() != in.values.cols() || log_sums.size() != out.rows())
        throw std::invalid_argument("attention: the output is " + std::to_string(out.rows()) + " x " +
                                    std::to_string(out.cols()) + " with " + std::to_string(log_sums.size()) +
                                    " sums of weights; exact() gives " + std::to_string(in.queries.rows()) + " x " +
                                    std::to_string(in.values.cols()) + " and a sum a row");
    to.queries.resize(in.queries.rows(), in.queries.cols());
    to.left_out = 0;
    Pass<Scalar>(in, visible, out, log_sums, output_gradient, arithmetic).run(to);
}

template void exact_backward(const Inputs<float>&, Visible, const Rows<float>&, const Column<float>&,
                             const RowsView<float>&, Gradients<float>&, const Arithmetic&);
template void exact_backward(const Inputs<double>&, Visible, const Rows<double>&, const Column<double>&,
                             const RowsView<double>&, Gradients<double>&, const Arithmetic&);

}  // namespace rfbench::attention
