#pragma once
#include <functional>
#include <vector>

#include "rfbench/networks/parameters.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::networks {

/// Updates of low rank of some matrices of a network, all else being held (Hu et al. 2022, LoRA, section 4.1): W = W0 +
/// A B, A being rows x r and B r x columns. The published scale alpha / r is 1. What is trained is one vector, A and
/// then B of one matrix after the other.
template <class Scalar>
class LowRank {
public:
    /// Updates the matrices for which `updated` holds. Throws std::invalid_argument for a rank below 1, and where there
    /// is no such matrix.
    LowRank(const Layout&, Index rank, const std::function<bool(const Parameter&)>& updated);

    /// A normal with variance 1 / rows, B zero: the network begins as it was.
    Column<Scalar> start(const Stream&) const;
    /// W0 + A B in the place of W0.
    void add(const Column<Scalar>& factors, Column<Scalar>& values) const;
    /// From the gradient G of W: G B' of A, and A' G of B.
    Column<Scalar> gradient(const Column<Scalar>& factors, const Column<Scalar>& by_values) const;

private:
    struct Update {
        Parameter whole, left, right;  // W; A and B in the vector of factors
    };
    std::vector<Update> updates_;
    Index size_ = 0;
};

}  // namespace rfbench::networks
