#include <algorithm>
#include <cmath>

#include "rfbench/random/box_muller.hpp"
#include "rfbench/random/square_roots.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/random/words.hpp"

namespace rfbench {
namespace {

constexpr Index batch = 2 * Index{Words::batch};  // numbers from one call of Words::read

// One batch of each law from the words of a stream, two numbers a block, in the order of the stream.
struct Normal {
    static void from(int count, const std::uint64_t* even, const std::uint64_t* odd, double* out) {
        alignas(64) double radius[Words::batch];
        for (int i = 0; i < count; ++i) radius[i] = box_muller::squared_radius(even[i]);
        square_roots(radius, count);
        for (Index i = 0; i < count; ++i) {
            const box_muller::Pair pair = box_muller::turned(radius[i], odd[i]);
            out[2 * i] = pair.first;
            out[2 * i + 1] = pair.second;
        }
    }
};
struct Uniform {
    static void from(int count, const std::uint64_t* even, const std::uint64_t* odd, double* out) {
        for (Index i = 0; i < count; ++i) {
            out[2 * i] = elementary::open_unit(even[i]);
            out[2 * i + 1] = elementary::open_unit(odd[i]);
        }
    }
};

template <class Law>
void fill_batch(const Words& words, std::uint64_t first, int blocks, double* out) {
    alignas(64) std::uint64_t even[Words::batch], odd[Words::batch];
    words.read(first, blocks, even, odd);
    Law::from(blocks, even, odd, out);
}

template <class Law>
void fill(const Stream& stream, Eigen::Ref<Eigen::MatrixXd> out) {
    const Words words(stream);
    const bool contiguous = out.outerStride() == out.rows();
    const Index size = out.size();
    alignas(64) double buffer[batch];

    for (Index start = 0; start < size; start += batch) {
        const Index count = std::min(batch, size - start);
        const auto first = static_cast<std::uint64_t>(start / 2);
        if (contiguous && count == batch) {
            fill_batch<Law>(words, first, Words::batch, out.data() + start);
            continue;
        }

        // The last batch, or columns that do not follow one another.
        constexpr int step = Words::lanes;
        fill_batch<Law>(words, first, (static_cast<int>(count) + 2 * step - 1) / (2 * step) * step, buffer);
        Index row = start % out.rows(), column = start / out.rows();
        for (Index k = 0; k < count; ++k) {
            out(row, column) = buffer[k];
            if (++row == out.rows()) row = 0, ++column;
        }
    }
}

}  // namespace

double Stream::normal() {
    const std::uint64_t radius_word = bits(), angle_word = bits();
    return box_muller::turned(std::sqrt(box_muller::squared_radius(radius_word)), angle_word).first;
}

void fill_normal(Stream stream, Eigen::Ref<Eigen::MatrixXd> out) { fill<Normal>(stream, out); }
void fill_uniform(Stream stream, Eigen::Ref<Eigen::MatrixXd> out) { fill<Uniform>(stream, out); }

}  // namespace rfbench
