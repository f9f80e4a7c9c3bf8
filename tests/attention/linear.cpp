#include "rfbench/attention/linear.hpp"

#include <omp.h>

#include <vector>

#include "catch.hpp"
#include "explicit_linear.hpp"
#include "explicit_softmax.hpp"
#include "maps.hpp"
#include "rfbench/attention/exact.hpp"
#include "sequences.hpp"

using namespace rfbench;
using attention::Visible;

TEMPLATE_TEST_CASE("exact attention equals the softmax of all scores", "", double, float) {
    for (const Index length : {1, 5, 96, 97, 500})
        for (const Index queries : {length, Index(7)}) {
            const SequenceOf<TestType> s(sequence(queries, length, 8, 5, 1.0, 1));
            const Sequence wide = s.wide();
            for (const Visible visible : {Visible::all, Visible::causal}) {
                if (visible == Visible::causal && queries != length) continue;
                for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
                    INFO("L = " << queries << ", L' = " << length << (kept.empty() ? "" : ", padded"));
                    const Seen pairs = seen(queries, length, visible, kept);
                    Rows<TestType> out;
                    const auto outcome = attention::exact(s.inputs(kept), visible, out);
                    const Points expected = softmax_weights(wide.queries, wide.keys, pairs) * wide.values;
                    CHECK((out.template cast<double>() - expected).cwiseAbs().maxCoeff() <=
                          softmax_tolerance(wide.queries, wide.keys, wide.values, epsilon_of<TestType>));
                    CHECK(outcome.nonpositive == queries - pairs.rowwise().any().count());
                }
            }
        }
}

TEMPLATE_TEST_CASE("linear attention through any features equals the explicit matrix of estimates", "", double, float) {
    for (const Index length : {1, 61, 130}) {
        const Sequence all = sequence(length, length, 4, 3, 1.0, 2);
        const SequenceOf<TestType> s(all), cross({normal_points(7, 4, Stream(3)), all.keys, all.values});
        for (const auto& [name, map] : every_map(all, 16))
            for (const auto& kept : {std::vector<unsigned char>(), padding(length)}) {
                INFO(name << ", L = " << length << (kept.empty() ? "" : ", padded"));
                const auto check = [&, &own = *map](const SequenceOf<TestType>& in, Visible visible) {
                    const Seen pairs = seen(in.queries.rows(), length, visible, kept);
                    Rows<TestType> out;
                    const auto outcome = attention::linear(own, in.inputs(kept), visible, out);
                    check_quotients(out, outcome.nonpositive, explicit_sums(own, in, pairs.cast<double>()));
                };
                check(s, Visible::all);
                check(s, Visible::causal);
                check(cross, Visible::all);
            }
    }
}

TEST_CASE("linear attention has the same bits for any number of threads, and once more") {
    // Two hundred blocks of causal attention, which threads take as they come.
    const Sequence all = sequence(12000, 12000, 4, 3, 1.0, 3);
    const SequenceOf<double> s(all);
    const attention::SoftmaxMap map = map_of("positive", all, 16);
    const int before = omp_get_max_threads();
    for (const Visible visible : {Visible::all, Visible::causal}) {
        Rows<double> one, more;
        omp_set_num_threads(1);
        attention::linear(map, s.inputs({}), visible, one);
        for (const int threads : {2, 3, 5, 2, 3, 5}) {
            omp_set_num_threads(threads);
            attention::linear(map, s.inputs({}), visible, more);
            CHECK(more == one);
        }
    }
    omp_set_num_threads(before);
}
