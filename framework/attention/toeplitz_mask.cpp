#include "rfbench/attention/toeplitz_mask.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rfbench::attention {
namespace {

using Offset = ToeplitzMask::Offset;

/// Whether a query sees a later token at this offset: the first coordinate that differs is smaller.
bool looks_ahead(const Offset& offset) { return offset < Offset{}; }

std::string text(const Offset& offset, std::size_t levels) {
    std::string all;
    for (std::size_t level = offset.size() - levels; level < offset.size(); ++level)
        all += (all.empty() ? "(" : ", ") + std::to_string(offset[level]);
    return all + ")";
}

}  // namespace

ToeplitzMask::ToeplitzMask(std::vector<Index> shape, const std::function<double(const Offset&)>& psi)
    : shape_(std::move(shape)), lengths_{1, 1, 1}, length_(1) {
    if (shape_.empty() || shape_.size() > lengths_.size())
        throw std::invalid_argument("mask: a grid of " + std::to_string(shape_.size()) +
                                    " levels; 1, 2 or 3 are supported");
    // In double, since their number may be more than Index counts.
    double offsets = 1;
    std::string grid;
    for (std::size_t level = 0; level < shape_.size(); ++level) {
        if (shape_[level] < 0)
            throw std::invalid_argument("mask: length " + std::to_string(shape_[level]) + " at level " +
                                        std::to_string(level + 1) + "; it must not be negative");
        offsets *= 2 * std::max(1.0, static_cast<double>(shape_[level])) - 1;
        grid += (grid.empty() ? "" : " x ") + std::to_string(shape_[level]);
    }
    if (offsets >= 0x1p63)
        throw std::invalid_argument("mask: a grid of " + grid +
                                    "; the product of 2 L - 1 over its levels must be below 2^63");
    // Of fewer levels than three the first have length 1.
    for (std::size_t level = 0; level < shape_.size(); ++level) {
        lengths_[lengths_.size() - shape_.size() + level] = shape_[level];
        length_ *= shape_[level];
    }
    if (length_ == 0) return;
    // From the largest offset down: of a query's keys in their order, offsets fall.
    for (Index a = lengths_[0] - 1; a > -lengths_[0]; --a)
        for (Index b = lengths_[1] - 1; b > -lengths_[1]; --b)
            for (Index c = lengths_[2] - 1; c > -lengths_[2]; --c) {
                const Offset offset{a, b, c};
                const double entry = psi(offset);
                if (!(entry >= 0) || !std::isfinite(entry))
                    throw std::invalid_argument("mask: " + std::to_string(entry) + " at offset " +
                                                text(offset, shape_.size()) +
                                                "; entries must be finite and not negative");
                entries_.push_back(entry);
                causal_ = causal_ && (entry == 0 || !looks_ahead(offset));
            }
}

Index ToeplitzMask::number(const Offset& offset) const {
    Index number = 0;
    for (std::size_t level = 0; level < offset.size(); ++level)
        number = number * (2 * lengths_[level] - 1) + offset[level] + lengths_[level] - 1;
    return number;
}

Offset ToeplitzMask::place(Index token) const {
    const Index row = token / lengths_[2];
    return {row / lengths_[1], row % lengths_[1], token % lengths_[2]};
}

double ToeplitzMask::operator()(Index i, Index j) const {
    const Offset to = place(i), from = place(j);
    return at({to[0] - from[0], to[1] - from[1], to[2] - from[2]});
}

double ToeplitzMask::at(const Offset& offset) const {
    // number() counts from the smallest offset up, entries from the largest down.
    return entries_[entries_.size() - 1 - static_cast<std::size_t>(number(offset))];
}

template <class Scalar>
void ToeplitzMask::tile(Index row, Index n, Index column, Index m, Rows<Scalar>& out) const {
    out.resize(n, m);
    for (Index i = 0; i < n; ++i) {
        const Offset to = place(row + i);
        // Keys of one line of the grid lie side by side among the entries.
        for (Index j = 0; j < m;) {
            const Offset from = place(column + j);
            const Index run = std::min(m - j, lengths_[2] - from[2]);
            // The number of minus an offset, counted up, is that of the offset counted down.
            const double* const entries = entries_.data() + number({from[0] - to[0], from[1] - to[1], from[2] - to[2]});
            for (Index k = 0; k < run; ++k) out(i, j + k) = static_cast<Scalar>(entries[k]);
            j += run;
        }
    }
}

template void ToeplitzMask::tile(Index, Index, Index, Index, Rows<float>&) const;
template void ToeplitzMask::tile(Index, Index, Index, Index, Rows<double>&) const;

ToeplitzMask decaying_mask(const std::vector<Index>& shape, double rate) {
    return {shape, [&](const Offset& offset) {
                double steps = 0;
                for (const Index along : offset) steps += std::abs(static_cast<double>(along));
                return std::exp(-rate * steps);
            }};
}

ToeplitzMask causal_mask(const ToeplitzMask& mask) {
    return {mask.shape(), [&](const Offset& offset) { return looks_ahead(offset) ? 0.0 : mask.at(offset); }};
}

}  // namespace rfbench::attention
