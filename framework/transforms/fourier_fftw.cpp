// The transforms of fourier.hpp by FFTW, line by line. Whoever links this is under FFTW's licence, the GPL.
#include <fftw3.h>

#include <mutex>
#include <type_traits>

#include "rfbench/transforms/fourier.hpp"

namespace rfbench::transforms {
namespace {

/// FFTW's names for one precision.
template <class Scalar>
struct Fftw;
template <>
struct Fftw<double> {
    using Plan = fftw_plan;
    using Complex = fftw_complex;
    static Complex* line(Index entries) { return fftw_alloc_complex(static_cast<std::size_t>(entries)); }
    static void free(Complex* line) { fftw_free(line); }
    static Plan plan(const int* n, Complex* line, int sign) {
        return fftw_plan_dft(3, n, line, line, sign, FFTW_ESTIMATE);
    }
    static void run(Plan plan, Complex* line) { fftw_execute_dft(plan, line, line); }
    static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};
template <>
struct Fftw<float> {
    using Plan = fftwf_plan;
    using Complex = fftwf_complex;
    static Complex* line(Index entries) { return fftwf_alloc_complex(static_cast<std::size_t>(entries)); }
    static void free(Complex* line) { fftwf_free(line); }
    static Plan plan(const int* n, Complex* line, int sign) {
        return fftwf_plan_dft(3, n, line, line, sign, FFTW_ESTIMATE);
    }
    static void run(Plan plan, Complex* line) { fftwf_execute_dft(plan, line, line); }
    static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

/// FFTW makes and forgets plans in one thread at a time: whoever does either holds this.
std::mutex& planning() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

template <class Scalar>
struct Fourier<Scalar>::Plan {
    using Engine = Fftw<Scalar>;
    struct Free {
        void operator()(typename Engine::Complex* line) const { Engine::free(line); }
    };
    using Line = std::unique_ptr<typename Engine::Complex[], Free>;

    explicit Plan(const Grid& lengths) : grid(lengths) {
        const int n[3] = {static_cast<int>(grid[0]), static_cast<int>(grid[1]), static_cast<int>(grid[2])};
        const Line lines = make_lines();
        // By estimate: measured plans would give other bits from run to run.
        const std::lock_guard lock(planning());
        forward = Engine::plan(n, lines.get(), FFTW_FORWARD);
        back = Engine::plan(n, lines.get(), FFTW_BACKWARD);
    }
    ~Plan() {
        const std::lock_guard lock(planning());
        Engine::destroy(forward);
        Engine::destroy(back);
    }

    Index points() const { return grid[0] * grid[1] * grid[2]; }
    /// From line to line: whole registers, so that all begin alike, and not a power of two, which caches do not like.
    Index stride() const { return (points() + 15) / 8 * 8; }
    Line make_lines() const { return Line(Engine::line(lanes<Scalar> * stride())); }

    void run(typename Engine::Plan plan, ComplexLanes<Scalar>* entries) const {
        // Memory of the library's own, so that vectors begin where they do whatever the entries' address is.
        const Line lines = make_lines();
        for (Index n = 0; n < points(); ++n)
            for (Index lane = 0; lane < lanes<Scalar>; ++lane) {
                lines[lane * stride() + n][0] = entries[n].real[lane];
                lines[lane * stride() + n][1] = entries[n].imaginary[lane];
            }
        for (Index lane = 0; lane < lanes<Scalar>; ++lane) Engine::run(plan, &lines[lane * stride()]);
        for (Index n = 0; n < points(); ++n)
            for (Index lane = 0; lane < lanes<Scalar>; ++lane) {
                entries[n].real[lane] = lines[lane * stride() + n][0];
                entries[n].imaginary[lane] = lines[lane * stride() + n][1];
            }
    }

    Grid grid;
    typename Engine::Plan forward, back;
};

template <class Scalar>
Fourier<Scalar>::Fourier(const Grid& grid) : plan_(std::make_unique<Plan>(grid)) {}

template <class Scalar>
Fourier<Scalar>::~Fourier() = default;

template <class Scalar>
Index Fourier<Scalar>::points() const {
    return plan_->points();
}

template <class Scalar>
Index Fourier<Scalar>::place(const Grid& frequency) const {
    return (frequency[0] * plan_->grid[1] + frequency[1]) * plan_->grid[2] + frequency[2];
}

template <class Scalar>
void Fourier<Scalar>::forward(ComplexLanes<Scalar>* entries) const {
    plan_->run(plan_->forward, entries);
}

template <class Scalar>
void Fourier<Scalar>::back(ComplexLanes<Scalar>* entries) const {
    plan_->run(plan_->back, entries);
}

template class Fourier<float>;
template class Fourier<double>;

const char* implementation() { return fftw_version; }

}  // namespace rfbench::transforms
