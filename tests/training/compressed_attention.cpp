#include "rfbench/training/compressed_attention.hpp"

#include <limits>

#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linformer.hpp"
#include "rfbench/attention/nystrom.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using attention::Gradients;
using attention::Visible;

namespace {

/// Queries, keys and values after one another in one vector: n x 3, m x 3, m x 2.
struct Tokens {
    Points queries, keys, values;

    Tokens(const Vector& all, Index n, Index m)
        : queries(all.head(3 * n).reshaped<Eigen::RowMajor>(n, 3)),
          keys(all.segment(3 * n, 3 * m).reshaped<Eigen::RowMajor>(m, 3)),
          values(all.tail(2 * m).reshaped<Eigen::RowMajor>(m, 2)) {}
};

Vector flat(const Gradients<double>& by) {
    Vector all(by.queries.size() + by.keys.size() + by.values.size());
    all << Vector(by.queries.reshaped<Eigen::RowMajor>()), Vector(by.keys.reshaped<Eigen::RowMajor>()),
        Vector(by.values.reshaped<Eigen::RowMajor>());
    return all;
}

void check_head(const HeadAttention& head, const Vector& parameters, Index queries, Index keys,
                std::span<const unsigned char> kept = {}, Visible visible = Visible::all) {
    INFO(queries << " queries, " << keys << " keys, " << (kept.empty() ? "all" : "some") << " kept");
    const Vector tokens = normal_vector(3 * queries + 5 * keys, Stream(1));
    const Points weights = normal_points(queries, 2, Stream(2));
    const auto loss = [&](const Vector& p, const Vector& x) {
        const Tokens given(x, queries, keys);
        return head.forward(p, {given.queries, given.keys, given.values, kept}, visible)
            ->output.cwiseProduct(weights)
            .sum();
    };
    Gradients<double> gradients;
    // Earlier gradients stay.
    Vector by_parameters = Vector::Constant(parameters.size(), 3);
    const Tokens given(tokens, queries, keys);
    head.forward(parameters, {given.queries, given.keys, given.values, kept}, visible)
        ->backward(weights, gradients, by_parameters);
    CHECK(gradients.left_out == 0);
    check_gradient([&](const Vector& x) { return loss(parameters, x); }, tokens, flat(gradients));
    if (parameters.size() > 0)
        check_gradient([&](const Vector& p) { return loss(p, tokens); }, parameters,
                       by_parameters - Vector::Constant(parameters.size(), 3));
}

const std::vector<unsigned char> some{1, 0, 1, 1, 1, 0, 1};

}  // namespace

TEST_CASE("gradients of Linformer with respect to tokens and mixing matrices are those of finite differences") {
    // A sequence as long as they are, and shorter ones; padding.
    const auto head = linformer_attention(3, 8);
    REQUIRE(head->parameters() == 48);
    const Vector parameters = head->start(Stream(3));
    check_head(*head, parameters, 8, 8);
    check_head(*head, parameters, 5, 7);
    check_head(*head, parameters, 5, 7, some);
    // One matrix for keys and values that is not trained.
    const auto drawn = drawn_linformer_attention(attention::random_compression(3, 8, Stream(4)));
    REQUIRE(drawn->parameters() == 0);
    check_head(*drawn, {}, 8, 8);
    check_head(*drawn, {}, 5, 7, some);
}

TEST_CASE("gradients of Nystrom attention are those of finite differences, the inverse square or not") {
    // Segments of several tokens and of one; more landmark queries than landmark keys, and fewer: the pseudo-inverse is
    // then none.
    for (const Index landmarks : {1, 2, 3}) check_head(*nystrom_attention(landmarks), {}, 7, 7);
    check_head(*nystrom_attention(3), {}, 7, 7, some);
    check_head(*nystrom_attention(4), {}, 8, 2);
    check_head(*nystrom_attention(4), {}, 2, 8);
}

TEST_CASE("gradients of LSH attention are those of finite differences within its buckets, and softmax' with one") {
    using attention::LshKeys;
    // Pairs that meet in several rounds have one weight.
    for (const LshKeys keys : {LshKeys::separate, LshKeys::queries})
        for (const Visible visible : {Visible::all, Visible::causal}) {
            const auto one = lsh_attention(attention::draw_hashing(3, 1, 2, Stream(51), keys));
            check_head(*one, {}, 7, 7, {}, visible);
            const auto two = lsh_attention(attention::draw_hashing(3, 2, 3, Stream(51), LshKeys::queries));
            check_head(*two, {}, 7, 7, {}, visible);
        }
    check_head(*lsh_attention(attention::draw_hashing(3, 2, 3, Stream(52))), {}, 9, 7);
    // Draws by which no difference crosses the border of a bucket, where outputs jump.
    check_head(*lsh_attention(attention::draw_hashing(3, 2, 4, Stream(61))), {}, 7, 7, some);

    // One bucket is softmax attention.
    const Points q = normal_points(12, 3, Stream(53)), k = normal_points(12, 3, Stream(54));
    const Points v = normal_points(12, 2, Stream(55)), g = normal_points(12, 2, Stream(56));
    Gradients<double> got, expected;
    Vector none;
    lsh_attention(attention::draw_hashing(3, 1, 1, Stream(57)))
        ->forward(none, {q, k, v}, Visible::causal)
        ->backward(g, got, none);
    softmax_attention()->forward(none, {q, k, v}, Visible::causal)->backward(g, expected, none);
    CHECK((flat(got) - flat(expected)).cwiseAbs().maxCoeff() < 1e-13 * flat(expected).cwiseAbs().maxCoeff() * 100);
}

TEST_CASE("LSH attention as a layer: buckets of queries without a key send nothing, and count") {
    // In two buckets along the only coordinate queries are on one side, and keys on the other, but for the last pair.
    Points q(3, 1), k(3, 1);
    q << 1, 2, 3;
    k << -1, -2, 1;
    const Points v = normal_points(3, 2, Stream(58)), g = normal_points(3, 2, Stream(59));
    const auto pass =
        lsh_attention(attention::draw_hashing(1, 2, 1, Stream(60)))->forward(Vector(), {q, k, v}, Visible::causal);
    CHECK(pass->outcome.nonpositive == 2);
    Gradients<double> by;
    Vector none;
    pass->backward(g, by, none);
    CHECK(by.left_out == 2);
    CHECK(by.values.topRows(2).isZero());
    // One key alone has the weight one, whatever its score.
    CHECK((by.values.row(2) - g.row(2)).cwiseAbs().maxCoeff() < 1e-15);
    CHECK(by.queries.cwiseAbs().maxCoeff() < 1e-15);
}

TEST_CASE("gradients of Nystrom attention hold the rank of the inverse where landmarks coincide") {
    // For queries, then keys: the first of four landmarks of two tokens each is the third, and the second the fourth.
    // Tokens move so that they stay equal.
    const auto coincide = [](Points rows) {
        for (const Index s : {0, 2}) {
            const Points apart = (rows.middleRows(s, 2) - rows.middleRows(s + 4, 2)).colwise().mean() / 2;
            for (Index i = s; i < s + 2; ++i) {
                rows.row(i) -= apart;
                rows.row(i + 4) += apart;
            }
        }
        return rows;
    };
    const auto head = nystrom_attention(4);
    const Points weights = normal_points(8, 2, Stream(2));
    for (const bool of_queries : {true, false})
        for (std::uint64_t number = 0; number < 5; ++number) {
            Tokens at(normal_vector(64, Stream(6)), 8, 8), along(normal_vector(64, Stream(7).child(number)), 8, 8);
            for (Tokens* const one : {&at, &along}) {
                Points& rows = of_queries ? one->queries : one->keys;
                rows = coincide(rows);
            }
            const auto loss = [&](double step) {
                const Points q = at.queries + step * along.queries, k = at.keys + step * along.keys,
                             v = at.values + step * along.values;
                return head->forward(Vector(), {q, k, v}, Visible::all)->output.cwiseProduct(weights).sum();
            };
            Gradients<double> by;
            Vector none;
            head->forward(Vector(), {at.queries, at.keys, at.values}, Visible::all)->backward(weights, by, none);
            const double expected = by.queries.cwiseProduct(along.queries).sum() +
                                    by.keys.cwiseProduct(along.keys).sum() + by.values.cwiseProduct(along.values).sum();
            // As check_gradient() has it, with smaller steps: the inverse makes derivatives larger.
            const double h = 1e-4;
            const double slope = (8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h);
            CHECK(slope == Approx(expected).epsilon(1e-6));
        }
}

TEST_CASE("gradients through fewer keys in float are those in double to its precision") {
    const Index length = 40;
    const Points q = normal_points(length, 4, Stream(11)), k = normal_points(length, 4, Stream(12));
    const Points v = normal_points(length, 4, Stream(13)), g = normal_points(length, 4, Stream(14));
    const Rows<float> qf = q.cast<float>(), kf = k.cast<float>(), vf = v.cast<float>(), gf = g.cast<float>();
    const auto check = [&](const HeadAttention& head) {
        const Vector parameters = head.start(Stream(15));
        const attention::Column<float> narrow = parameters.cast<float>();
        // Gradients of the same numbers in float.
        const Points qd = qf.cast<double>(), kd = kf.cast<double>(), vd = vf.cast<double>(), gd = gf.cast<double>();
        const Vector wide = narrow.cast<double>();
        Gradients<double> expected;
        Gradients<float> got;
        Vector by_wide = Vector::Zero(wide.size());
        attention::Column<float> by_narrow = attention::Column<float>::Zero(narrow.size());
        head.forward(wide, {qd, kd, vd}, Visible::all)->backward(gd, expected, by_wide);
        head.forward(narrow, {qf, kf, vf}, Visible::all)->backward(gf, got, by_narrow);
        // Some hundred roundings of numbers of this size, and the inverse between two landmarks, which is small.
        const double most = flat(expected).cwiseAbs().maxCoeff();
        const double tolerance = 1000 * static_cast<double>(std::numeric_limits<float>::epsilon());
        CHECK((got.queries.cast<double>() - expected.queries).cwiseAbs().maxCoeff() < tolerance * most);
        CHECK((got.keys.cast<double>() - expected.keys).cwiseAbs().maxCoeff() < tolerance * most);
        CHECK((got.values.cast<double>() - expected.values).cwiseAbs().maxCoeff() < tolerance * most);
        if (wide.size() > 0)
            CHECK((by_narrow.cast<double>() - by_wide).cwiseAbs().maxCoeff() <
                  tolerance * by_wide.cwiseAbs().maxCoeff());
    };
    check(*linformer_attention(5, 40));
    check(*drawn_linformer_attention(attention::random_compression(5, 40, Stream(13))));
    check(*nystrom_attention(2));
}

TEST_CASE("as layers Linformer and Nystrom attention are what they are elsewhere") {
    const Points q = normal_points(20, 4, Stream(21)), k = normal_points(20, 4, Stream(22));
    const Points v = normal_points(20, 3, Stream(23));
    Points expected;
    attention::nystrom<double>(6, {q, k, v}, expected);
    CHECK((nystrom_attention(6)->forward(Vector(), {q, k, v}, Visible::all)->output.array() == expected.array()).all());
    // The same mixture of keys and of values.
    const Projections mixing = attention::random_compression(6, 30, Stream(24));
    Vector parameters(2 * mixing.size());
    parameters << Vector(mixing.reshaped<Eigen::RowMajor>()), Vector(mixing.reshaped<Eigen::RowMajor>());
    attention::linformer<double>(mixing, {q, k, v}, expected);
    CHECK((linformer_attention(6, 30)->forward(parameters, {q, k, v}, Visible::all)->output.array() == expected.array())
              .all());
    CHECK((drawn_linformer_attention(mixing)->forward(Vector(), {q, k, v}, Visible::all)->output.array() ==
           expected.array())
              .all());
}

TEST_CASE("tokens of which none is kept give zeros and no gradient") {
    const Points q = normal_points(4, 3, Stream(31)), k = normal_points(5, 3, Stream(32));
    const Points v = normal_points(5, 2, Stream(33)), g = normal_points(4, 2, Stream(34));
    const std::vector<unsigned char> none(5, 0);
    const auto check = [&](const HeadAttention& head) {
        const Vector parameters = head.start(Stream(35));
        const auto pass = head.forward(parameters, {q, k, v, none}, Visible::all);
        CHECK(pass->output.isZero());
        CHECK(pass->outcome.nonpositive == 4);
        Gradients<double> by;
        Vector by_parameters = Vector::Zero(head.parameters());
        pass->backward(g, by, by_parameters);
        CHECK(flat(by).isZero());
        CHECK(by_parameters.isZero());
    };
    check(*linformer_attention(2, 5));
    check(*nystrom_attention(2));
}

TEST_CASE("what mixes all tokens has no causal form, and takes its own number of parameters") {
    const Points q = normal_points(4, 3, Stream(41));
    const auto linformer = linformer_attention(2, 4);
    CHECK(refusal([&] {
              linformer->forward(linformer->start(Stream(1)), {q, q, q}, Visible::causal);
          }) == "linformer: all tokens are mixed before queries see them; there is no causal form");
    CHECK(refusal([&] {
              nystrom_attention(2)->forward(Vector(), {q, q, q}, Visible::causal);
          }) == "nystrom: all tokens are mixed before queries see them; there is no causal form");
    CHECK(refusal([&] {
              linformer->forward(Vector(), {q, q, q}, Visible::all);
          }) == "linformer: 0 parameters for a head that has 16");
    CHECK(refusal([&] {
              drawn_linformer_attention(attention::random_compression(2, 4, Stream(1)))
                  ->forward(Vector(), {q, q, q}, Visible::causal);
          }) == "linformer: all tokens are mixed before queries see them; there is no causal form");
    const Points longer = normal_points(5, 3, Stream(42));
    CHECK(contains(refusal([&] {
                       linformer->forward(linformer->start(Stream(1)), {longer, longer, longer}, Visible::all);
                   }),
                   "linformer: the mixing of keys is 2 x 4 for 5 keys"));
    CHECK(refusal([] { linformer_attention(0, 4); }) == "linformer: 0 mixtures of 4 tokens; both must be positive");
    CHECK(refusal([] { nystrom_attention(0); }) == "nystrom: 0 landmarks; there must be one or more");
}
