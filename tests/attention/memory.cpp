// How much memory attention takes beyond what it is given, counted allocation by allocation.
#include "rfbench/memory/high_water_mark.hpp"

#include "catch.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"

using namespace rfbench;
using namespace rfbench::attention;

namespace {

constexpr Index d = 64, count = 256;

Rows<float> tokens(Index length, std::uint64_t seed) {
    Rows<float> rows(length, d);
    Stream stream(seed);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(stream.uniform()) - 0.5f;
    return rows;
}

std::size_t bytes_of(const Rows<float>& rows) { return static_cast<std::size_t>(rows.size()) * sizeof(float); }

SoftmaxMap positive_map() {
    return softmax_map(*features::fit(features::find("positive"), {}), d, count, sampling::find("orthogonal"), Stream(4));
}

/// The high-water mark of `attend` (inputs, out), which makes its output, less that output.
template <class Attend>
std::size_t beyond_output(Index length, Attend attend) {
    const Rows<float> q = tokens(length, 1), k = tokens(length, 2), v = tokens(length, 3);
    const memory::HighWaterMark mark;
    Rows<float> out;
    attend(Inputs<float>{q, k, v}, out);
    return mark.bytes() - bytes_of(out);
}

}  // namespace

TEST_CASE("the peak memory of linear attention at L = 2^17 is below three times its inputs and its output") {
    const Index length = Index(1) << 17;
    const auto map = positive_map();
    const std::size_t rows = static_cast<std::size_t>(length * d) * sizeof(float);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const std::size_t beyond = beyond_output(
            length, [&](const Inputs<float>& in, Rows<float>& out) { linear<float>(map, in, visible, out); });
        INFO(beyond << " bytes beside " << 4 * rows << " of inputs and output");
        CHECK(4 * rows + beyond < 3 * 4 * rows);
        // Features live in tiles only: those of all keys would be four times the output.
        CHECK(beyond < rows / 4);
    }
}

TEST_CASE("what linear attention, its gradients and exact attention keep beside inputs and outputs hardly grows with L") {
    const auto map = positive_map();
    const Index lengths[] = {1 << 14, 1 << 16};
    for (const Visible visible : {Visible::all, Visible::causal}) {
        std::size_t of_linear[2], of_gradients[2];
        for (int i = 0; i < 2; ++i) {
            of_linear[i] = beyond_output(
                lengths[i], [&](const Inputs<float>& in, Rows<float>& out) { linear<float>(map, in, visible, out); });
            const Rows<float> weights = tokens(lengths[i], 5);
            of_gradients[i] = beyond_output(lengths[i], [&](const Inputs<float>& in, Rows<float>& out) {
                Gradients<float> gradients;
                backward<float>(map, in, visible, weights, gradients);
                out = weights;
            });
        }
        INFO(of_linear[0] << " and " << of_linear[1] << ", " << of_gradients[0] << " and " << of_gradients[1]);
        // Four times the tokens; states and tiles are as many.
        CHECK(of_linear[1] < of_linear[0] + of_linear[0] / 2);
        CHECK(of_gradients[1] < 5 * of_gradients[0]);
    }
}
