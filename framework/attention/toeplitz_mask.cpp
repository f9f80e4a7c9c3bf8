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

ToeplitzMask::ToeplitzMask(std::vector<Index> shape, const std::function<double(const Offset&)>& psi,
                           std::optional<double> class_token)
    : shape_(std::move(shape)), lengths_{1, 1, 1}, grid_(1), class_token_(class_token) {
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
    // With fewer than three levels the first ones have length 1.
    for (std::size_t level = 0; level < shape_.size(); ++level) {
        lengths_[lengths_.size() - shape_.size() + level] = shape_[level];
        grid_ *= shape_[level];
    }
    if (class_token && (!(*class_token >= 0) || !std::isfinite(*class_token)))
        throw std::invalid_argument("mask: " + std::to_string(*class_token) +
                                    " for the class token; entries must be finite and not negative");
    // From the largest offset down: of a query's keys in their order, offsets fall.
    for (Index a = lengths_[0] - 1; grid_ > 0 && a > -lengths_[0]; --a)
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
    // The class token sees all others, or is seen by none.
    if (!class_token) return;
    causal_ = causal_ && *class_token == 0;
    entries_.push_back(*class_token);
}

ToeplitzMask::ToeplitzMask(std::vector<Index> shape, bool class_token, const Vector& numbers)
    : ToeplitzMask(
          std::move(shape),
          // Offsets are asked for in the order in which they are counted.
          [&numbers, next = Index{0}](const Offset&) mutable { return next < numbers.size() ? numbers[next++] : 0.0; },
          class_token && numbers.size() > 0 ? std::optional(numbers[numbers.size() - 1]) : std::nullopt) {
    if (this->numbers() != numbers.size() || before() != (class_token ? 1 : 0))
        throw std::invalid_argument("mask: given " + std::to_string(numbers.size()) + " numbers; it is made of " +
                                    std::to_string(this->numbers() - before() + (class_token ? 1 : 0)));
}

Index ToeplitzMask::number(const Offset& offset) const {
    Index number = 0;
    for (std::size_t level = 0; level < offset.size(); ++level)
        number = number * (2 * lengths_[level] - 1) + offset[level] + lengths_[level] - 1;
    return number;
}

Offset ToeplitzMask::offset(Index number) const {
    Index rest = numbers() - before() - 1 - number;
    Offset offset{};
    for (std::size_t level = offset.size(); level-- > 0;) {
        const Index along = 2 * lengths_[level] - 1;
        offset[level] = rest % along - lengths_[level] + 1;
        rest /= along;
    }
    return offset;
}

Offset ToeplitzMask::place(Index token) const {
    token -= before();
    const Index row = token / lengths_[2];
    return {row / lengths_[1], row % lengths_[1], token % lengths_[2]};
}

double ToeplitzMask::operator()(Index i, Index j) const {
    if (class_token_ && (i == 0 || j == 0)) return *class_token_;
    const Offset to = place(i), from = place(j);
    return at({to[0] - from[0], to[1] - from[1], to[2] - from[2]});
}

double ToeplitzMask::at(const Offset& offset) const {
    // number() counts from the smallest offset up, entries from the largest down.
    return entries_[static_cast<std::size_t>(numbers() - before() - 1 - number(offset))];
}

/// Calls body(i, j, run, number): entries (i, j) .. (i, j + run - 1) of a tile have the numbers `number` and those that
/// follow, keys of one line of the grid lying side by side among them; or all have the class token's.
template <class Body>
void ToeplitzMask::for_lines(Index row, Index n, Index column, Index m, Body body) const {
    const Index of_class = numbers() - 1;
    for (Index i = 0; i < n; ++i) {
        if (row + i < before()) {
            for (Index j = 0; j < m; ++j) body(i, j, 1, of_class);
            continue;
        }
        const Offset to = place(row + i);
        for (Index j = 0; j < m;) {
            if (column + j < before()) {
                body(i, j++, 1, of_class);
                continue;
            }
            const Offset from = place(column + j);
            const Index run = std::min(m - j, lengths_[2] - from[2]);
            // The number of minus an offset, counted up, is that of the offset counted down.
            body(i, j, run, number({from[0] - to[0], from[1] - to[1], from[2] - to[2]}));
            j += run;
        }
    }
}

template <class Scalar>
void ToeplitzMask::tile(Index row, Index n, Index column, Index m, Rows<Scalar>& out) const {
    out.resize(n, m);
    for_lines(row, n, column, m, [&](Index i, Index j, Index run, Index number) {
        const double* const entries = entries_.data() + number;
        Scalar* const to = out.data() + i * m + j;
        for (Index k = 0; k < run; ++k) to[k] = static_cast<Scalar>(entries[k]);
    });
}

template <class Scalar>
void ToeplitzMask::add_by_numbers(Index row, Index column, const Rows<Scalar>& tile, Column<Scalar>& by_numbers) const {
    for_lines(row, tile.rows(), column, tile.cols(), [&](Index i, Index j, Index run, Index number) {
        Scalar* const sums = by_numbers.data() + number;
        const Scalar* const from = tile.data() + i * tile.cols() + j;
        for (Index k = 0; k < run; ++k) sums[k] += from[k];
    });
}

template void ToeplitzMask::add_by_numbers(Index, Index, const Rows<float>&, Column<float>&) const;
template void ToeplitzMask::add_by_numbers(Index, Index, const Rows<double>&, Column<double>&) const;
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
    if (mask.class_token())
        throw std::invalid_argument("mask: a class token, before all others, has one weight for both directions");
    return {mask.shape(), [&](const Offset& offset) { return looks_ahead(offset) ? 0.0 : mask.at(offset); }};
}

ToeplitzMask transposed_mask(const ToeplitzMask& mask) {
    return {mask.shape(), [&](const Offset& at) { return mask.at({-at[0], -at[1], -at[2]}); }, mask.class_token()};
}

}  // namespace rfbench::attention
