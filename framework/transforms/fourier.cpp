#include "rfbench/transforms/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "rfbench/transforms/butterflies.hpp"

namespace rfbench::transforms {
namespace {

/// Blocks of so many bytes stay in the first-level cache: they are taken through all that is left to do.
constexpr Index cache_bytes = 32768;

/// The radices of a length, those with fast butterflies first. Eight complex entries fill half of 32 registers.
std::vector<Index> radices(Index length) {
    std::vector<Index> found;
    const auto take = [&](Index radix) {
        for (; length % radix == 0; length /= radix) found.push_back(radix);
    };
    if (register_bytes == 64) take(8);
    for (const Index radix : {4, 2, 3, 5}) take(radix);
    Index prime = 7;
    while (length > 1) {
        take(prime * prime > length ? length : prime);
        prime += 2;
    }
    return found;
}

/// One step of the transform of every block of `radix` times `span` entries: butterflies over the radix, and factors.
/// Transforms of the blocks of `span` entries remain. A factor belongs to `inner` entries: the lines that later
/// coordinates make.
template <class Scalar>
struct Step {
    Index radix, span, inner;
    std::size_t level;
    std::vector<std::complex<Scalar>> factors;  // radix - 1 for each `inner` entries of the span
    std::vector<std::complex<Scalar>> roots;    // e^(-2 pi i n / radix), of radices that have no butterfly
};

/// Steps go forward from long blocks to short ones and multiply by factors last; back they go the other way and
/// multiply first, with real and imaginary parts swapped on the way in and out: then roots are conjugate.
enum class Way { forward, back };

template <Way way, class Scalar>
[[gnu::always_inline]] inline ComplexLanes<Scalar> swapped_if_back(const ComplexLanes<Scalar>& entry) {
    return way == Way::forward ? entry : entry.swapped();
}

template <int n, Way way, class Scalar>
void take_block(const Step<Scalar>& step, ComplexLanes<Scalar>* block) {
    using Complex = ComplexLanes<Scalar>;
    const Index span = step.span;
    const std::complex<Scalar>* factors = step.factors.data();
    for (Index from = 0; from < span; from += step.inner, factors += n - 1)
        for (Index i = from; i < from + step.inner; ++i) {
            Complex x[n];
            for (int j = 0; j < n; ++j) x[j] = swapped_if_back<way>(block[i + j * span]);
            if (way == Way::back)
                for (int j = 1; j < n; ++j) x[j] = factors[j - 1] * x[j];
            butterfly<n>(x);
            if (way == Way::forward)
                for (int j = 1; j < n; ++j) x[j] = factors[j - 1] * x[j];
            for (int j = 0; j < n; ++j) block[i + j * span] = swapped_if_back<way>(x[j]);
        }
}

/// The same for any prime p: sums and differences of x_j and x_(p-j) meet cosines and sines.
template <Way way, class Scalar>
void take_block_of_prime(const Step<Scalar>& step, ComplexLanes<Scalar>* block) {
    using Complex = ComplexLanes<Scalar>;
    // With e_j = x_j + x_(p-j) and o_j = x_j - x_(p-j), X_k and X_(p-k) are sum_j cos(2 pi jk / p) e_j minus and plus i
    // sum_j sin(2 pi jk / p) o_j: half the products of a matrix of roots, and real factors.
    const Index p = step.radix, span = step.span;
    std::vector<Complex> x(static_cast<std::size_t>(p));
    const std::complex<Scalar>* factors = step.factors.data();
    for (Index from = 0; from < span; from += step.inner, factors += p - 1)
        for (Index i = from; i < from + step.inner; ++i) {
            for (Index j = 0; j < p; ++j) {
                Complex entry = swapped_if_back<way>(block[i + j * span]);
                if (way == Way::back && j > 0) entry = factors[j - 1] * entry;
                x[j] = entry;
            }
            // x_j becomes e_j and x_(p-j) becomes o_j; all of them together are X_0.
            Complex total = x[0];
            for (Index j = 1; j <= p / 2; ++j) {
                const Complex sum = x[j] + x[p - j];
                x[p - j] = x[j] - x[p - j];
                x[j] = sum;
                total = total + sum;
            }
            const auto put = [&](Index j, Complex entry) {
                if (way == Way::forward) entry = factors[j - 1] * entry;
                block[i + j * span] = swapped_if_back<way>(entry);
            };
            block[i] = swapped_if_back<way>(total);
            for (Index k = 1; k <= p / 2; ++k) {
                Complex even = x[0], odd{};
                // n = jk mod p; a root's imaginary part is minus the sine.
                for (Index j = 1, n = k; j <= p / 2; ++j, n = n + k >= p ? n + k - p : n + k) {
                    even = even + step.roots[n].real() * x[j];
                    odd = odd + step.roots[n].imag() * x[p - j];
                }
                put(k, even + odd.times_i());
                put(p - k, even - odd.times_i());
            }
        }
}

template <Way way, class Scalar>
void take(const Step<Scalar>& step, ComplexLanes<Scalar>* block) {
    switch (step.radix) {
        case 2: return take_block<2, way>(step, block);
        case 3: return take_block<3, way>(step, block);
        case 4: return take_block<4, way>(step, block);
        case 5: return take_block<5, way>(step, block);
        case 8: return take_block<8, way>(step, block);
        default: return take_block_of_prime<way>(step, block);
    }
}

/// e^(-2 pi i n / length)
template <class Scalar>
std::complex<Scalar> root(Index n, Index length) {
    const std::complex<double> exact =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n % length) / static_cast<double>(length));
    return {static_cast<Scalar>(exact.real()), static_cast<Scalar>(exact.imag())};
}

}  // namespace

template <class Scalar>
struct Fourier<Scalar>::Plan {
    Grid grid;
    Index points = 1;
    std::vector<Step<Scalar>> steps;

    explicit Plan(const Grid& lengths) : grid(lengths) {
        for (const Index length : grid) points *= length;
        // Level by level; within one, each step cuts the blocks into `radix` shorter ones (decimation in frequency),
        // and the factors of place k in a short block are e^(-2 pi i jk / length).
        Index inner = points;
        for (std::size_t level = 0; level < grid.size(); ++level) {
            Index length = grid[level];
            inner /= length;
            for (const Index radix : radices(length)) {
                Step<Scalar> step{radix, length / radix * inner, inner, level, {}, {}};
                for (Index k = 0; k < length / radix; ++k)
                    for (Index j = 1; j < radix; ++j) step.factors.push_back(root<Scalar>(j * k, length));
                if (radix > 5 && radix != 8)
                    for (Index n = 0; n < radix; ++n) step.roots.push_back(root<Scalar>(n, radix));
                steps.push_back(std::move(step));
                length /= radix;
            }
        }
    }

    /// Steps from number `first` on, of one block.
    template <Way way>
    void transform(std::size_t first, ComplexLanes<Scalar>* block) const {
        if (first == steps.size()) return;
        const Step<Scalar>& step = steps[first];
        const Index size = step.radix * step.span;
        // A block that fits the cache takes all steps that are left; a longer one takes one step and then, part after
        // part, the others (on the way back the parts come first). Entries meet the same operations either way.
        if (size * static_cast<Index>(sizeof *block) <= cache_bytes) {
            step_by_step<way>(first, block, size);
            return;
        }
        if (way == Way::forward) take<way>(step, block);
        for (Index from = 0; from < size; from += step.span) transform<way>(first + 1, block + from);
        if (way == Way::back) take<way>(step, block);
    }

    /// The same step by step, each of all its blocks.
    template <Way way>
    void step_by_step(std::size_t first, ComplexLanes<Scalar>* block, Index size) const {
        const std::size_t count = steps.size() - first;
        for (std::size_t turn = 0; turn < count; ++turn) {
            const Step<Scalar>& step = steps[way == Way::forward ? first + turn : steps.size() - 1 - turn];
            for (Index from = 0; from < size; from += step.radix * step.span) take<way>(step, block + from);
        }
    }
};

template <class Scalar>
Fourier<Scalar>::Fourier(const Grid& grid) : plan_(std::make_unique<Plan>(grid)) {}

template <class Scalar>
Fourier<Scalar>::~Fourier() = default;

template <class Scalar>
Index Fourier<Scalar>::points() const {
    return plan_->points;
}

template <class Scalar>
Index Fourier<Scalar>::place(const Grid& frequency) const {
    Grid rest = frequency;
    Index place = 0;
    // Decimation in frequency leaves the digits of a frequency reversed: its remainder by the first radix says in which
    // of the largest parts it is.
    for (const auto& step : plan_->steps) {
        Index& own = rest[step.level];
        place += own % step.radix * step.span;
        own /= step.radix;
    }
    return place;
}

template <class Scalar>
void Fourier<Scalar>::forward(ComplexLanes<Scalar>* entries) const {
    plan_->template transform<Way::forward>(0, entries);
}

template <class Scalar>
void Fourier<Scalar>::back(ComplexLanes<Scalar>* entries) const {
    plan_->template transform<Way::back>(0, entries);
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace rfbench::transforms
