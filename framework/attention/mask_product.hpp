#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "rfbench/attention/mask_blocks.hpp"
#include "rfbench/transforms/lanes.hpp"

namespace rfbench::attention {

/// Products of a block-Toeplitz mask T with vectors by FFTs of blocks of tokens. Along every level a Toeplitz matrix
/// is the mean of a circulant and a skew-circulant one, so that nothing is padded to twice its length. With F the
/// transform of a block and D_p the diagonal twist that makes part p circulant, block a of a product is
///
///     (T x)_a = sum_p D_p^* F^-1 sum_b S_p(a - b) F D_p x_b,    S_p diagonal.
///
/// Lines are complex, two real vectors at once, and as many are multiplied at once as a register has lanes. Errors are
/// ulps of the largest entries of any two real vectors that share a line, not of each.
template <class Scalar>
class MaskProduct {
public:
    using Complex = std::complex<Scalar>;
    using Factors = transforms::RealLanes<Scalar>;

    explicit MaskProduct(const ToeplitzMask& mask) : MaskProduct(mask, mask_blocks(mask)) {}
    MaskProduct(const ToeplitzMask&, const MaskBlocks&);
    ~MaskProduct();
    MaskProduct(const MaskProduct&) = delete;
    MaskProduct& operator=(const MaskProduct&) = delete;

    /// Memory for products, one at a time.
    class Workspace {
    public:
        explicit Workspace(const MaskProduct&);

    private:
        friend class MaskProduct;
        std::vector<transforms::ComplexLanes<Scalar>> lines, slice;
    };

    Index parts() const;
    Index size() const;                      ///< entries of a line, the grids of all blocks
    Index place(Index token) const;          ///< of a token on a line; all other entries must be zero
    const Complex* twist(Index part) const;  ///< D_p, a line

    /// sum = sum over m of diag(left_m) F^-1 S_p F diag(right_m) twisted, lines all of them; twisted is D_p x. Real
    /// lines left_m and right_m come in `groups` of as many as there are lanes, one group after the other. Threads may
    /// multiply at once, each in a workspace of its own.
    void multiply(Index part, Workspace&, Index groups, const Factors* left, const Factors* right,
                  const Complex* twisted, Complex* sum) const;

private:
    struct Spectra;
    std::unique_ptr<Spectra> spectra_;
};

extern template class MaskProduct<float>;
extern template class MaskProduct<double>;

}  // namespace rfbench::attention
