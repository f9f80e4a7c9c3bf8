#include "rfbench/attention/lsh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "rfbench/attention/lsh_backward.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/parallel/loop.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {
namespace {

using products::Panels;
using products::strided;

constexpr Index bucket_queries = 96, bucket_keys = 384;

/// Buckets of rows, one line a round.
using Buckets = std::vector<std::vector<Index>>;

template <class Scalar>
Buckets hash(const Hashing& hashing, const RowsView<Scalar>& rows) {
    Buckets buckets;
    for (const Projections& directions : hashing.rounds) {
        std::vector<Index> own(static_cast<std::size_t>(rows.rows()), 0);
        if (directions.cols() > 0) {
            const Panels<Scalar> panels(strided(directions.cast<Scalar>().eval()));
            Rows<Scalar> products(rows.rows(), directions.cols());
            panels.multiply(strided(rows), products.data(), products.cols());
            for (Index i = 0; i < rows.rows(); ++i) {
                // The largest of [G -G]' x is the largest of G' x or minus its smallest.
                Index high, low;
                const Scalar positive = products.row(i).maxCoeff(&high), negative = -products.row(i).minCoeff(&low);
                own[static_cast<std::size_t>(i)] = positive >= negative ? high : directions.cols() + low;
            }
        }
        buckets.push_back(std::move(own));
    }
    return buckets;
}

/// A query that is its own key is hashed once: of products that are equal but for rounding another may be the largest.
template <class Scalar>
Buckets hash_keys(const Hashing& hashing, const RowsView<Scalar>& keys, const Buckets& of_queries) {
    return hashing.keys == LshKeys::queries ? of_queries : hash<Scalar>(hashing, keys);
}

/// Whether an earlier round has put both into one bucket.
bool met_before(const Buckets& of_queries, const Buckets& of_keys, std::size_t round, Index query, Index key) {
    for (std::size_t r = 0; r < round; ++r)
        if (of_queries[r][static_cast<std::size_t>(query)] == of_keys[r][static_cast<std::size_t>(key)]) return true;
    return false;
}

/// Positions of each bucket's members in their order, of those for which chosen(i) holds.
template <class Chosen>
std::vector<std::vector<Index>> members(const std::vector<Index>& buckets, Index count, Chosen chosen) {
    std::vector<std::vector<Index>> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < buckets.size(); ++i)
        if (chosen(static_cast<Index>(i))) all[static_cast<std::size_t>(buckets[i])].push_back(static_cast<Index>(i));
    return all;
}

/// Sums of softmax weights, for every query, whatever the order in which its keys come.
template <class Scalar>
class Attending {
public:
    Attending(const Inputs<Scalar>& in, Visible visible, const Rows<Scalar>& keys, const Buckets& of_queries,
              const Buckets& of_keys, Rows<Scalar>& out)
        : in_(in),
          visible_(visible),
          keys_(keys),
          of_queries_(of_queries),
          of_keys_(of_keys),
          out_(out),
          scale_(static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())))),
          highest_(Column::Constant(in.queries.rows(), -std::numeric_limits<Scalar>::infinity())),
          weights_(Column::Zero(in.queries.rows())) {}

    /// One round's bucket: its queries with its keys, both in their order, but pairs that an earlier round had.
    void add(std::size_t round, const std::vector<Index>& queries, const std::vector<Index>& keys) {
        // A bucket's keys and values are gathered from all over the sequence into tiles, which all of its queries go
        // through.
        const Index all = static_cast<Index>(queries.size()), count = static_cast<Index>(keys.size());
        for (Index from = 0; from < count; from += bucket_keys) {
            const Index width = std::min(bucket_keys, count - from);
            const Eigen::Map<const Eigen::Array<Index, Eigen::Dynamic, 1>> own(keys.data() + from, width);
            const Rows<Scalar> own_keys = keys_(own, Eigen::all), own_values = in_.values(own, Eigen::all);
            const Panels<Scalar> tile(strided(own_keys).transposed()), values(strided(own_values));
            for (Index first = 0; first < all; first += bucket_queries)
                add_tile(round, {queries.data() + first, std::min(bucket_queries, all - first)}, own, tile, values);
        }
    }

    Outcome finish() {
        Outcome outcome;
        for (Index i = 0; i < weights_.size(); ++i) {
            outcome.nonpositive += weights_[i] > 0 ? 0 : 1;
            out_.row(i) *= weights_[i] > 0 ? 1 / weights_[i] : Scalar(0);
        }
        return outcome;
    }

private:
    using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using Positions = Eigen::Map<const Eigen::Array<Index, Eigen::Dynamic, 1>>;

    void add_tile(std::size_t round, const Positions& queries, const Positions& keys, const Panels<Scalar>& tile,
                  const Panels<Scalar>& values) {
        // Softmax in one pass, as exact.cpp has it: the highest score, sums and weights of a query are kept from tile
        // to tile and from round to round.
        const Index n = queries.size(), width = keys.size();
        const Rows<Scalar> rows = scale_ * in_.queries(queries, Eigen::all);
        Rows<Scalar> scores(n, width), sums(n, out_.cols());
        tile.multiply(strided(rows), scores.data(), width);
        for (Index at = 0; at < n; ++at) {
            // Positions ascend, so keys that a causal query sees come first; the others have weight zero.
            const Index i = queries[at];
            const Index seen =
                visible_ == Visible::all ? width : std::upper_bound(keys.begin(), keys.end(), i) - keys.begin();
            scores.row(at).tail(width - seen).setZero();
            sums.row(at) = out_.row(i);
            auto row = scores.row(at).head(seen).array();
            // Rounds are united: a pair that has met has its weight already.
            for (Index j = 0; j < seen && round > 0; ++j)
                if (met_before(of_queries_, of_keys_, round, i, keys[j]))
                    row[j] = -std::numeric_limits<Scalar>::infinity();
            const Scalar high = seen == 0 ? highest_[i] : std::max(highest_[i], row.maxCoeff());
            // No key yet: infinity minus infinity would be NaN.
            if (high == -std::numeric_limits<Scalar>::infinity()) {
                row.setZero();
                continue;
            }
            const Scalar shrink = std::exp(highest_[i] - high);
            weights_[i] = weights_[i] * shrink + features::sum_exponentiated(row, high);
            sums.row(at) *= shrink;
            highest_[i] = high;
        }
        values.multiply(strided(scores), sums.data(), sums.cols(), sums.data(), sums.cols());
        for (Index at = 0; at < n; ++at) out_.row(queries[at]) = sums.row(at);
    }

    const Inputs<Scalar>& in_;
    const Visible visible_;
    const Rows<Scalar>& keys_;
    const Buckets &of_queries_, &of_keys_;
    Rows<Scalar>& out_;  // sums until finish()
    const Scalar scale_;
    Column highest_, weights_;
};

template <class Scalar>
Rows<Scalar> keys_to_see(LshKeys which, const Inputs<Scalar>& in) {
    if (which == LshKeys::separate) return in.keys;
    if (in.queries.rows() != in.keys.rows())
        throw std::invalid_argument("lsh: " + std::to_string(in.queries.rows()) +
                                    " queries are to be the keys too, given " + std::to_string(in.keys.rows()) +
                                    " keys; both must be as many");
    Rows<Scalar> keys = in.queries;
    for (Index i = 0; i < keys.rows(); ++i) keys.row(i).stableNormalize();
    return keys;
}

void check_hashing(const Hashing& hashing, Index dimension) {
    if (hashing.rounds.empty()) throw std::invalid_argument("lsh: no rounds; there must be one or more");
    for (std::size_t round = 0; round < hashing.rounds.size(); ++round) {
        const Projections& directions = hashing.rounds[round];
        if (directions.cols() > 0 && directions.rows() != dimension)
            throw std::invalid_argument("lsh: the hash was drawn for " + std::to_string(directions.rows()) +
                                        " coordinates, the queries have " + std::to_string(dimension));
        check_finite<double>("lsh: the hash of round " + std::to_string(round) + " has", directions);
    }
}

}  // namespace

Hashing draw_hashing(Index dimension, Index buckets, Index rounds, const Stream& stream, LshKeys keys) {
    if (dimension <= 0) throw std::invalid_argument("lsh: d = " + std::to_string(dimension) + "; it must be positive");
    if (rounds <= 0)
        throw std::invalid_argument("lsh: " + std::to_string(rounds) + " rounds; there must be one or more");
    if (buckets <= 0 || (buckets != 1 && buckets % 2 != 0))
        throw std::invalid_argument("lsh: " + std::to_string(buckets) + " buckets; allowed are 1 and even numbers");
    Hashing hashing{{}, keys};
    for (Index round = 0; round < rounds; ++round) {
        Projections directions(dimension, buckets / 2);
        fill_normal(stream.child(static_cast<std::uint64_t>(round)), directions);
        hashing.rounds.push_back(std::move(directions));
    }
    return hashing;
}

template <class Scalar>
Outcome lsh(const Hashing& hashing, const Inputs<Scalar>& in, Visible visible, Rows<Scalar>& out) {
    check(in, visible, out);
    check_hashing(hashing, in.queries.cols());
    const Rows<Scalar> keys = keys_to_see(hashing.keys, in);
    check_scores<Scalar>({in.queries, keys, in.values, in.kept});
    const Buckets of_queries = hash<Scalar>(hashing, in.queries),
                  of_keys = hash_keys<Scalar>(hashing, keys, of_queries);
    out.setZero(in.queries.rows(), in.values.cols());
    Attending<Scalar> attending(in, visible, keys, of_queries, of_keys, out);
    for (std::size_t round = 0; round < hashing.rounds.size(); ++round) {
        const Index count = std::max<Index>(1, 2 * hashing.rounds[round].cols());
        const auto queries = members(of_queries[round], count, [](Index) { return true; });
        const auto kept = members(of_keys[round], count, [&](Index j) { return in.keeps(j); });
        // A query is in one bucket: threads write to rows of their own.
        parallel::Loop(count, parallel::Share::in_order).run([&](Index bucket) {
            attending.add(round, queries[static_cast<std::size_t>(bucket)], kept[static_cast<std::size_t>(bucket)]);
        });
    }
    return attending.finish();
}

namespace {

/// The keys that a query meets, each once.
class Meetings {
public:
    template <class Scalar>
    Meetings(const Hashing& hashing, const Inputs<Scalar>& in, const Rows<Scalar>& keys, Visible visible)
        : visible_(visible),
          of_queries_(hash<Scalar>(hashing, in.queries)),
          of_keys_(hash_keys<Scalar>(hashing, keys, of_queries_)) {
        for (std::size_t round = 0; round < hashing.rounds.size(); ++round)
            members_.push_back(members(of_keys_[round], std::max<Index>(1, 2 * hashing.rounds[round].cols()),
                                       [&](Index j) { return in.keeps(j); }));
    }

    std::vector<Index> of(Index query) const {
        std::vector<Index> all;
        for (std::size_t round = 0; round < members_.size(); ++round) {
            const Index bucket = of_queries_[round][static_cast<std::size_t>(query)];
            for (const Index key : members_[round][static_cast<std::size_t>(bucket)])
                if ((visible_ == Visible::all || key <= query) && !met_before(of_queries_, of_keys_, round, query, key))
                    all.push_back(key);
        }
        return all;
    }

private:
    Visible visible_;
    Buckets of_queries_, of_keys_;
    std::vector<std::vector<std::vector<Index>>> members_;  // by round and bucket
};

/// Adds the gradients through k = q / |q| to those of q; a q of zero has a key of zero, and no slope.
template <class Scalar>
void add_normalized(const RowsView<Scalar>& queries, const Rows<Scalar>& keys, Gradients<Scalar>& gradients) {
    for (Index i = 0; i < queries.rows(); ++i) {
        const Scalar length = queries.row(i).stableNorm(), along = gradients.keys.row(i).dot(keys.row(i));
        if (length > 0) gradients.queries.row(i) += (gradients.keys.row(i) - along * keys.row(i)) / length;
    }
    gradients.keys.setZero();
}

}  // namespace

template <class Scalar>
void lsh_backward(const Hashing& hashing, const Inputs<Scalar>& in, Visible visible, const Rows<Scalar>& out,
                  const RowsView<Scalar>& output_gradient, Gradients<Scalar>& gradients) {
    check(in, visible);
    check_gradients(in, output_gradient, gradients);
    if (out.rows() != in.queries.rows() || out.cols() != in.values.cols())
        throw std::invalid_argument("lsh: the output is " + std::to_string(out.rows()) + " x " +
                                    std::to_string(out.cols()) + "; lsh() gives " + std::to_string(in.queries.rows()) +
                                    " x " + std::to_string(in.values.cols()));
    check_hashing(hashing, in.queries.cols());
    const Rows<Scalar> keys = keys_to_see(hashing.keys, in);
    check_scores<Scalar>({in.queries, keys, in.values, in.kept});
    const Meetings meetings(hashing, in, keys, visible);
    const auto scale = static_cast<Scalar>(1 / std::sqrt(static_cast<double>(in.queries.cols())));
    gradients.queries.setZero(in.queries.rows(), in.queries.cols());
    gradients.keys.setZero(keys.rows(), keys.cols());
    gradients.values.setZero(in.values.rows(), in.values.cols());
    gradients.left_out = 0;
    for (Index i = 0; i < in.queries.rows(); ++i) {
        const std::vector<Index> met = meetings.of(i);
        if (met.empty()) {
            ++gradients.left_out;
            continue;
        }
        // Softmax over those it meets, and its gradient: d score = p (g . v - g . out).
        const Rows<Scalar> own_keys = keys(met, Eigen::all), own_values = in.values(met, Eigen::all);
        Column<Scalar> weights = scale * (own_keys * in.queries.row(i).transpose());
        weights = (weights.array() - weights.maxCoeff()).exp();
        weights /= weights.sum();
        const auto gradient = output_gradient.row(i);
        const Scalar mean = gradient.dot(out.row(i));
        const Column<Scalar> scores =
            scale * weights.cwiseProduct(Column<Scalar>((own_values * gradient.transpose()).array() - mean));
        gradients.queries.row(i) += scores.transpose() * own_keys;
        for (std::size_t n = 0; n < met.size(); ++n) {
            gradients.keys.row(met[n]) += scores[static_cast<Index>(n)] * in.queries.row(i);
            gradients.values.row(met[n]) += weights[static_cast<Index>(n)] * gradient;
        }
    }
    if (hashing.keys == LshKeys::queries) add_normalized<Scalar>(in.queries, keys, gradients);
}

template void lsh_backward(const Hashing&, const Inputs<float>&, Visible, const Rows<float>&, const RowsView<float>&,
                           Gradients<float>&);
template void lsh_backward(const Hashing&, const Inputs<double>&, Visible, const Rows<double>&, const RowsView<double>&,
                           Gradients<double>&);
template Outcome lsh(const Hashing&, const Inputs<float>&, Visible, Rows<float>&);
template Outcome lsh(const Hashing&, const Inputs<double>&, Visible, Rows<double>&);

}  // namespace rfbench::attention
