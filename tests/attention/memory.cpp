// How much memory attention takes beyond what it is given, counted allocation by allocation.
#include "catch.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/memory/high_water_mark.hpp"

using namespace rfbench;
using namespace rfbench::attention;

namespace {

constexpr Index dimension = 64, columns = 256;

Rows<float> tokens(Index length, std::uint64_t seed) {
    Rows<float> rows(length, dimension);
    Stream stream(seed);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(stream.uniform()) - 0.5f;
    return rows;
}

std::size_t bytes_of(const Rows<float>& rows) { return static_cast<std::size_t>(rows.size()) * sizeof(float); }

SoftmaxMap positive_map() {
    return softmax_map(*features::fit(features::find("positive"), {}), dimension, columns, sampling::find("orthogonal"),
                       Stream(4));
}

/// The high-water mark of `attend` (inputs, results), less the results that it makes: so many matrices of L x d.
template <class Results, class Attend>
std::size_t beyond_results(Index length, std::size_t matrices, Attend attend) {
    const Rows<float> q = tokens(length, 1), k = tokens(length, 2), v = tokens(length, 3);
    const memory::HighWaterMark mark;
    Results results;
    attend(Inputs<float>{q, k, v}, results);
    return mark.bytes() - matrices * bytes_of(q);
}

std::size_t beyond_output(const SoftmaxMap& map, Index length, Visible visible) {
    return beyond_results<Rows<float>>(
        length, 1, [&](const Inputs<float>& in, Rows<float>& out) { linear<float>(map, in, visible, out); });
}

std::size_t beyond_gradients(const SoftmaxMap& map, Index length, Visible visible) {
    return beyond_results<Gradients<float>>(length, 3, [&](const Inputs<float>& in, Gradients<float>& out) {
        backward<float>(map, in, visible, in.values, out);
    });
}

}  // namespace

TEST_CASE("the peak memory of linear attention at L = 2^17 is below three times its inputs and its output") {
    const Index length = Index(1) << 17;
    const auto map = positive_map();
    const std::size_t rows = static_cast<std::size_t>(length * dimension) * sizeof(float);
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const std::size_t beyond = beyond_output(map, length, visible);
        INFO(beyond << " bytes beside " << 4 * rows << " of inputs and output");
        CHECK(4 * rows + beyond < 3 * (4 * rows));
        // Features live in tiles only: those of all keys would be four times the output.
        CHECK(beyond < rows / 4);
    }
}

TEST_CASE("beside inputs and output linear attention keeps the same for any L, gradients at most one matrix") {
    // From 2^15 on a sequence is cut into 32 parts (parts.hpp), each with one state.
    const Index shorter = 1 << 15, longer = 1 << 17;
    const auto map = positive_map();
    for (const Visible visible : {Visible::all, Visible::causal}) {
        const std::size_t least = beyond_output(map, shorter, visible), most = beyond_output(map, longer, visible);
        INFO(least << " bytes, and " << most << " for four times the tokens");
        // Which tiles' buffers are held at once differs from run to run by what threads do at the time.
        CHECK(most < least + least / 4);

        // Causally, the gradients of numerators (L x e) and denominators are kept from one pass to the next.
        const auto more = static_cast<std::size_t>((longer - shorter) * (dimension + 4)) * sizeof(float);
        const std::size_t few = beyond_gradients(map, shorter, visible), many = beyond_gradients(map, longer, visible);
        INFO(few << " bytes, and " << many << " of gradients; expected are " << more << " more");
        CHECK(many < few + more + few / 4);
    }
}

TEST_CASE("statistics of queries and keys make no copies of them") {
    const Points q = tokens(1 << 14, 1).cast<double>(), k = tokens(1 << 14, 2).cast<double>();
    const memory::HighWaterMark mark;
    softmax_statistics(q, k, features::PoissonMoments::left_out);
    // Moments of d x d, and what a product of matrices packs at a time.
    CHECK(mark.bytes() < static_cast<std::size_t>(q.size()) * sizeof(double) / 4);
}
