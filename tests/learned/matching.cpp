#include "rfbench/learned/matching.hpp"

#include <omp.h>

#include "gradients.hpp"

using namespace rfbench;
using namespace rfbench::learned;
using features::network_channels;
using attention::Visible;

namespace {

std::vector<HeadSequence> sequences(std::size_t count, double scale, const Stream& stream) {
    std::vector<HeadSequence> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({scale * normal_points(20, 4, stream.child(i).child(0)),
                       scale * normal_points(20, 4, stream.child(i).child(1)),
                       normal_points(20, 3, stream.child(i).child(2))});
    return all;
}

}  // namespace

TEST_CASE(
    "training brings a learned map nearer to softmax attention on sequences it has not seen, with the same bits") {
    const auto head =
        learned_attention({.dimension = 4, .projections = 4, .channels = network_channels({4, 8, "relu", "elu+1"})});
    const auto training = sequences(12, 1.5, Stream(1)), held_out = sequences(6, 1.5, Stream(2));
    const optimisation::Descent descent{.steps = 150, .batch = 4, .rate = 0.02};
    omp_set_num_threads(1);
    const auto one = match_softmax(*head, training, Visible::all, descent, Stream(3));
    const double before = mismatch(*head, head->start(Stream(3).child("start")), held_out, Visible::all).relative_error;
    const Mismatch after = mismatch(*head, one.parameters, held_out, Visible::all);
    CHECK(after.relative_error < 0.85 * before);
    CHECK(after.nonpositive == 0);
    CHECK(one.losses.size() == 150);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const auto more = match_softmax(*head, training, Visible::all, descent, Stream(3));
        CHECK((more.parameters.array() == one.parameters.array()).all());
        CHECK(more.losses == one.losses);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("softmax attention has no mismatch with itself, and nothing to compare on is refused") {
    CHECK(mismatch(*softmax_attention(), {}, sequences(2, 1, Stream(4)), Visible::causal).relative_error < 1e-14);
    CHECK_THROWS_WITH(mismatch(*softmax_attention(), {}, {}, Visible::all),
                      "learned attention: there are no sequences to compare on");
}
