#pragma once
#include <memory>

#include "rfbench/sampling/cosine_rows.hpp"

namespace rfbench::features {

/// x -> c_m.x for the cosine directions c_0, c_1, ... of one dimension, by FFTW: O(d log d) for each d of them. The
/// bits of a row depend on that row only. Immutable.
template <class Scalar>
class CosineTransforms {
public:
    CosineTransforms(sampling::CosineSide, Index dimension);
    ~CosineTransforms();
    CosineTransforms(const CosineTransforms&) = delete;
    CosineTransforms& operator=(const CosineTransforms&) = delete;

    /// Memory for one thread.
    class Workspace {
    public:
        explicit Workspace(const CosineTransforms& transforms)
            : in(transforms.dimension()), out(transforms.dimension()) {}

    private:
        friend class CosineTransforms;
        Eigen::Array<Scalar, Eigen::Dynamic, 1> in, out;
    };

    Index dimension() const;
    /// out_m = c_m.x for m < count; x has `dimension` entries.
    void apply(const Scalar* x, Index count, Scalar* out, Workspace&) const;

private:
    struct Plans;
    std::unique_ptr<Plans> plans_;
};

extern template class CosineTransforms<float>;
extern template class CosineTransforms<double>;

}  // namespace rfbench::features
