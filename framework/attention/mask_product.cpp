#include "rfbench/attention/mask_product.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "rfbench/transforms/fourier.hpp"

namespace rfbench::attention {
namespace {

using Offset = ToeplitzMask::Offset;

/// Calls body(place, its coordinates) for the places of a grid in their order.
template <class Body>
void for_places(const Offset& grid, Body body) {
    Index place = 0;
    for (Index a = 0; a < grid[0]; ++a)
        for (Index b = 0; b < grid[1]; ++b)
            for (Index c = 0; c < grid[2]; ++c) body(place++, Offset{a, b, c});
}

/// Whether part p is skew-circulant along each level: one bit for every level of more than one place.
std::array<bool, 3> skew_levels(const Offset& grid, Index part) {
    std::array<bool, 3> skew{};
    for (std::size_t level = 0; level < 3; ++level) {
        if (grid[level] == 1) continue;
        skew[level] = part % 2 == 1;
        part /= 2;
    }
    return skew;
}

/// Factor that makes the skew levels of a part circulant: e^(-i pi place / length) along each.
std::complex<double> twist_at(const Offset& grid, const std::array<bool, 3>& skew, const Offset& place) {
    double turns = 0;
    for (std::size_t level = 0; level < 3; ++level)
        if (skew[level]) turns += static_cast<double>(place[level]) / static_cast<double>(grid[level]);
    return std::polar(1.0, -std::numbers::pi * turns);
}

/// Entry `offset` of the first column of part p of block `difference`: psi at all offsets that wrap round to it, those
/// that do along skew levels with their signs turned.
double wrapped(const ToeplitzMask& mask, const MaskBlocks& blocks, const std::array<bool, 3>& skew, Index difference,
               const Offset& offset) {
    double entry = 0;
    // A bit for each level: whether the offset wraps round along it. Blocks are `difference` apart along the level that
    // is cut, and offsets beyond the mask's grid count as zero.
    for (unsigned wraps = 0; wraps < 8; ++wraps) {
        Offset at = offset;
        double sign = 1;
        bool inside = true;
        for (std::size_t level = 0; level < 3; ++level) {
            const bool wrap = (wraps >> level & 1) != 0;
            if (wrap) at[level] -= blocks.grid[level];
            if (wrap && skew[level]) sign = -sign;
            inside = inside && (!wrap || blocks.grid[level] > 1);
            if (level == blocks.cut) at[level] += difference * blocks.grid[level];
            inside = inside && std::abs(at[level]) < mask.lengths()[level];
        }
        if (inside) entry += sign * mask.at(at);
    }
    return entry;
}

}  // namespace

template <class Scalar>
struct MaskProduct<Scalar>::Spectra {
    using Entry = transforms::ComplexLanes<Scalar>;

    Spectra(const ToeplitzMask& mask, const MaskBlocks& own)
        : blocks(own), lengths(mask.lengths()), fourier(own.grid) {}

    Index differences() const { return 2 * blocks.count - 1; }
    /// S_p(1 - count) .. S_p(count - 1) at one place, beside each other: as multiply() reads them.
    Complex* at(Index part, Index place) { return spectra.data() + (part * blocks.points() + place) * differences(); }
    const Complex* at(Index part, Index place) const { return const_cast<Spectra*>(this)->at(part, place); }

    void add_twists(Index part, const std::array<bool, 3>& skew);
    void add_part(const ToeplitzMask&, Index part, const std::array<bool, 3>& skew);
    /// lines_a = sum_b S_p(a - b) lines_b; slice is memory for one entry of each.
    void multiply(Index part, Entry* lines, Entry* slice) const;

    MaskBlocks blocks;
    Offset lengths;
    transforms::Fourier<Scalar> fourier;
    std::vector<Complex> twists, spectra;
    std::vector<unsigned char> empty;  // whether there are zeros only, by part and difference
};

template <class Scalar>
void MaskProduct<Scalar>::Spectra::add_twists(Index part, const std::array<bool, 3>& skew) {
    Complex* const line = twists.data() + part * blocks.count * blocks.points();
    for_places(blocks.grid, [&](Index place, const Offset& at) {
        const std::complex<double> twist = twist_at(blocks.grid, skew, at);
        for (Index b = 0; b < blocks.count; ++b)
            line[b * blocks.points() + place] = {static_cast<Scalar>(twist.real()), static_cast<Scalar>(twist.imag())};
    });
}

template <class Scalar>
void MaskProduct<Scalar>::Spectra::add_part(const ToeplitzMask& mask, Index part, const std::array<bool, 3>& skew) {
    constexpr Index lanes = transforms::lanes<Scalar>;
    // A spectrum is the transform of the twisted first column. The 1 / N that transforms leave out and the mean over
    // parts are put into it.
    const double scale = 1 / static_cast<double>(blocks.points() * blocks.parts());
    // One difference of blocks in every lane.
    for (Index first = 0; first < differences(); first += lanes) {
        const Index n = std::min(lanes, differences() - first);
        std::vector<Entry> columns(static_cast<std::size_t>(blocks.points()), Entry{});
        std::vector<unsigned char> zero(static_cast<std::size_t>(n), 1);
        for_places(blocks.grid, [&](Index place, const Offset& offset) {
            const std::complex<double> twist = scale * twist_at(blocks.grid, skew, offset);
            for (Index lane = 0; lane < n; ++lane) {
                const double entry = wrapped(mask, blocks, skew, first + lane + 1 - blocks.count, offset);
                if (entry != 0) zero[lane] = 0;
                columns[place].real[lane] = static_cast<Scalar>(entry * twist.real());
                columns[place].imaginary[lane] = static_cast<Scalar>(entry * twist.imag());
            }
        });
        fourier.forward(columns.data());
        for (Index place = 0; place < blocks.points(); ++place)
            for (Index lane = 0; lane < n; ++lane)
                at(part, place)[first + lane] = {columns[place].real[lane], columns[place].imaginary[lane]};
        empty.insert(empty.end(), zero.begin(), zero.end());
    }
}

template <class Scalar>
void MaskProduct<Scalar>::Spectra::multiply(Index part, Entry* lines, Entry* slice) const {
    const Index points = blocks.points(), count = blocks.count;
    const unsigned char* const none = empty.data() + part * differences() + count - 1;
    // At each place of the spectra a product of a small Toeplitz matrix, blocks by blocks, with the lines' entries
    // there; they are copied first, since the products are written over them.
    for (Index place = 0; place < points; ++place) {
        const Complex* const spectra_here = at(part, place) + count - 1;
        for (Index b = 0; b < count; ++b) slice[b] = lines[b * points + place];
        for (Index a = 0; a < count; ++a) {
            Entry total{};
            for (Index b = 0; b < count; ++b)
                if (none[a - b] == 0) total = total + spectra_here[a - b] * slice[b];
            lines[a * points + place] = total;
        }
    }
}

template <class Scalar>
MaskProduct<Scalar>::Workspace::Workspace(const MaskProduct& product)
    : lines(static_cast<std::size_t>(product.size())),
      slice(static_cast<std::size_t>(product.spectra_->blocks.count)) {}

template <class Scalar>
MaskProduct<Scalar>::MaskProduct(const ToeplitzMask& mask, const MaskBlocks& blocks)
    : spectra_(std::make_unique<Spectra>(mask, blocks)) {
    spectra_->twists.resize(static_cast<std::size_t>(parts() * size()));
    spectra_->spectra.resize(static_cast<std::size_t>(parts() * blocks.points() * spectra_->differences()));
    for (Index part = 0; part < parts(); ++part) {
        const auto skew = skew_levels(blocks.grid, part);
        spectra_->add_twists(part, skew);
        spectra_->add_part(mask, part, skew);
    }
}

template <class Scalar>
MaskProduct<Scalar>::~MaskProduct() = default;

template <class Scalar>
Index MaskProduct<Scalar>::parts() const {
    return spectra_->blocks.parts();
}

template <class Scalar>
Index MaskProduct<Scalar>::size() const {
    return spectra_->blocks.points() * spectra_->blocks.count;
}

template <class Scalar>
Index MaskProduct<Scalar>::place(Index token) const {
    const Offset &lengths = spectra_->lengths, &grid = spectra_->blocks.grid;
    const Index row = token / lengths[2];
    // Along the levels before the one that is cut there is one place: blocks follow each other.
    return (row / lengths[1] * grid[1] + row % lengths[1]) * grid[2] + token % lengths[2];
}

template <class Scalar>
const typename MaskProduct<Scalar>::Complex* MaskProduct<Scalar>::twist(Index part) const {
    return spectra_->twists.data() + part * size();
}

template <class Scalar>
void MaskProduct<Scalar>::multiply(Index part, Workspace& workspace, Index groups, const Factors* left,
                                   const Factors* right, const Complex* twisted, Complex* sum) const {
    std::fill_n(sum, size(), Complex());
    auto* const lines = workspace.lines.data();
    const Index points = spectra_->blocks.points();
    for (Index group = 0; group < groups; ++group, left += size(), right += size()) {
        // One group of features: right_m times D_p x, one feature in every lane, block by block into the spectra.
        for (Index first = 0; first < size(); first += points) {
            for (Index n = first; n < first + points; ++n)
                lines[n] = {right[n].values * twisted[n].real(), right[n].values * twisted[n].imag()};
            spectra_->fourier.forward(lines + first);
        }
        spectra_->multiply(part, lines, workspace.slice.data());
        // And back; left_m times it is summed over the lanes, that is, over the features of the group.
        for (Index first = 0; first < size(); first += points) {
            spectra_->fourier.back(lines + first);
            for (Index n = first; n < first + points; ++n) {
                const auto& factors = left[n].values;
                sum[n] += transforms::sum_of_lanes<Scalar>({factors * lines[n].real, factors * lines[n].imaginary});
            }
        }
    }
}

template class MaskProduct<float>;
template class MaskProduct<double>;

}  // namespace rfbench::attention
