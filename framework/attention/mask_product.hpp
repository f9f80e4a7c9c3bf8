#pragma once
#include <memory>

#include "rfbench/attention/toeplitz_mask.hpp"

namespace rfbench::attention {

/// Products of a block-Toeplitz mask with vectors through the circulant one that contains it (Lee 1986): O(N log N), N
/// the size of the grid doubled along every level and rounded up to a product of twos, threes and fives. FFTW plans by
/// estimate, so that bits do not depend on timings. Errors are ulps of the largest entries of a product, not of each.
template <class Scalar>
class MaskProduct {
public:
    explicit MaskProduct(const ToeplitzMask&);
    ~MaskProduct();
    MaskProduct(const MaskProduct&) = delete;
    MaskProduct& operator=(const MaskProduct&) = delete;

    /// Memory for products, one at a time.
    class Workspace {
    public:
        explicit Workspace(const MaskProduct&);
        ~Workspace();
        Workspace(const Workspace&) = delete;
        Workspace& operator=(const Workspace&) = delete;

    private:
        friend class MaskProduct;
        struct Buffers;
        std::unique_ptr<Buffers> buffers_;
    };

    /// out = mask in, L entries each; out may be in. Threads may multiply at once, each in a workspace of its own.
    void apply(Workspace&, const Scalar* in, Scalar* out) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

/// Entries N of the circulant mask.
Index circulant_size(const ToeplitzMask&);

extern template class MaskProduct<float>;
extern template class MaskProduct<double>;

}  // namespace rfbench::attention
