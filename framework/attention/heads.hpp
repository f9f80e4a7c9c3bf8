#pragma once
// Many heads of many sequences at once.
#include <functional>
#include <string>
#include <vector>

#include "rfbench/attention/inputs.hpp"

namespace rfbench::attention {

/// batch x heads x length x columns, dense and in that order.
template <class Scalar>
struct Heads {
    Index batch = 0, heads = 0, length = 0, columns = 0;  ///< sequences, heads of each, tokens, d or e
    std::vector<Scalar> entries;                          ///< columns run fastest, sequences slowest

    Heads() = default;
    /// "2 x 8 x 512 x 64"
    std::string shape() const;
    /// Entries that the shape needs. Throws std::invalid_argument when an extent is negative, or where no memory has as
    /// many.
    Index size() const;
    /// All entries zero. Throws std::invalid_argument when an extent is negative, or no memory has as many entries.
    Heads(Index b, Index h, Index l, Index c);

    /// One head of one sequence: length x columns, in place.
    Eigen::Map<Rows<Scalar>> head(Index sequence, Index number) {
        return {entries.data() + (sequence * heads + number) * length * columns, length, columns};
    }
    /// The same, to be read.
    Eigen::Map<const Rows<Scalar>> head(Index sequence, Index number) const {
        return {entries.data() + (sequence * heads + number) * length * columns, length, columns};
    }
};

/// Attention of one head: exact(), linear() with a map, ...
template <class Scalar>
using Attend = std::function<Outcome(const Inputs<Scalar>&, Index head, Rows<Scalar>& out)>;

/// Applies `attend` to every head of every sequence; heads share the threads of the surrounding OpenMP settings, and
/// the bits do not depend on their number. `kept` has a row of L' entries a sequence, or none. Throws
/// std::invalid_argument naming the shapes when batches, heads or the mask differ, when entries are not as many as a
/// shape says or the output is an input, and what `attend` throws for the first head that fails or has another shape,
/// with its place. Memory that runs out is told as it is.
template <class Scalar>
Outcome attend_heads(const Heads<Scalar>& queries, const Heads<Scalar>& keys, const Heads<Scalar>& values,
                     std::span<const unsigned char> kept, const Attend<Scalar>& attend, Heads<Scalar>& out);

}  // namespace rfbench::attention
