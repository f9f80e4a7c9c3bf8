// Contenders that are linear in their features, and windows: by their definitions, by finite differences, slice by
// slice and token by token.
#include "rfbench/training/linear_head.hpp"

#include <omp.h>

#include <limits>
#include <numbers>

#include "rfbench/attention/decoding.hpp"
#include "rfbench/attention/uniform_map.hpp"
#include "rfbench/dof/trained_points.hpp"
#include "rfbench/features/maps/affine_features.hpp"
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/features/maps/positional_maps.hpp"
#include "rfbench/features/maps/unit_rows.hpp"
#include "rfbench/training/compressed_attention.hpp"
#include "rfbench/training/gated_head.hpp"
#include "rfbench/training/stateful_head.hpp"
#include "rfbench/training/window_linear.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::Gradients;
using attention::Visible;

namespace {

constexpr Index dimension = 4, value_columns = 3;

template <class Scalar>
struct HeadTokens {
    Rows<Scalar> queries, keys, values;

    HeadTokens(Index n, double scale)
        : queries((scale * normal_points(n, dimension, Stream(1))).cast<Scalar>()),
          keys((scale * normal_points(n, dimension, Stream(2))).cast<Scalar>()),
          values(normal_points(n, value_columns, Stream(3)).cast<Scalar>()) {}
    HeadTokens(const Vector& all, Index n)
        : queries(all.head(n * dimension).reshaped<Eigen::RowMajor>(n, dimension).cast<Scalar>()),
          keys(all.segment(n * dimension, n * dimension).reshaped<Eigen::RowMajor>(n, dimension).cast<Scalar>()),
          values(all.tail(n * value_columns).reshaped<Eigen::RowMajor>(n, value_columns).cast<Scalar>()) {}

    attention::Inputs<Scalar> inputs() const { return {queries, keys, values}; }
    attention::Inputs<Scalar> part(Index first, Index n) const { return attention::part_of(inputs(), first, n); }
};

template <class Scalar>
Vector joined_gradients(const Gradients<Scalar>& by) {
    Vector all(by.queries.size() + by.keys.size() + by.values.size());
    all << Vector(by.queries.template reshaped<Eigen::RowMajor>().template cast<double>()),
        Vector(by.keys.template reshaped<Eigen::RowMajor>().template cast<double>()),
        Vector(by.values.template reshaped<Eigen::RowMajor>().template cast<double>());
    return all;
}

struct Contender {
    std::string name;
    std::shared_ptr<const HeadAttention> head;
    bool causal_alone = false, smooth = true;
};

const attention::LinearForm retention{
    .norm = attention::Norm::group, .positions = true, .causal_alone = true, .name = "retnet"};

dof::WeightedFeatures points() {
    Projections z(dimension, 5);
    fill_normal(Stream(9), z);
    return {z, 0.3 * normal_vector(5, Stream(10))};
}

std::vector<Contender> contenders(Index longest = 400) {
    using features::FeatureSum;
    const auto linear = [](std::shared_ptr<const features::MapFamily> maps, const attention::LinearForm& form = {}) {
        return std::shared_ptr<const HeadAttention>(linear_attention({std::move(maps), form}));
    };
    const auto one = [](std::shared_ptr<const features::FeatureMap> map) { return features::one_map(std::move(map)); };
    return {
        {"uniform", linear(one(std::make_shared<attention::UniformMap>()))},
        {"cosformer", linear(one(features::cosformer_map(dimension, longest)), {.positions = true}), false, false},
        {"retnet", linear(one(features::retention_map(dimension, 0.9)), retention), true},
        {"retnet, learned rate", linear(features::retention_maps(dimension, 2), retention), true},
        {"t2r", linear(features::t2r_maps(dimension, 6)), false, false},
        {"hedgehog", linear(features::hedgehog_maps(dimension, 12, FeatureSum::free))},
        {"hedgehog, normalised", linear(features::hedgehog_maps(dimension, 12, FeatureSum::one))},
        {"points", linear(dof::trained_points(points()))},
        {"luna", linear(features::learned_maps(
                     {.dimension = dimension,
                      .projections = 3,
                      .channels = features::network_channels(
                          {.channels = 2, .hidden = 4, .activation = "tanh", .output = "exp", .shared = true}),
                      .envelope = features::Envelope::channels,
                      .channel_rms = true}))},
        {"window", window_attention({.width = 3, .sinks = 2})},
        {"window without sinks", window_attention({.width = 2})},
        {"rfa", linear(one(features::unit_rows(points().map(), 1.3)))},
        {"rfa, gate", gated_attention(features::unit_rows(points().map(), 1.3), dimension, 2), true},
        {"window and features", window_linear_attention(3, features::hedgehog_maps(dimension, 6, FeatureSum::free)),
         true},
    };
}

Vector begun(const HeadAttention& head) {
    return head.start(Stream(7)) + 0.2 * normal_vector(head.parameters(), Stream(8));
}

}  // namespace

TEST_CASE("gradients of contenders with respect to tokens and parameters are those of finite differences") {
    // More tokens than a block of causal attention has, for the parameters' sums over blocks; few for the tokens.
    for (const Index n : {Index(6), Index(70)})
        for (const Contender& one : contenders())
            for (const Visible visible : {Visible::causal, Visible::all}) {
                // Differences over many kinks say nothing.
                if ((one.causal_alone && visible == Visible::all) || (n > 10 && !one.smooth)) continue;
                INFO(one.name << ", " << n << " tokens, " << (visible == Visible::all ? "all" : "causal"));
                const Vector parameters = begun(*one.head),
                             tokens = 0.7 * normal_vector(n * (2 * dimension + value_columns), Stream(5));
                const Points weights = normal_points(n, value_columns, Stream(6));
                const auto loss = [&](const Vector& p, const Vector& x) {
                    const HeadTokens<double> given(x, n);
                    return one.head->forward(p, given.inputs(), visible)->output.cwiseProduct(weights).sum();
                };
                const HeadTokens<double> given(tokens, n);
                Gradients<double> by;
                Vector by_parameters = Vector::Constant(parameters.size(), 2);  // earlier gradients stay
                one.head->forward(parameters, given.inputs(), visible)->backward(weights, by, by_parameters);
                by_parameters.array() -= 2;
                // Rows without a positive entry have no relu features.
                if (one.smooth) CHECK(by.left_out == 0);
                if (n < 10)
                    check_gradient([&](const Vector& x) { return loss(parameters, x); }, tokens, joined_gradients(by));
                if (parameters.size() > 0)
                    check_gradient([&](const Vector& p) { return loss(p, tokens); }, parameters, by_parameters);
            }
}

TEST_CASE("gradients of contenders in float are those in double to its precision, at long keys too") {
    const Index n = 90;
    // Rows of length 2, and of length about 50: exponentials of products up to hundreds.
    for (const double scale : {1.0, 25.0})
        for (const Contender& one : contenders())
            for (const Visible visible : {Visible::causal, Visible::all}) {
                if (one.causal_alone && visible == Visible::all) continue;
                INFO(one.name << ", scale " << scale << (visible == Visible::all ? ", all" : ", causal"));
                const HeadTokens<float> narrow(n, scale);
                HeadTokens<double> wide(n, scale);
                wide.queries = narrow.queries.cast<double>();
                wide.keys = narrow.keys.cast<double>();
                wide.values = narrow.values.cast<double>();
                const attention::Column<float> few = begun(*one.head).cast<float>();
                const Vector many = few.cast<double>();
                const Points sent = normal_points(n, value_columns, Stream(6));
                const Rows<float> sent_narrow = sent.cast<float>();
                Gradients<double> expected;
                Gradients<float> got;
                Vector by_many = Vector::Zero(many.size());
                attention::Column<float> by_few = attention::Column<float>::Zero(few.size());
                const auto a = one.head->forward(many, wide.inputs(), visible);
                const auto b = one.head->forward(few, narrow.inputs(), visible);
                a->backward(sent_narrow.cast<double>(), expected, by_many);
                b->backward(sent_narrow, got, by_few);
                REQUIRE(b->output.allFinite());
                REQUIRE(joined_gradients(got).allFinite());
                // Exponents up to some hundreds are off by as many ulps of float, and with them each weight; sums over
                // n terms add as many.
                const double largest = 4 * scale * scale * dimension + n;
                const double off = 8 * largest * static_cast<double>(std::numeric_limits<float>::epsilon());
                CHECK((b->output.cast<double>() - a->output).cwiseAbs().maxCoeff() <
                      off * (1 + a->output.cwiseAbs().maxCoeff()));
                CHECK((joined_gradients(got) - joined_gradients(expected)).norm() <
                      off * (1 + joined_gradients(expected).norm()));
                CHECK((by_few.cast<double>() - by_many).norm() < off * (1 + by_many.norm()));
            }
}

TEST_CASE("contenders give the same bits for any number of threads") {
    const Index n = 300;
    const HeadTokens<float> tokens(n, 1);
    const Rows<float> sent = normal_points(n, value_columns, Stream(6)).cast<float>();
    for (const Contender& one : contenders())
        for (const Visible visible : {Visible::causal, Visible::all}) {
            if (one.causal_alone && visible == Visible::all) continue;
            INFO(one.name);
            const attention::Column<float> parameters = begun(*one.head).cast<float>();
            const auto run = [&](int threads, Gradients<float>& by, attention::Column<float>& by_parameters) {
                omp_set_num_threads(threads);
                by_parameters.setZero(parameters.size());
                const auto pass = one.head->forward(parameters, tokens.inputs(), visible);
                pass->backward(sent, by, by_parameters);
                omp_set_num_threads(omp_get_num_procs());
                return pass->output;
            };
            Gradients<float> first, second;
            attention::Column<float> by_first, by_second;
            CHECK(same_bits(run(1, first, by_first), run(3, second, by_second)));
            CHECK(same_bits(first.queries, second.queries));
            CHECK(same_bits(first.keys, second.keys));
            CHECK(same_bits(first.values, second.values));
            CHECK(same_bits(by_first, by_second));
        }
}

TEST_CASE("weights of contenders are those of their definitions") {
    const Index n = 9, longest = 20;
    const HeadTokens<double> t(n, 1);
    const auto check = [&](const Contender& one, Visible visible, auto weight) {
        Points expected(n, value_columns);
        for (Index i = 0; i < n; ++i) {
            expected.row(i).setZero();
            double sum = 0;
            for (Index j = 0; j < (visible == Visible::causal ? i + 1 : n); ++j) {
                const double own = weight(i, j);
                expected.row(i) += own * t.values.row(j);
                sum += own;
            }
            if (one.causal_alone) {
                expected.row(i).array() -= expected.row(i).mean();
                expected.row(i) /= std::sqrt(expected.row(i).squaredNorm() / value_columns);
            } else {
                expected.row(i) /= sum;
            }
        }
        INFO(one.name << (visible == Visible::all ? ", all" : ", causal"));
        const auto pass = one.head->forward(one.head->start(Stream(7)), t.inputs(), visible);
        CHECK((pass->output - expected).cwiseAbs().maxCoeff() < 1e-12);
        CHECK(pass->outcome.nonpositive == 0);
    };
    const auto relu = [](const Points& rows, Index i) { return rows.row(i).cwiseMax(0.0).eval(); };
    const auto all = contenders(longest);
    for (const Visible visible : {Visible::causal, Visible::all}) {
        check(all[0], visible, [](Index, Index) { return 1.0; });
        check(all[1], visible, [&](Index i, Index j) {
            return relu(t.queries, i).dot(relu(t.keys, j)) *
                   std::cos(std::numbers::pi * static_cast<double>(i - j) / (2 * longest));
        });
        check(all[9], visible, [&](Index i, Index j) {
            const bool seen = j < 2 || (visible == Visible::causal ? i - j < 3 : std::abs(i - j) <= 1);
            return seen ? std::exp(t.queries.row(i).dot(t.keys.row(j)) / 2) : 0;
        });
    }
    // Pairs of coordinates turned by the angles 1 and 1/100 a step, and a decay of 0.9 a step.
    check(all[2], Visible::causal, [&](Index i, Index j) {
        double sum = 0;
        for (Index k = 0; k < 2; ++k) {
            const double angle = static_cast<double>(i - j) * (k == 0 ? 1 : 0.01);
            const auto q = t.queries.row(i).segment(2 * k, 2), x = t.keys.row(j).segment(2 * k, 2);
            sum += std::cos(angle) * q.dot(x) + std::sin(angle) * (q[0] * x[1] - q[1] * x[0]);
        }
        return std::pow(0.9, static_cast<double>(i - j)) * sum;
    });
    // Hedgehog begins at the identity, in its first d columns.
    const auto hedgehog = features::hedgehog_maps(dimension, 2 * dimension, features::FeatureSum::free);
    check({"hedgehog", linear_attention({hedgehog})}, Visible::all, [&](Index i, Index j) {
        double sum = 0;
        for (Index k = 0; k < dimension; ++k) sum += 2 * std::cosh(t.queries(i, k) + t.keys(j, k));
        return sum;
    });
}

TEST_CASE("contenders decode token by token what they give of the whole sequence") {
    const Index n = 150, prompt = 70;
    const HeadTokens<double> t(n, 1);
    const auto check = [&](const std::string& name, const HeadAttention& head, attention::Decoder<double>& decoder) {
        INFO(name);
        const auto pass = head.forward(head.start(Stream(7)), t.inputs(), Visible::causal);
        decoder.remember(t.keys.topRows(prompt), t.values.topRows(prompt));
        Points out;
        for (Index i = prompt; i < n; ++i) {
            decoder.step(t.queries.middleRows(i, 1), t.keys.middleRows(i, 1), t.values.middleRows(i, 1), out);
            CHECK((out - pass->output.row(i)).cwiseAbs().maxCoeff() < 1e-11);
        }
    };
    const auto all = contenders();
    const auto linear = [](std::shared_ptr<const features::FeatureMap> map, const attention::LinearForm& form) {
        return attention::linear_decoder<double>(std::move(map), value_columns, form);
    };
    check("uniform", *all[0].head, *linear(std::make_shared<attention::UniformMap>(), {}));
    check("cosformer", *all[1].head, *linear(features::cosformer_map(dimension, 400), {.positions = true}));
    check("retnet", *all[2].head, *linear(features::retention_map(dimension, 0.9), retention));
    const auto window = attention::window_decoder<double>({.width = 3, .sinks = 2}, dimension, value_columns);
    check("window", *all[9].head, *window);
    CHECK(window->bytes() == static_cast<std::size_t>(5 * (dimension + value_columns)) * sizeof(double));
}

TEST_CASE("contenders with a state give in slices what they give at once") {
    const Index n = 130;
    const HeadTokens<double> t(n, 1);
    const Points sent = normal_points(n, value_columns, Stream(6));
    for (const Contender& one : contenders()) {
        if (one.head->stateful() == nullptr) continue;
        INFO(one.name);
        const Vector parameters = begun(*one.head);
        Gradients<double> whole, by_first, by_second;
        Vector by_whole = Vector::Zero(parameters.size()), by_slices = by_whole;
        const auto pass = one.head->forward(parameters, t.inputs(), Visible::causal);
        pass->backward(sent, whole, by_whole);
        const StatefulHead& slices = *one.head->stateful();
        HeadSums early(slices.features(), value_columns), late = early;
        const Index cut = 50;
        const auto before = slices.forward(parameters, t.part(0, cut), early);
        late.before = early.after;
        late.tokens = cut;
        const auto after = slices.forward(parameters, t.part(cut, n - cut), late);
        after->backward(sent.bottomRows(n - cut), by_second, by_slices);
        early.later = late.later;
        before->backward(sent.topRows(cut), by_first, by_slices);
        // Sums of n terms in another order.
        const auto near = [&](const auto& a, const auto& b) {
            return (a - b).norm() <= 16 * n * 0x1p-53 * (1 + b.norm());
        };
        CHECK(near(before->output, pass->output.topRows(cut)));
        CHECK(near(after->output, pass->output.bottomRows(n - cut)));
        CHECK(near(by_first.queries, whole.queries.topRows(cut)));
        CHECK(near(by_first.keys, whole.keys.topRows(cut)));
        CHECK(near(by_second.keys, whole.keys.bottomRows(n - cut)));
        CHECK(near(by_second.values, whole.values.bottomRows(n - cut)));
        CHECK(near(by_slices, by_whole));
    }
}

TEST_CASE("windows leave out padding, and a decay of thousands of tokens overflows nothing") {
    const Index n = 9;
    const HeadTokens<double> t(n, 1);
    const std::vector<unsigned char> kept{0, 0, 0, 0, 1, 1, 0, 1, 1};
    const attention::Inputs<double> in{t.queries, t.keys, t.values, kept};
    Points out;
    // Two sinks that are padding, and the last two keys: none is seen by queries 0 to 3.
    CHECK(attention::window<double>({.width = 2, .sinks = 2}, in, Visible::causal, out).nonpositive == 4);
    CHECK(out.topRows(4).isZero(0));
    CHECK(out.row(4) == t.values.row(4));
    CHECK(out.row(6) == t.values.row(5));

    const HeadTokens<float> many(5000, 1);
    const auto pass = linear_attention({features::one_map(features::retention_map(dimension, 0.5)), retention})
                          ->forward(attention::Column<float>(), many.inputs(), Visible::causal);
    CHECK(pass->output.allFinite());
    CHECK(pass->outcome.nonpositive == 0);
}

TEST_CASE("trained points before any step are fitted features, and held ones get no gradient") {
    const Index n = 130;
    const HeadTokens<float> t(n, 1);
    const Rows<float> sent = normal_points(n, value_columns, Stream(6)).cast<float>();
    const auto fitted = fixed_attention(points().map());
    for (const Visible visible : {Visible::causal, Visible::all})
        for (const bool held : {false, true}) {
            const auto trained = linear_attention({dof::trained_points(points(), held)});
            const attention::Column<float> parameters = trained->start(Stream(1)).cast<float>();
            CHECK(trained->trained() == (held ? 5 : 5 + 5 * dimension));
            attention::Column<float> by = attention::Column<float>::Zero(parameters.size()), none;
            Gradients<float> a, b;
            const auto pass = trained->forward(parameters, t.inputs(), visible);
            const auto same = fitted->forward(none, t.inputs(), visible);
            pass->backward(sent, a, by);
            same->backward(sent, b, none);
            // Parameters are floats here, and not there.
            CHECK((pass->output - same->output).norm() < 1e-5f * same->output.norm());
            CHECK((a.keys - b.keys).norm() < 1e-5f * b.keys.norm());
            CHECK(by.head(5 * dimension).isZero(0) == held);
            CHECK(by.tail(5).norm() > 0);
        }
    // In double to the bit.
    const HeadTokens<double> wide(n, 1);
    const auto trained = linear_attention({dof::trained_points(points())});
    CHECK(same_bits(trained->forward(trained->start(Stream(1)), wide.inputs(), Visible::causal)->output,
                    fitted->forward(Vector(), wide.inputs(), Visible::causal)->output));
}

TEST_CASE("a gate is the recursion that its authors print, and forgets thousands of tokens without underflow") {
    const Index n = 9;
    const HeadTokens<double> t(n, 1);
    const std::shared_ptr<const features::FeatureMap> map = points().map();
    const auto head = gated_attention(map, dimension, 2);
    const Vector parameters = begun(*head);
    const auto pass = head->forward(parameters, t.inputs(), Visible::causal);
    const auto feature = [&](features::Side side, const Points& rows, Index i) -> Vector {
        features::FeatureBlock<double> block;
        map->evaluate(side, rows.middleRows(i, 1), block);
        return std::exp(block.log_scale[0]) * block.values.row(0).transpose();
    };
    Points sums = Points::Zero(map->columns(), value_columns);
    Vector weights = Vector::Zero(map->columns());
    for (Index i = 0; i < n; ++i) {
        const double z = t.keys.row(i).dot(parameters.head(dimension)) + parameters[dimension],
                     g = 1 / (1 + std::exp(-z));
        const Vector key = feature(features::Side::key, t.keys, i),
                     query = feature(features::Side::query, t.queries, i);
        sums = g * sums + (1 - g) * key * t.values.row(i);
        weights = g * weights + (1 - g) * key;
        CHECK((pass->output.row(i) - query.transpose() * sums / query.dot(weights)).cwiseAbs().maxCoeff() < 1e-12);
    }

    // Gates of about exp(-50), 5000 times: only the last token counts.
    const HeadTokens<float> many(5000, 1);
    attention::Column<float> closed = attention::Column<float>::Zero(dimension + 1);
    closed[dimension] = -50;
    const auto last = head->forward(closed, many.inputs(), Visible::causal);
    CHECK((last->output - many.values).cwiseAbs().maxCoeff() < 1e-5f);
    Gradients<float> by;
    attention::Column<float> by_gate = closed;
    last->backward(many.values, by, by_gate);
    CHECK(joined_gradients(by).allFinite());
    CHECK(by_gate.allFinite());
}

TEST_CASE("contenders refuse what they have no form for") {
    const HeadTokens<double> t(9, 1);
    CHECK(refusal([&] { contenders()[2].head->forward(Vector(), t.inputs(), Visible::all); }) ==
          "retnet: there is a causal form of it alone, in which queries see earlier keys; ask for that");
    CHECK(refusal([&] { contenders(7)[1].head->forward(Vector(), t.inputs(), Visible::all); }) ==
          "cosformer: a token at position 8 of sequences of at most 7 tokens");
    CHECK(refusal([] { features::hedgehog_maps(4, 7, features::FeatureSum::free); }) ==
          "hedgehog: d = 4 and 7 columns; d must be positive, and columns, half of them of exp(-W'x), even and "
          "positive");
    CHECK(refusal([&] { features::t2r_maps(4, 2)->map(Vector::Zero(3)); }) == "t2r: 3 parameters; it has 10");
    CHECK(refusal([] { window_attention({.width = 0}); }) ==
          "window attention: 0 keys and 0 sinks; there must be one key or more, and no fewer than 0 sinks");
}

TEST_CASE("a learned decay that rounds to one has its parameter still, and a gradient of zero") {
    const auto head = linear_attention({features::retention_maps(dimension, 750), retention});
    const Vector parameters = head->start(Stream(1));
    const HeadTokens<double> tokens(5, 1.0);
    Gradients<double> by;
    Vector by_parameters = Vector::Constant(1, 2);
    head->forward(parameters, tokens.inputs(), Visible::causal)
        ->backward(Points::Ones(5, value_columns), by, by_parameters);
    CHECK(by_parameters[0] == 2);
    const auto map = features::retention_maps(dimension, 750)->map(parameters);
    CHECK(map->differentiable()->num_parameters() == 1);
}
