#include "rfbench/attention/mask_product.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <vector>

#include "rfbench/attention/complex_slice.hpp"
#include "rfbench/products/planning.hpp"

namespace rfbench::attention {
namespace {

using Offset = ToeplitzMask::Offset;

/// FFTW's names for one precision.
template <class Scalar>
struct Fftw;
template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    static Plan plan(const int* n, Complex* in, Complex* out, int sign) {
        return fftw_plan_dft(3, n, in, out, sign, FFTW_ESTIMATE);
    }
    static void run(Plan plan, Complex* in, Complex* out) { fftw_execute_dft(plan, in, out); }
    static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};
template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    static Plan plan(const int* n, Complex* in, Complex* out, int sign) {
        return fftwf_plan_dft(3, n, in, out, sign, FFTW_ESTIMATE);
    }
    static void run(Plan plan, Complex* in, Complex* out) { fftwf_execute_dft(plan, in, out); }
    static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

/// Zeros, aligned to the widest vectors wherever they are: what is rounded how never depends on an address.
template <class Scalar>
struct Line {
    static constexpr std::align_val_t alignment{64};

    explicit Line(Index scalars)
        : data(static_cast<Scalar*>(operator new(sizeof(Scalar) * static_cast<std::size_t>(scalars), alignment))) {
        std::uninitialized_fill_n(data, scalars, Scalar(0));
    }
    ~Line() { operator delete(data, alignment); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    Scalar* data;
};

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

/// What makes the skew levels of a part circulant: e^(-i pi place / length) along each.
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
    using Engine = Fftw<Scalar>;
    using Part = ComplexSlice<Scalar>;

    explicit Spectra(const MaskBlocks& own)
        : blocks(own),
          block((own.points() + Part::entries - 1) / Part::entries * Part::entries),
          twists(2 * own.parts() * own.count * block),
          lines(2 * own.parts() * (2 * own.count - 1) * block) {}

    Index differences() const { return 2 * blocks.count - 1; }
    /// Where the slice of spectrum S_p(a - b) that begins at scalar `from` is.
    Scalar* at(Index part, Index difference, Index from) const {
        return lines.data + part * differences() * 2 * block + from * differences() +
               (difference + blocks.count - 1) * Part::scalars;
    }
    bool is_empty(Index part, Index difference) const {
        return empty[static_cast<std::size_t>(part * differences() + difference + blocks.count - 1)] != 0;
    }
    /// in_a = sum_b S_p(a - b) in_b; slices is memory for one slice of each.
    void multiply(Index part, Scalar* in, Scalar* slices) const;

    static typename Engine::Complex* fftw(Scalar* line) { return reinterpret_cast<typename Engine::Complex*>(line); }

    MaskBlocks blocks;
    Offset lengths;
    Index block;  // entries of a block's line
    typename Engine::Plan forward, back;
    Line<Scalar> twists;
    Line<Scalar> lines;  // slice by slice, all differences of one beside each other: as multiply() reads them
    std::vector<unsigned char> empty;  // whether there are zeros only
};

template <class Scalar>
void MaskProduct<Scalar>::Spectra::multiply(Index part, Scalar* in, Scalar* slices) const {
    for (Index from = 0; from < 2 * block; from += Part::scalars) {
        for (Index b = 0; b < blocks.count; ++b) Part(in + 2 * b * block + from).store(slices + b * Part::scalars);
        for (Index a = 0; a < blocks.count; ++a) {
            Part straight, turned;
            for (Index b = 0; b < blocks.count; ++b) {
                if (is_empty(part, a - b)) continue;
                const Part spectrum(at(part, a - b, from)), line(slices + b * Part::scalars);
                straight.add(spectrum.real(), line);
                turned.add(spectrum.imaginary(), line);
            }
            (straight + turned.turned()).store(in + 2 * a * block + from);
        }
    }
}

template <class Scalar>
struct MaskProduct<Scalar>::Workspace::Buffers {
    Buffers(Index block_entries, Index count)
        : block(2 * block_entries), line(2 * count * block_entries), slices(count * ComplexSlice<Scalar>::scalars) {}
    Line<Scalar> block, line, slices;
};

template <class Scalar>
MaskProduct<Scalar>::Workspace::Workspace(const MaskProduct& product)
    : buffers_(std::make_unique<Buffers>(product.spectra_->block, product.spectra_->blocks.count)) {}

template <class Scalar>
MaskProduct<Scalar>::Workspace::~Workspace() = default;

template <class Scalar>
MaskProduct<Scalar>::MaskProduct(const ToeplitzMask& mask, const MaskBlocks& blocks)
    : spectra_(std::make_unique<Spectra>(blocks)) {
    Spectra& own = *spectra_;
    own.lengths = mask.lengths();
    Line<Scalar> column(2 * own.block), spectrum(2 * own.block);
    {
        const std::array<int, 3> grid{static_cast<int>(blocks.grid[0]), static_cast<int>(blocks.grid[1]),
                                      static_cast<int>(blocks.grid[2])};
        const std::lock_guard lock(products::planning());
        own.forward = Fftw<Scalar>::plan(grid.data(), own.fftw(column.data), own.fftw(spectrum.data), FFTW_FORWARD);
        own.back = Fftw<Scalar>::plan(grid.data(), own.fftw(spectrum.data), own.fftw(column.data), FFTW_BACKWARD);
    }
    const double scale = 1 / static_cast<double>(blocks.points() * blocks.parts());
    for (Index part = 0; part < blocks.parts(); ++part) {
        const auto skew = skew_levels(blocks.grid, part);
        for_places(blocks.grid, [&](Index place, const Offset& at) {
            const std::complex<double> twist = twist_at(blocks.grid, skew, at);
            for (Index b = 0; b < blocks.count; ++b) {
                Scalar* const entry = own.twists.data + 2 * (part * size() + b * own.block + place);
                entry[0] = static_cast<Scalar>(twist.real());
                entry[1] = static_cast<Scalar>(twist.imag());
            }
        });
        for (Index difference = 1 - blocks.count; difference < blocks.count; ++difference) {
            bool empty = true;
            for_places(blocks.grid, [&](Index place, const Offset& offset) {
                const double entry = scale * wrapped(mask, blocks, skew, difference, offset);
                empty = empty && entry == 0;
                const std::complex<double> twisted = entry * twist_at(blocks.grid, skew, offset);
                column.data[2 * place] = static_cast<Scalar>(twisted.real());
                column.data[2 * place + 1] = static_cast<Scalar>(twisted.imag());
            });
            own.empty.push_back(empty ? 1 : 0);
            Fftw<Scalar>::run(own.forward, own.fftw(column.data), own.fftw(spectrum.data));
            for (Index from = 0; from < 2 * own.block; from += ComplexSlice<Scalar>::scalars)
                ComplexSlice<Scalar>(spectrum.data + from).store(own.at(part, difference, from));
        }
    }
}

template <class Scalar>
MaskProduct<Scalar>::~MaskProduct() {
    const std::lock_guard lock(products::planning());
    Fftw<Scalar>::destroy(spectra_->forward);
    Fftw<Scalar>::destroy(spectra_->back);
}

template <class Scalar>
Index MaskProduct<Scalar>::parts() const {
    return spectra_->blocks.parts();
}

template <class Scalar>
Index MaskProduct<Scalar>::size() const {
    return spectra_->block * spectra_->blocks.count;
}

template <class Scalar>
Index MaskProduct<Scalar>::place(Index token) const {
    const Offset &lengths = spectra_->lengths, &grid = spectra_->blocks.grid;
    const Index row = token / lengths[2];
    // Along the levels before the one that is cut there is one place.
    const Index place = (row / lengths[1] * grid[1] + row % lengths[1]) * grid[2] + token % lengths[2];
    const Index points = spectra_->blocks.points();
    return place / points * spectra_->block + place % points;
}

template <class Scalar>
const typename MaskProduct<Scalar>::Complex* MaskProduct<Scalar>::twist(Index part) const {
    return reinterpret_cast<const Complex*>(spectra_->twists.data) + part * size();
}

template <class Scalar>
void MaskProduct<Scalar>::add(Index part, Workspace& workspace, const Scalar* left, const Scalar* right,
                              const Complex* twisted, Complex* sum) const {
    using Part = ComplexSlice<Scalar>;
    const Spectra& own = *spectra_;
    auto& [block, line, slices] = *workspace.buffers_;
    const auto* const entries = reinterpret_cast<const Scalar*>(twisted);
    auto* const sums = reinterpret_cast<Scalar*>(sum);
    for (Index first = 0; first < size(); first += own.block) {
        for (Index n = 0; n < own.block; n += Part::entries) {
            Part product;
            product.add(Part::doubled(right + first + n), Part(entries + 2 * (first + n)));
            product.store(block.data + 2 * n);
        }
        Fftw<Scalar>::run(own.forward, own.fftw(block.data), own.fftw(line.data + 2 * first));
    }
    own.multiply(part, line.data, slices.data);
    for (Index first = 0; first < size(); first += own.block) {
        Fftw<Scalar>::run(own.back, own.fftw(line.data + 2 * first), own.fftw(block.data));
        for (Index n = 0; n < own.block; n += Part::entries) {
            Part total(sums + 2 * (first + n));
            total.add(Part::doubled(left + first + n), Part(block.data + 2 * n));
            total.store(sums + 2 * (first + n));
        }
    }
}

template class MaskProduct<float>;
template class MaskProduct<double>;

}  // namespace rfbench::attention
