#include "rfbench/features/cosine_transforms.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rfbench/products/planning.hpp"

namespace rfbench::features {
namespace {

using sampling::CosineSide;

/// FFTW's names for one precision.
template <class Scalar>
struct Fftw;
template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    static Plan plan(int n, double* in, double* out, fftw_r2r_kind kind) {
        return fftw_plan_r2r_1d(n, in, out, kind, FFTW_ESTIMATE);
    }
    static void run(Plan plan, double* in, double* out) { fftw_execute_r2r(plan, in, out); }
    static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};
template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    static Plan plan(int n, float* in, float* out, fftw_r2r_kind kind) {
        return fftwf_plan_r2r_1d(n, in, out, kind, FFTW_ESTIMATE);
    }
    static void run(Plan plan, float* in, float* out) { fftwf_execute_r2r(plan, in, out); }
    static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

/// DCT-II, DCT-IV, DST-II, DST-IV, or their transposes.
std::array<fftw_r2r_kind, 4> kinds(CosineSide side) {
    if (side == CosineSide::rows) return {FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT10, FFTW_RODFT11};
    return {FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT01, FFTW_RODFT11};
}

}  // namespace

/// FFTW's transforms are sqrt(2d) times the orthonormal ones, but for one entry, the constant (or alternating) one of
/// the DCT-II and the DST-II: it comes out sqrt 2 times larger, and the transposes take it in sqrt 2 times larger.
template <class Scalar>
struct CosineTransforms<Scalar>::Plans {
    Plans(CosineSide which, Index d)
        : side(which), dimension(d), scale(static_cast<Scalar>(1 / std::sqrt(2 * static_cast<double>(d)))) {
        Eigen::Array<Scalar, Eigen::Dynamic, 1> in(d), out(d);
        const std::lock_guard lock(products::planning());
        for (std::size_t type = 0; type < plans.size(); ++type)
            plans[type] = Fftw<Scalar>::plan(static_cast<int>(d), in.data(), out.data(), kinds(side)[type]);
    }
    ~Plans() {
        const std::lock_guard lock(products::planning());
        for (const auto plan : plans) Fftw<Scalar>::destroy(plan);
    }

    /// The entry of transform `type` that has a factor of its own, or -1.
    Index special(Index type) const { return type == 0 ? 0 : type == 2 ? dimension - 1 : -1; }

    CosineSide side;
    Index dimension;
    Scalar scale;
    std::array<typename Fftw<Scalar>::Plan, 4> plans;
};

template <class Scalar>
CosineTransforms<Scalar>::CosineTransforms(CosineSide side, Index dimension)
    : plans_(std::make_unique<Plans>(side, dimension)) {}

template <class Scalar>
CosineTransforms<Scalar>::~CosineTransforms() = default;

template <class Scalar>
Index CosineTransforms<Scalar>::dimension() const {
    return plans_->dimension;
}

template <class Scalar>
void CosineTransforms<Scalar>::apply(const Scalar* x, Index count, Scalar* out, Workspace& workspace) const {
    const Index d = plans_->dimension;
    for (Index first = 0; first < count; first += d) {
        const Index type = first / d % 4, special = plans_->special(type), n = std::min(d, count - first);
        workspace.in = Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(x, d) * plans_->scale;
        if (special >= 0 && plans_->side == CosineSide::columns) workspace.in[special] *= static_cast<Scalar>(M_SQRT2);
        Fftw<Scalar>::run(plans_->plans[static_cast<std::size_t>(type)], workspace.in.data(), workspace.out.data());
        if (special >= 0 && plans_->side == CosineSide::rows) workspace.out[special] *= static_cast<Scalar>(M_SQRT1_2);
        std::copy_n(workspace.out.data(), n, out + first);
    }
}

template class CosineTransforms<float>;
template class CosineTransforms<double>;

}  // namespace rfbench::features
