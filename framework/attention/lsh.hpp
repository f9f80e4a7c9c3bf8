#pragma once
#include <vector>

#include "rfbench/attention/inputs.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::attention {

/// Source of the keys of LSH attention. separate: the inputs' keys. queries: key i is q_i / |q_i| (0 where q_i is), as
/// in Reformer, whose keys alone are normalised; there are then as many queries as keys, and only check() reads the
/// inputs' keys. A token may attend to itself in both.
enum class LshKeys { separate, queries };

/// The buckets of every round: a vector x falls into argmax of [G -G]' x, the first of equals; no columns: one bucket.
struct Hashing {
    std::vector<Projections> rounds;   ///< G, d x b each
    LshKeys keys = LshKeys::separate;  ///< where keys come from
};

/// Independent N(0, 1) entries. Throws std::invalid_argument unless d > 0, there is a round or more and the number of
/// buckets is 1 or even and positive.
Hashing draw_hashing(Index dimension, Index buckets, Index rounds, const Stream&, LshKeys = LshKeys::separate);

/// Attention within buckets of an angular locality-sensitive hash (Kitaev et al. 2020, "Reformer"; Likhosherstov 2022,
/// section 3.7): softmax over the kept keys that share a bucket with the query in any round - rounds are united, where
/// the thesis prints intersected - and that it sees. Whole buckets are attended to, not chunks of sorted ones, so that
/// the result is the definition's and the time is that of the pairs that meet. A query that meets no key gets zeros and
/// counts as not positive. Throws as check() does, and when a G is not d wide or not finite, or there is none.
template <class Scalar>
Outcome lsh(const Hashing&, const Inputs<Scalar>& in, Visible, Rows<Scalar>& out);

}  // namespace rfbench::attention
