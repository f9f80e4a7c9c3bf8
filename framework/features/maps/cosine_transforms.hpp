#pragma once
#include <vector>

#include "rfbench/sampling/cosine_rows.hpp"
#include "rfbench/transforms/cosine.hpp"

namespace rfbench::features {

/// x -> c_m.x for the cosine directions c_0, c_1, ... of one dimension, by fast transforms: O(d log d) for each d of
/// them, where d has no large prime. The bits of a row depend on that row only. Immutable.
template <class Scalar>
class CosineTransforms {
public:
    /// Rows that are transformed at once: two in every lane, as real and imaginary part.
    static constexpr Index rows_at_once = 2 * transforms::lanes<Scalar>;

    CosineTransforms(sampling::CosineSide side, Index dimension) : side_(side), cosine_(dimension) {}

    /// Memory for one thread.
    class Workspace {
    public:
        explicit Workspace(const CosineTransforms& transforms)
            : in(static_cast<std::size_t>(transforms.dimension())), work(in), out(in) {}

    private:
        friend class CosineTransforms;
        std::vector<transforms::ComplexLanes<Scalar>> in, work, out;
    };

    Index dimension() const { return cosine_.length(); }
    /// out(i, m) = c_m.x_i for m < count; rows x_i of `dimension` entries, at most rows_at_once of them.
    void apply(const RowsView<Scalar>& x, Index count, Scalar* out, Index out_stride, Workspace&) const;

private:
    sampling::CosineSide side_;
    transforms::Cosine<Scalar> cosine_;
};

extern template class CosineTransforms<float>;
extern template class CosineTransforms<double>;

}  // namespace rfbench::features
