#include "rfbench/attention/mask_product.hpp"

#include <fftw3.h>

#include <algorithm>
#include <complex>
#include <new>

#include "rfbench/products/planning.hpp"

namespace rfbench::attention {
namespace {

/// FFTW's names for one precision.
template <class Scalar>
struct Fftw;
template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    static Plan plan_forward(int levels, const int* n, double* in, Complex* out) {
        return fftw_plan_dft_r2c(levels, n, in, out, FFTW_ESTIMATE);
    }
    static Plan plan_back(int levels, const int* n, Complex* in, double* out) {
        return fftw_plan_dft_c2r(levels, n, in, out, FFTW_ESTIMATE);
    }
    static void run(Plan plan, double* in, Complex* out) { fftw_execute_dft_r2c(plan, in, out); }
    static void run(Plan plan, Complex* in, double* out) { fftw_execute_dft_c2r(plan, in, out); }
    static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};
template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    static Plan plan_forward(int levels, const int* n, float* in, Complex* out) {
        return fftwf_plan_dft_r2c(levels, n, in, out, FFTW_ESTIMATE);
    }
    static Plan plan_back(int levels, const int* n, Complex* in, float* out) {
        return fftwf_plan_dft_c2r(levels, n, in, out, FFTW_ESTIMATE);
    }
    static void run(Plan plan, float* in, Complex* out) { fftwf_execute_dft_r2c(plan, in, out); }
    static void run(Plan plan, Complex* in, float* out) { fftwf_execute_dft_c2r(plan, in, out); }
    static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

/// Zeros, aligned to the widest vectors wherever they are: what is rounded how never depends on an address.
template <class Entry>
struct Buffer {
    static constexpr std::align_val_t alignment{64};

    explicit Buffer(Index size)
        : data(static_cast<Entry*>(operator new(sizeof(Entry) * static_cast<std::size_t>(size), alignment))) {
        std::uninitialized_fill_n(data, size, Entry());
    }
    ~Buffer() { operator delete(data, alignment); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Entry* data;
};

/// The least 2^a 3^b 5^c that is not below `least`.
Index smooth(Index least) {
    for (Index size = least;; ++size) {
        Index rest = size;
        for (const Index prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return size;
    }
}

/// The circulant grid, three levels whatever the mask has.
std::array<int, 3> circulant_grid(const ToeplitzMask& mask) {
    std::array<int, 3> grid{1, 1, 1};
    for (std::size_t level = 0; level < 3; ++level)
        grid[level] = static_cast<int>(smooth(std::max<Index>(1, 2 * mask.lengths()[level] - 1)));
    return grid;
}

}  // namespace

Index circulant_size(const ToeplitzMask& mask) {
    const auto grid = circulant_grid(mask);
    return Index{grid[0]} * grid[1] * grid[2];
}

template <class Scalar>
struct MaskProduct<Scalar>::Workspace::Buffers {
    Buffers(Index real, Index complex) : in(real), out(real), spectrum(complex) {}
    typename Fftw<Scalar>::Complex* transformed() {
        return reinterpret_cast<typename Fftw<Scalar>::Complex*>(spectrum.data);
    }
    Buffer<Scalar> in, out;  // in is zero beyond the mask's own grid
    Buffer<std::complex<Scalar>> spectrum;
};

template <class Scalar>
struct MaskProduct<Scalar>::Plans {
    ToeplitzMask::Offset lengths;
    std::array<int, 3> grid;
    Index real, complex;
    typename Fftw<Scalar>::Plan forward, back;
    std::vector<std::complex<Scalar>> spectrum;  // of the mask, over N

    /// Calls body(tokens' first, place on the circulant grid, number of them) for every line of the grid.
    template <class Body>
    void for_lines(Body body) const {
        for (Index a = 0; a < lengths[0]; ++a)
            for (Index b = 0; b < lengths[1]; ++b)
                body((a * lengths[1] + b) * lengths[2], (a * grid[1] + b) * grid[2], lengths[2]);
    }
};

template <class Scalar>
MaskProduct<Scalar>::Workspace::Workspace(const MaskProduct& product)
    : buffers_(std::make_unique<Buffers>(product.plans_->real, product.plans_->complex)) {}

template <class Scalar>
MaskProduct<Scalar>::Workspace::~Workspace() = default;

template <class Scalar>
MaskProduct<Scalar>::MaskProduct(const ToeplitzMask& mask) : plans_(std::make_unique<Plans>()) {
    Plans& own = *plans_;
    own.lengths = mask.lengths();
    own.grid = circulant_grid(mask);
    own.real = circulant_size(mask);
    own.complex = Index{own.grid[0]} * own.grid[1] * (own.grid[2] / 2 + 1);
    Workspace workspace(*this);
    auto& buffers = *workspace.buffers_;
    {
        const std::lock_guard lock(products::planning());
        own.forward = Fftw<Scalar>::plan_forward(3, own.grid.data(), buffers.in.data, buffers.transformed());
        own.back = Fftw<Scalar>::plan_back(3, own.grid.data(), buffers.transformed(), buffers.out.data);
    }
    if (mask.length() == 0) return;

    // First column of the circulant mask: offsets below zero come in from the far end.
    const auto wrapped = [](Index offset, int size) { return offset < 0 ? offset + size : offset; };
    for (Index a = 1 - own.lengths[0]; a < own.lengths[0]; ++a)
        for (Index b = 1 - own.lengths[1]; b < own.lengths[1]; ++b)
            for (Index c = 1 - own.lengths[2]; c < own.lengths[2]; ++c)
                buffers.in.data[(wrapped(a, own.grid[0]) * own.grid[1] + wrapped(b, own.grid[1])) * own.grid[2] +
                                wrapped(c, own.grid[2])] = static_cast<Scalar>(mask.at({a, b, c}));
    Fftw<Scalar>::run(own.forward, buffers.in.data, buffers.transformed());
    own.spectrum.assign(buffers.spectrum.data, buffers.spectrum.data + own.complex);
    for (auto& entry : own.spectrum) entry /= static_cast<Scalar>(own.real);
}

template <class Scalar>
MaskProduct<Scalar>::~MaskProduct() {
    const std::lock_guard lock(products::planning());
    Fftw<Scalar>::destroy(plans_->forward);
    Fftw<Scalar>::destroy(plans_->back);
}

template <class Scalar>
void MaskProduct<Scalar>::apply(Workspace& workspace, const Scalar* in, Scalar* out) const {
    auto& buffers = *workspace.buffers_;
    plans_->for_lines([&](Index token, Index at, Index n) { std::copy_n(in + token, n, buffers.in.data + at); });
    Fftw<Scalar>::run(plans_->forward, buffers.in.data, buffers.transformed());
    using Spectrum = Eigen::Array<std::complex<Scalar>, Eigen::Dynamic, 1>;
    Eigen::Map<Spectrum> product(buffers.spectrum.data, plans_->complex);
    product *= Eigen::Map<const Spectrum>(plans_->spectrum.data(), plans_->complex);
    Fftw<Scalar>::run(plans_->back, buffers.transformed(), buffers.out.data);
    plans_->for_lines([&](Index token, Index at, Index n) { std::copy_n(buffers.out.data + at, n, out + token); });
}

template class MaskProduct<float>;
template class MaskProduct<double>;

}  // namespace rfbench::attention
