#include "rfbench/attention/linformer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/attention/exact.hpp"
#include "rfbench/products/panels.hpp"

namespace rfbench::attention {

Projections random_compression(Index k, Index keys, const Stream& stream) {
    if (k <= 0) throw std::invalid_argument("linformer: k = " + std::to_string(k) + "; it must be positive");
    if (keys < 0)
        throw std::invalid_argument("linformer: " + std::to_string(keys) + " keys; their number must not be negative");
    Projections compression(k, keys);
    fill_normal(stream, compression);
    return compression / std::sqrt(static_cast<double>(k));
}

template <class Scalar>
Outcome linformer(const Projections& compression, const Inputs<Scalar>& in, Rows<Scalar>& out) {
    check(in, Visible::all, out);
    const Index k = compression.rows(), length = in.keys.rows();
    if (k == 0 || compression.cols() < length)
        throw std::invalid_argument("linformer: the compression is " + std::to_string(k) + " x " +
                                    std::to_string(compression.cols()) + " for " + std::to_string(length) +
                                    " keys; it needs a row or more and a column a key");
    // Nobody to see: as exact attention has it.
    const bool padding = std::none_of(in.kept.begin(), in.kept.end(), [](unsigned char kept) { return kept != 0; });
    if (length == 0 || (padding && !in.kept.empty())) return exact(in, Visible::all, out);

    // Padding is taken out of E, not of the keys: E K and E V are then exact attention's keys and values.
    Rows<Scalar> mixing = compression.leftCols(length).template cast<Scalar>();
    check_finite<Scalar>("linformer: the compression has", mixing);
    for (Index j = 0; j < length; ++j)
        if (!in.keeps(j)) mixing.col(j).setZero();
    Rows<Scalar> keys(k, in.keys.cols()), values(k, in.values.cols());
    using products::strided;
    products::Panels<Scalar>(strided(in.keys)).multiply(strided(mixing), keys.data(), keys.cols());
    products::Panels<Scalar>(strided(in.values)).multiply(strided(mixing), values.data(), values.cols());
    return exact<Scalar>({in.queries, keys, values}, Visible::all, out);
}

template Outcome linformer(const Projections&, const Inputs<float>&, Rows<float>&);
template Outcome linformer(const Projections&, const Inputs<double>&, Rows<double>&);

}  // namespace rfbench::attention
