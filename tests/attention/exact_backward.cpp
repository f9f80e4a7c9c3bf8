// Softmax attention and its gradients over sequences of many tiles, against whole matrices.
#include <omp.h>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/exact.hpp"
#include "sequences.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

/// By the definition: P = softmax(S), dS = P o (G V' - rows' sums of G o O), and what goes back through S.
Gradients<double> whole(const Sequence& s, const Points& p, const Points& g) {
    const double scale = 1 / std::sqrt(static_cast<double>(s.queries.cols()));
    const Points out = p * s.values;
    Points slopes = g * s.values.transpose();
    for (Index i = 0; i < p.rows(); ++i) slopes.row(i).array() -= g.row(i).dot(out.row(i));
    slopes.array() *= p.array();
    return {scale * slopes * s.keys, scale * slopes.transpose() * s.queries, p.transpose() * g};
}

template <class Scalar>
Gradients<Scalar> gradients(const SequenceOf<Scalar>& s, const std::vector<unsigned char>& kept, Visible visible,
                            const Rows<Scalar>& g) {
    Rows<Scalar> out;
    Column<Scalar> log_sums;
    exact<Scalar>(s.inputs(kept), visible, out, log_sums);
    Gradients<Scalar> to;
    exact_backward<Scalar>(s.inputs(kept), visible, out, log_sums, g, to);
    return to;
}

}  // namespace

TEST_CASE("gradients of softmax attention over many tiles are those of whole matrices") {
    // Two tiles of queries at once, the last of which is not whole; and a sequence of which the last block has one.
    for (const Index length : {1700, 1560}) {
        const Sequence s = sequence(length, length, 4, 3, 1.0, 31);
        const Points g = normal_points(length, 3, Stream(32));
        for (const Visible visible : {Visible::all, Visible::causal})
            for (const bool padded : {false, true}) {
                INFO(length << (visible == Visible::all ? " all" : " causal") << (padded ? ", padded" : ""));
                const auto kept = padded ? padding(length) : std::vector<unsigned char>();
                const Points weights = softmax_weights(s.queries, s.keys, seen(length, length, visible, kept));
                const Gradients<double> expected = whole(s, weights, g);
                const Gradients<double> own = gradients(SequenceOf<double>(s), kept, visible, g);
                // Each entry adds up at most `length` terms, with as many roundings, and a few more of the sums of 3
                // and 4 products within; the terms are weights times 2 e |g| |v| and a coordinate, and weights add up
                // to one over keys, over queries to at most `sent`. Both sides have such errors.
                const double sent = std::max(1.0, weights.colwise().sum().maxCoeff());
                const double terms = 6 * g.cwiseAbs().maxCoeff() * s.values.cwiseAbs().maxCoeff() *
                                     std::max(s.queries.cwiseAbs().maxCoeff(), s.keys.cwiseAbs().maxCoeff());
                const double tolerance =
                    2 * (static_cast<double>(length) + 32) * epsilon_of<double> * sent * std::max(1.0, terms);
                CHECK((own.queries - expected.queries).cwiseAbs().maxCoeff() < tolerance);
                CHECK((own.keys - expected.keys).cwiseAbs().maxCoeff() < tolerance);
                CHECK((own.values - expected.values).cwiseAbs().maxCoeff() < tolerance);
            }
    }
}

TEST_CASE("gradients of softmax attention over many tiles have the same bits for any number of threads") {
    const SequenceOf<float> s(sequence(2500, 2500, 4, 3, 1.0, 33));
    const Rows<float> g = normal_points(2500, 3, Stream(34)).cast<float>();
    const int before = omp_get_max_threads();
    for (const Visible visible : {Visible::all, Visible::causal}) {
        omp_set_num_threads(1);
        const Gradients<float> one = gradients(s, {}, visible, g);
        omp_set_num_threads(3);
        const Gradients<float> three = gradients(s, {}, visible, g);
        CHECK(same_bits(one.queries, three.queries));
        CHECK(same_bits(one.keys, three.keys));
        CHECK(same_bits(one.values, three.values));
    }
    omp_set_num_threads(before);
}

TEST_CASE("outputs of softmax attention have the same bits whatever other queries there are") {
    // Long sequences read keys for more queries at once.
    const SequenceOf<float> s(sequence(4400, 300, 4, 3, 1.0, 35));
    Rows<float> all, few;
    exact<float>(s.inputs(), Visible::all, all);
    exact<float>({s.queries.middleRows(1000, 500), s.keys, s.values}, Visible::all, few);
    CHECK(same_bits(Rows<float>(all.middleRows(1000, 500)), few));
}
