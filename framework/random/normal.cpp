#include <algorithm>
#include <cmath>

#include "rfbench/random/elementary.hpp"
#include "rfbench/random/square_roots.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/random/words.hpp"

namespace rfbench {
namespace {

constexpr double quarter_pi = 0x1.921fb54442d18p-1;
constexpr Index batch = 2 * Words::batch;  // numbers from one call of Words::read

struct Pair {
    double first, second;
};

// Box and Muller: r (cos a, sin a) with r = sqrt(-2 log u), u >= 2^-53, so that lengths reach 8.57.
inline double squared_radius(std::uint64_t word) { return -2 * elementary::log(elementary::open_unit(word)); }

// The angle is drawn in the first octant; three spare bits of the word reflect it into the others.
inline Pair turned(double r, std::uint64_t word) {
    const double angle = quarter_pi * elementary::open_unit(word);
    const double s = r * elementary::sin_octant(angle), c = r * elementary::cos_octant(angle);

    const std::uint64_t sin_bits = std::bit_cast<std::uint64_t>(s), cos_bits = std::bit_cast<std::uint64_t>(c);
    const std::uint64_t swap = (0 - (word & 1)) & (sin_bits ^ cos_bits);
    return {std::bit_cast<double>(cos_bits ^ swap ^ (word & 2) << 62),
            std::bit_cast<double>(sin_bits ^ swap ^ (word & 4) << 61)};
}

// One batch of each law from the words of a stream, two numbers a block, in the order of the stream.
struct Normal {
    static void from(const std::uint64_t* even, const std::uint64_t* odd, double* out) {
        alignas(64) double radius[Words::batch];
        for (int i = 0; i < Words::batch; ++i) radius[i] = squared_radius(even[i]);
        square_roots(radius, Words::batch);
        for (int i = 0; i < Words::batch; ++i) {
            const Pair pair = turned(radius[i], odd[i]);
            out[2 * i] = pair.first;
            out[2 * i + 1] = pair.second;
        }
    }
};
struct Uniform {
    static void from(const std::uint64_t* even, const std::uint64_t* odd, double* out) {
        for (int i = 0; i < Words::batch; ++i) {
            out[2 * i] = elementary::open_unit(even[i]);
            out[2 * i + 1] = elementary::open_unit(odd[i]);
        }
    }
};

template <class Law>
void fill_batch(const Words& words, std::uint64_t first_block, double* out) {
    alignas(64) std::uint64_t even[Words::batch], odd[Words::batch];
    words.read(first_block, even, odd);
    Law::from(even, odd, out);
}

template <class Law>
void fill(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> out) {
    const Words words(stream);
    const bool contiguous = out.outerStride() == out.rows();
    const Index size = out.size();
    alignas(64) double buffer[batch];

    for (Index start = 0; start < size; start += batch) {
        const Index count = std::min(batch, size - start);
        const auto block = static_cast<std::uint64_t>(start / 2);
        if (contiguous && count == batch) {
            fill_batch<Law>(words, block, out.data() + start);
            continue;
        }

        // The last batch, or columns that do not follow one another.
        fill_batch<Law>(words, block, buffer);
        for (Index k = 0; k < count; ++k) out((start + k) % out.rows(), (start + k) / out.rows()) = buffer[k];
    }
}

}  // namespace

double Stream::normal() {
    const std::uint64_t radius_word = bits(), angle_word = bits();
    return turned(std::sqrt(squared_radius(radius_word)), angle_word).first;
}

void fill_normal(Stream stream, Eigen::Ref<Eigen::MatrixXd> out) { fill<Normal>(stream, out); }
void fill_uniform(Stream stream, Eigen::Ref<Eigen::MatrixXd> out) { fill<Uniform>(stream, out); }

}  // namespace rfbench
