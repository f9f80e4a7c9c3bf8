#include "rfbench/attention/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rfbench/attention/key_positions.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/products/factor.hpp"

namespace rfbench::attention {
namespace {

using parallel::Loop;
using parallel::Share;
using products::Arithmetic;
using products::Factor;
using products::strided;
using products::Triangle;

// A tile's scores stay in the second-level cache, its keys and values too.
constexpr Index keys_at_once = 192;

/// Queries of a tile, which share each reading of the keys. A long sequence has large tiles, since no cache holds all
/// its keys; a short one has small tiles, so that all threads have work. The bits do not depend on the size.
Index queries_at_once(Index length) { return length < 4096 ? 96 : 288; }

/// The keys that are not padding, in tiles ready to be multiplied with.
template <class Scalar>
struct KeyTiles {
    KeyPositions positions;
    std::vector<Factor<Scalar>> keys, values;  // d x n and n x e

    KeyTiles(const Inputs<Scalar>& in, const Arithmetic& arithmetic) : positions(in) {
        // Kept keys are gathered, so that padding costs nothing.
        const Index tiles = (positions.count() + keys_at_once - 1) / keys_at_once;
        keys.resize(static_cast<std::size_t>(tiles), Factor<Scalar>(arithmetic));
        values.resize(static_cast<std::size_t>(tiles), Factor<Scalar>(arithmetic));
        Loop(tiles, Share::evenly).run([&](Index tile) {
            const Index first = tile * keys_at_once, n = std::min(keys_at_once, positions.count() - first);
            const Rows<Scalar> k = positions.rows(in.keys, first, n), v = positions.rows(in.values, first, n);
            keys[static_cast<std::size_t>(tile)].pack(strided(k).transposed());
            values[static_cast<std::size_t>(tile)].pack(strided(v));
        });
    }
};

/// One tile of queries against all keys.
template <class Scalar>
class QueryTile {
public:
    QueryTile(const Inputs<Scalar>& in, Index first, Index n)
        : first_(first),
          queries_(in.queries.middleRows(first, n)),
          sums_(Rows<Scalar>::Zero(n, in.values.cols())),
          highest_(Column<Scalar>::Constant(n, -std::numeric_limits<Scalar>::infinity())),
          weights_(Column<Scalar>::Zero(n)) {
        queries_ *= static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())));
    }

    /// Adds the keys of one tile, of which the first is the `from`-th kept key.
    void add(const KeyTiles<Scalar>& all, std::size_t tile, Index from, Visible visible) {
        // Softmax in one pass over the keys (Milakov and Gimelshein 2018): each row keeps its highest score so far, and
        // its sums are relative to exp of that; where a tile has a higher one, the sums shrink. No exponential is above
        // one.
        const Index n = queries_.rows(), width = all.keys[tile].columns();
        // Most scores of keys after the queries, and their products with values, are left out.
        const bool causal = visible == Visible::causal && all.positions.all();
        const auto triangle = [&](Triangle::Part part) {
            return causal ? Triangle(part, first_ - from) : Triangle::none;
        };
        scores_.resize(n, width);
        all.keys[tile].multiply(strided(queries_), scores_.data(), width, triangle(Triangle::lower_product));
        for (Index i = 0; i < n; ++i) {
            // Later keys have weight zero, so that the product with the values may take them.
            const Index seen = std::clamp<Index>(all.positions.seen(first_ + i, visible) - from, 0, width);
            scores_.row(i).tail(width - seen).setZero();
            if (seen == 0) continue;
            auto row = scores_.row(i).head(seen).array();
            const Scalar high = std::max(highest_[i], features::largest(row));
            const Scalar shrink = std::exp(highest_[i] - high);
            weights_[i] = weights_[i] * shrink + features::sum_exponentiated(row, high);
            sums_.row(i) *= shrink;
            highest_[i] = high;
        }
        all.values[tile].multiply(strided(scores_), sums_.data(), sums_.cols(), sums_.data(), sums_.cols(),
                                  triangle(Triangle::lower_factor));
    }

    Outcome finish(Rows<Scalar>& out, Column<Scalar>& log_sums) const {
        Outcome outcome;
        for (Index i = 0; i < sums_.rows(); ++i) {
            // A query that sees no key gets zeros.
            const bool seen = weights_[i] > 0;
            outcome.nonpositive += seen ? 0 : 1;
            out.row(first_ + i) = sums_.row(i) * (seen ? 1 / weights_[i] : Scalar(0));
            log_sums[first_ + i] = seen ? highest_[i] + std::log(weights_[i]) : std::numeric_limits<Scalar>::infinity();
        }
        return outcome;
    }

private:
    Index first_;
    Rows<Scalar> queries_, scores_, sums_;
    Column<Scalar> highest_, weights_;
};

}  // namespace

template <class Scalar>
Outcome exact(const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out, const Arithmetic& arithmetic) {
    Column<Scalar> unused;
    return exact(in, visible, out, unused, arithmetic);
}

template <class Scalar>
Outcome exact(const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out, Column<Scalar>& log_sums,
              const Arithmetic& arithmetic) {
    check(in, visible, out);
    check_scores(in);
    const KeyTiles<Scalar> keys(in, arithmetic);
    const Index length = in.queries.rows(), query_tile = queries_at_once(length);
    const Index tiles = (length + query_tile - 1) / query_tile;
    out.resize(length, in.values.cols());
    log_sums.resize(length);
    // The last tiles see most keys in causal attention: they begin first.
    return {Loop(tiles, Share::in_order).run([&](Index turn) {
        const Index first = (tiles - 1 - turn) * query_tile, n = std::min(query_tile, length - first);
        QueryTile<Scalar> tile(in, first, n);
        // Tiles of keys that not even the last of the queries sees are left out.
        const Index seen = keys.positions.seen(first + n - 1, visible);
        for (std::size_t part = 0; static_cast<Index>(part) * keys_at_once < seen; ++part)
            tile.add(keys, part, static_cast<Index>(part) * keys_at_once, visible);
        return tile.finish(out, log_sums).nonpositive;
    })};
}

#define RFBENCH_INSTANTIATE(Scalar)                                                                                    \
    template Outcome exact(const Inputs<Scalar>&, Visible, Rows<Scalar>&, const Arithmetic&);                          \
    template Outcome exact(const Inputs<Scalar>&, Visible, Rows<Scalar>&, Column<Scalar>&, const Arithmetic&);
RFBENCH_INSTANTIATE(float)
RFBENCH_INSTANTIATE(double)
#undef RFBENCH_INSTANTIATE

}  // namespace rfbench::attention
