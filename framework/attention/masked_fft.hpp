#pragma once
#include "rfbench/attention/backward_tile.hpp"
#include "rfbench/attention/masked_backward.hpp"

namespace rfbench::attention {

/// masked_backward() by Fourier transforms; inputs are checked, and the map has a gradient.
template <class Scalar>
Counts backward_fft(const features::FeatureMap& map, const ToeplitzMask& mask, const Inputs<Scalar>& in,
                    const RowsView<Scalar>& output_gradient, MaskedGradients<Scalar>& out);

}  // namespace rfbench::attention
