#include "rfbench/attention/methods.hpp"

#include <omp.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "explicit_softmax.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/linformer.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sequences.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::attention;
using namespace rfbench::tests;

namespace {

constexpr Index width = 6;

struct Named {
    std::string name;
    std::unique_ptr<Method> method;
};

std::vector<Named> methods() {
    std::vector<Named> all;
    all.push_back({"exact", exact_method()});
    const auto mechanism = features::fit(features::find("positive"), {});
    all.push_back({"positive", linear_method(std::make_unique<SoftmaxMap>(
                                   softmax_map(*mechanism, width, 16, sampling::find("orthogonal"), Stream(1))))});
    all.push_back({"fitted", fitted_method({.mechanism = &features::find("optimal-positive"),
                                            .count = 16,
                                            .sampling = &sampling::find("orthogonal"),
                                            .stream = Stream(6),
                                            .first = 4})});
    all.push_back({"relu", linear_method(std::make_unique<GeneralizedMap>(generalized_map(
                               features::nonlinearity("relu"), width, 16, sampling::find("orthogonal"), Stream(2))))});
    all.push_back({"linear transformer", linear_transformer_method(width)});
    all.push_back({"linformer", linformer_method(random_compression(8, 2000, Stream(3)))});
    all.push_back({"lsh", lsh_method(draw_hashing(width, 8, 2, Stream(4)))});
    all.push_back({"nystrom", nystrom_method(8)});
    all.push_back({"masked", masked_method(
                                 std::make_unique<SoftmaxMap>(
                                     softmax_map(*mechanism, width, 16, sampling::find("orthogonal"), Stream(5))),
                                 [](Index length) { return decaying_mask({length}, 0.01); }, MaskPath::dense)});
    return all;
}

std::vector<Visible> ways(const Method& method) {
    return method.can_be_causal() ? std::vector{Visible::all, Visible::causal} : std::vector{Visible::all};
}

Inputs<double> inputs(const Sequence& s) { return {s.queries, s.keys, s.values}; }

}  // namespace

TEST_CASE("every method does not read padding") {
    const Sequence s = sequence(300, 300, width, 3, 1.0, 5);
    std::vector<unsigned char> kept(300, 1);
    Sequence other = s;
    for (std::size_t j = 0; j < kept.size(); ++j)
        if (j % 4 == 1 || j > 250) {
            kept[j] = 0;
            other.keys.row(static_cast<Index>(j)) *= -30;
            other.values.row(static_cast<Index>(j)).array() += 100;
        }
    for (const auto& [name, method] : methods())
        for (const Visible visible : ways(*method)) {
            INFO(name);
            Inputs<double> in = inputs(s), with_other = inputs(other);
            Points without, a, b;
            method->attend(in, visible, without);
            in.kept = with_other.kept = kept;
            const Outcome outcome = method->attend(in, visible, a);
            CHECK(method->attend(with_other, visible, b).nonpositive == outcome.nonpositive);
            CHECK(same_bits(a, b));
            CHECK_FALSE(same_bits(a, without));
        }
}

TEST_CASE("every method gives zeros where all keys are padding, and counts them") {
    const Sequence s = sequence(7, 9, width, 3, 1.0, 6), none = sequence(7, 0, width, 3, 1.0, 6);
    const Points wide = normal_points(9, width, Stream(7));
    const std::vector<unsigned char> padding(9, 0);
    for (const auto& [name, method] : methods()) {
        INFO(name);
        Points out;
        const Index queries = method->can_cross() ? 7 : 9;
        const Inputs<double> in{wide.topRows(queries), s.keys, s.values, padding};
        CHECK(method->attend(in, Visible::all, out).nonpositive == queries);
        CHECK((out.rows() == queries && out.cols() == 3 && out.isZero(0)));
        if (!method->can_cross()) continue;
        CHECK(method->attend(inputs(none), Visible::all, out).nonpositive == 7);
        CHECK((out.rows() == 7 && out.cols() == 3 && out.isZero(0)));
    }
}

TEST_CASE("every method bears short sequences") {
    const Sequence none = sequence(0, 0, width, 3, 1.0, 7), one = sequence(1, 1, width, 3, 1.0, 8);
    for (const auto& [name, method] : methods())
        for (const Visible visible : ways(*method)) {
            INFO(name);
            Points out;
            CHECK(method->attend(inputs(none), visible, out).nonpositive == 0);
            CHECK(out.rows() == 0);
            const Outcome outcome = method->attend(inputs(one), visible, out);
            REQUIRE(out.rows() == 1);
            CHECK(out.allFinite());
            // One key: its value, if it is seen at all; Linformer sees random mixtures of it.
            if (name != "linformer" && outcome.nonpositive == 0)
                CHECK((out - one.values).cwiseAbs().maxCoeff() <=
                      20 * std::numeric_limits<double>::epsilon() * one.values.cwiseAbs().maxCoeff());
        }
}

TEST_CASE("no causal method sees the future, to the bit") {
    const Index length = 1300;
    const Sequence s = sequence(length, length, width, 3, 1.0, 9);
    for (const auto& [name, method] : methods()) {
        if (!method->can_be_causal()) continue;
        for (const Index now : {1, 60, 999}) {
            INFO(name << " at " << now);
            Sequence other = s;
            other.queries.bottomRows(length - now) *= -2;
            other.keys.bottomRows(length - now) *= 3;
            other.values.bottomRows(length - now).array() += 10;
            Points a, b;
            method->attend(inputs(s), Visible::causal, a);
            method->attend(inputs(other), Visible::causal, b);
            CHECK(same_bits(Points(a.topRows(now)), Points(b.topRows(now))));
            CHECK_FALSE(same_bits(a, b));
        }
    }
}

TEST_CASE("methods without a causal form say so") {
    const Sequence s = sequence(5, 5, width, 3, 1.0, 10);
    for (const auto& [name, method] : methods()) {
        INFO(name);
        Points out;
        const std::string answer = refusal([&, &own = method] { own->attend(inputs(s), Visible::causal, out); });
        CHECK(contains(answer, "no causal form") == !method->can_be_causal());
    }
}

TEST_CASE("every method has the same bits on any number of threads") {
    const Sequence s = sequence(1500, 1500, width, 3, 1.0, 11);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    const int before = omp_get_max_threads();
    for (const auto& [name, method] : methods())
        for (const Visible visible : ways(*method)) {
            INFO(name);
            std::vector<Rows<float>> results(3);
            for (int threads = 1; threads <= 3; ++threads) {
                omp_set_num_threads(threads);
                method->attend(Inputs<float>{q, k, v}, visible, results[static_cast<std::size_t>(threads - 1)]);
            }
            omp_set_num_threads(before);
            CHECK(same_bits(results[0], results[1]));
            CHECK(same_bits(results[0], results[2]));
        }
}

TEST_CASE("every method refuses entries that are not finite, naming argument and row") {
    const Sequence s = sequence(6, 6, width, 3, 1.0, 12);
    for (const auto& [name, method] : methods()) {
        INFO(name);
        for (const char* which : {"queries", "keys", "values"}) {
            Sequence bad = s;
            Points& rows = which[0] == 'q' ? bad.queries : which[0] == 'k' ? bad.keys : bad.values;
            using Limits = std::numeric_limits<double>;
            rows(4, 1) = which[0] == 'k' ? Limits::infinity() : Limits::quiet_NaN();
            Points out;
            const std::string answer = refusal([&, &own = method] { own->attend(inputs(bad), Visible::all, out); });
            CHECK(contains(answer, which));
            CHECK(contains(answer, "row 4"));
        }
    }
}

TEST_CASE("every method bears rows of any length, or says that they are too long") {
    const Sequence s = sequence(9, 9, width, 3, 1.0, 13);
    const auto finite_or_refused = [](const Method& method, const auto& in, auto out) {
        for (const Visible visible : ways(method)) try {
                method.attend(in, visible, out);
                CHECK(out.allFinite());
            } catch (const NotFinite& error) {
                CHECK(contains(error.what(), "2^"));
            }
    };
    for (const auto& [name, method] : methods())
        for (const int exponent : {10, 18, 20, 30, 100, 160, 300}) {
            INFO(name << ", rows of 1e" << exponent);
            const double length = std::pow(10.0, exponent);
            const Points queries = length * s.queries, keys = length * s.keys;
            finite_or_refused(*method, Inputs<double>{queries, keys, s.values}, Points());
            if (exponent > 30) continue;
            const Rows<float> q = queries.cast<float>(), k = keys.cast<float>(), v = s.values.cast<float>();
            finite_or_refused(*method, Inputs<float>{q, k, v}, Rows<float>());
        }
    // A single score that is too large, of keys that are kept.
    Sequence one = s;
    one.queries(3, 2) = 1e200;
    one.keys(5, 2) = 1e200;
    Points out;
    const auto attend = [&] { exact_method()->attend({one.queries, one.keys, one.values, {}}, Visible::all, out); };
    CHECK_THROWS_WITH(attend(),
                      "attention: queries have entries of nearly 2^665 and keys of nearly 2^665; sums of 6 "
                      "products of such may pass 2^1024, where the numbers end");
    std::vector<unsigned char> kept(9, 1);
    kept[5] = 0;
    exact_method()->attend({one.queries, one.keys, one.values, kept}, Visible::all, out);
    CHECK(out.allFinite());
}

TEST_CASE("the fitted method refuses a fit without a mechanism, and gives nothing where nothing is asked") {
    const Sequence s = sequence(6, 6, width, 3, 1.0, 14);
    Points out;
    for (const Visible visible : {Visible::all, Visible::causal})
        CHECK(contains(refusal([&] { fitted_method({})->attend(inputs(s), visible, out); }), "has no mechanism"));
    for (const auto& [name, method] : methods()) {
        INFO(name);
        if (!method->can_cross()) continue;
        CHECK(method->attend({s.queries.topRows(0), s.keys, s.values, {}}, Visible::all, out).nonpositive == 0);
        CHECK(out.rows() == 0);
        CHECK(out.cols() == 3);
    }
}

TEST_CASE("methods of maps refuse to have none") {
    CHECK(contains(refusal([] { linear_method(nullptr); }), "linear attention: there is no feature map"));
    CHECK(contains(refusal([] {
                       masked_method(
                           nullptr, [](Index length) { return decaying_mask({length}, 1); }, MaskPath::dense);
                   }),
                   "masked attention: there is no feature map"));
}

TEST_CASE("every method refuses to write over what it reads") {
    const Sequence s = sequence(6, 6, width, width, 1.0, 12);
    for (const auto& [name, method] : methods()) {
        INFO(name);
        Sequence own = s;
        for (Points* const out : {&own.queries, &own.keys, &own.values}) {
            const char* const which = out == &own.queries ? "queries" : out == &own.keys ? "keys" : "values";
            CHECK(refusal([&, &attending = method] { attending->attend(inputs(own), Visible::all, *out); }) ==
                  "attention: the output lies over the " + std::string(which) + "; it needs memory of its own");
        }
        if (!method->can_cross()) continue;
        // Nor over a part of it.
        const Inputs<double> in{own.values.topRows(4), own.keys, s.values};
        CHECK(contains(refusal([&, &attending = method] { attending->attend(in, Visible::all, own.values); }),
                       "queries"));
        CHECK((own.queries == s.queries && own.keys == s.keys && own.values == s.values));
    }
}

TEST_CASE("every method takes other numbers of queries than keys, or says that it does not, in both precisions") {
    const Sequence s = sequence(130, 410, width, 3, 0.5, 13);
    const Rows<float> q = s.queries.cast<float>(), k = s.keys.cast<float>(), v = s.values.cast<float>();
    for (const auto& [name, method] : methods()) {
        INFO(name);
        Points wide;
        if (!method->can_cross()) {
            CHECK(contains(refusal([&, &own = method] { own->attend(inputs(s), Visible::all, wide); }), "410"));
            continue;
        }
        Rows<float> narrow;
        method->attend(inputs(s), Visible::all, wide);
        method->attend(Inputs<float>{q, k, v}, Visible::all, narrow);
        REQUIRE((wide.rows() == 130 && wide.cols() == 3));
        REQUIRE((narrow.rows() == 130 && narrow.cols() == 3));
        CHECK(wide.allFinite());
        CHECK(narrow.allFinite());
    }
}

TEST_CASE("the masked method is masked attention, causal where that is asked for, by the path that was named") {
    const Index length = 90;
    const Sequence s = sequence(length, length, width, 3, 1.0, 14);
    const auto mechanism = features::fit(features::find("positive"), {});
    const auto map = [&] {
        return std::make_unique<SoftmaxMap>(
            softmax_map(*mechanism, width, 16, sampling::find("orthogonal"), Stream(15)));
    };
    const auto rule = [](Index n) { return decaying_mask({n}, 0.05); };
    for (const MaskPath path : {MaskPath::dense, MaskPath::fft})
        for (const Visible visible : {Visible::all, Visible::causal}) {
            Points direct, out;
            masked<double>(*map(), visible == Visible::causal ? causal_mask(rule(length)) : rule(length), inputs(s),
                           direct, path);
            masked_method(map(), rule, path)->attend(inputs(s), visible, out);
            CHECK(same_bits(direct, out));
        }
}
