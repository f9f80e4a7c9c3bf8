// Attention of one head in float, d = 64, positive features, into kept buffers.
#include "ours_attention.hpp"

#include <memory>

#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/masked.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"

namespace peers {
namespace {

using namespace rfbench;
using attention::Visible;

constexpr Index width = 64;

struct Tokens {
    Rows<float> q, k, v;

    explicit Tokens(Index length) : q(normals(length, 1)), k(normals(length, 2)), v(normals(length, 3)) {}
    attention::Inputs<float> inputs() const { return {q, k, v}; }

private:
    static Rows<float> normals(Index length, std::uint64_t seed) {
        Projections columns(width, length);
        fill_normal(Stream(seed), columns);
        return 0.5f * columns.transpose().cast<float>();
    }
};

attention::SoftmaxMap map(Index count) {
    return attention::softmax_map(*features::fit(features::find("positive"), {}), width, count,
                                  sampling::find("orthogonal"), Stream(4));
}

/// `attend` (tokens, out) on tokens and outputs of its own.
template <class Out, class Attend>
std::function<void()> run(Index length, Attend attend) {
    return
        [attend, tokens = std::make_shared<Tokens>(length), out = std::make_shared<Out>()] { attend(*tokens, *out); };
}

Row exact_row() {
    constexpr double length = 16384, d = width;
    return {
        run<Rows<float>>(16384, [](const Tokens& tokens,
                                   Rows<float>& out) { attention::exact<float>(tokens.inputs(), Visible::all, out); }),
        4 * length * length * d, length * length};
}

/// Forward and backward, as in a training step.
Row exact_gradient_row() {
    constexpr double length = 8192, d = width;
    struct Out {
        Rows<float> out;
        attention::Column<float> log_sums;
        attention::Gradients<float> gradients;
    };
    return {run<Out>(8192,
                     [](const Tokens& tokens, Out& to) {
                         attention::exact<float>(tokens.inputs(), Visible::all, to.out, to.log_sums);
                         attention::exact_backward<float>(tokens.inputs(), Visible::all, to.out, to.log_sums, tokens.v,
                                                          to.gradients);
                     }),
            14 * length * length * d, 2 * length * length};
}

template <Visible visible>
Row linear_row() {
    constexpr double length = 65536, d = width, count = 256;
    return {run<Rows<float>>(65536,
                             [own = map(256)](const Tokens& tokens, Rows<float>& out) {
                                 attention::linear<float>(own, tokens.inputs(), visible, out);
                             }),
            8 * length * d * count, 2 * length * count};
}

Row backward_row() {
    constexpr double length = 16384, d = width, count = 256;
    return {run<attention::Gradients<float>>(16384,
                                             [own = map(256)](const Tokens& tokens, attention::Gradients<float>& out) {
                                                 attention::backward<float>(own, tokens.inputs(), Visible::causal,
                                                                            tokens.v, out);
                                             }),
            18 * length * d * count, 2 * length * count};
}

template <Index length>
Row mask_row() {
    return {run<Rows<float>>(length, [own = map(64), mask = attention::decaying_mask({length}, 8.0 / length)](
                                         const Tokens& tokens, Rows<float>& out) {
        attention::masked<float>(own, mask, tokens.inputs(), out);
    })};
}

}  // namespace

std::map<std::string, Row (*)()> attention_rows() {
    return {{"exact", exact_row},
            {"exact_gradient", exact_gradient_row},
            {"exact_gradient_plain", exact_gradient_row},
            {"linear", linear_row<Visible::all>},
            {"causal", linear_row<Visible::causal>},
            {"backward", backward_row},
            {"mask_4096", mask_row<4096>},
            {"mask_16384", mask_row<16384>},
            {"mask_fft_4096", mask_row<4096>},
            {"mask_fft_16384", mask_row<16384>}};
}

}  // namespace peers
