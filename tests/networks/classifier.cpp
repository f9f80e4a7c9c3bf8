#include "rfbench/networks/classifier.hpp"

#include <omp.h>

#include <limits>
#include <set>

#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/networks/recall.hpp"
#include "rfbench/networks/trainer.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using namespace rfbench::tests;
using features::network_channels;
using training::learned_attention;
using training::softmax_attention;

namespace {

std::shared_ptr<const training::HeadAttention> smooth_head() {
    return learned_attention(
        {.dimension = 3, .projections = 2, .channels = network_channels({2, 3, "tanh", "sigmoid"})});
}

constexpr ClassifierShape small(ReadOutOf pooling) {
    return {.tokens = 5, .inputs = 2, .classes = 3, .embedding = 4, .dimension = 3, .values = 2, .pooling = pooling};
}

Sequence<double> sequence(Points tokens, int label) { return {.rows = std::move(tokens), .targets = {{0, label}}}; }

Loss loss_of(const Transformer& network, const Vector& at, const std::vector<Sequence<double>>& sequences) {
    Workspace<double> work;
    return network.evaluate<double>({network.layout(), at, Passes::forward}, sequences, work).loss;
}

}  // namespace

TEST_CASE("a classifier is its formula, z = pooled(attention(H Wq, H Wk, H Wv)) R + r, H = X A + P") {
    const Points tokens = normal_points(5, 2, Stream(1));
    for (const ReadOutOf pooling : {ReadOutOf::mean, ReadOutOf::last})
        for (const auto& head : {std::shared_ptr<const training::HeadAttention>(softmax_attention()), smooth_head()}) {
            const Transformer network = classifier(small(pooling), head);
            const Index own = head->parameters();
            REQUIRE(network.layout().size() == (2 + 5) * 4 + 4 * (3 + 3 + 2) + (2 + 1) * 3 + own);
            const Vector at =
                classifier_start(network, Stream(2)) + 0.3 * normal_vector(network.layout().size(), Stream(3));
            const auto matrix = [&](const char* name) -> Points { return view(at, network.layout().find(name)); };
            const Points hidden = tokens * matrix("wie.weight") + matrix("wpe.weight"),
                         all = hidden * matrix("h.0.attn.c_attn.weight");
            const Points q = all.leftCols(3), k = all.middleCols(3, 3), v = all.rightCols(2);
            const auto pass = head->forward(head_parameters(network, at), {q, k, v}, attention::Visible::all);
            const Points pooled =
                pooling == ReadOutOf::mean ? Points(pass->output.colwise().mean()) : Points(pass->output.bottomRows(1));
            const Points z = pooled * matrix("lm_head.weight") + matrix("lm_head.bias");
            // Sums of at most five products of numbers of order one.
            const Points got = network.outputs<double>({network.layout(), at, Passes::forward}, sequence(tokens, 1));
            CHECK((got - z).cwiseAbs().maxCoeff() < 1e-13);
            CHECK(loss_of(network, at, {sequence(tokens, 1)}).sum ==
                  Approx(-std::log(std::exp(z(0, 1)) / z.array().exp().sum())).epsilon(1e-12));
            const auto rows = network.heads<double>({network.layout(), at, Passes::forward}, sequence(tokens, 1))[0][0];
            CHECK((rows.queries - q).cwiseAbs().maxCoeff() < 1e-13);
            CHECK((rows.values - v).cwiseAbs().maxCoeff() < 1e-13);
        }
}

TEST_CASE("gradients of the classifier with respect to all its parameters are those of finite differences") {
    const std::vector<Sequence<double>> batch{sequence(normal_points(5, 2, Stream(1)), 1),
                                              sequence(normal_points(5, 2, Stream(4)), 2)};
    for (const ReadOutOf pooling : {ReadOutOf::mean, ReadOutOf::last})
        for (const auto& head : {std::shared_ptr<const training::HeadAttention>(softmax_attention()), smooth_head()}) {
            const Transformer network = classifier(small(pooling), head);
            const Vector at =
                classifier_start(network, Stream(2)) + 0.3 * normal_vector(network.layout().size(), Stream(3));
            Workspace<double> work;
            Vector gradient;
            network.gradient<double>({network.layout(), at, Passes::both}, batch, work, gradient);
            check_gradient([&](const Vector& p) { return loss_of(network, p, batch).mean(); }, at, gradient);
        }
}

TEST_CASE("the classifier's beginning knows nothing, and its layer does not depend on the head") {
    const ClassifierShape shape{.tokens = 5, .inputs = 2, .classes = 4};
    const Transformer one = classifier(shape, softmax_attention());
    const Transformer other = classifier(shape, learned_attention({.dimension = 16, .channels = network_channels({})}));
    const Vector a = classifier_start(one, Stream(1)), b = classifier_start(other, Stream(1));
    for (const Parameter& parameter : one.layout().all()) {
        INFO(parameter.name);
        CHECK((view(a, parameter).array() == view(b, other.layout().find(parameter.name)).array()).all());
    }
    CHECK(other.layout().size() == one.layout().size() + 16 * 8 + 8 + 8 * 49);
    CHECK(trained(other) == other.layout().size());
    CHECK(loss_of(one, a, {sequence(normal_points(5, 2, Stream(2)), 3)}).sum == Approx(std::log(4.0)).epsilon(1e-14));
    // Laws: matrices have the deviation 1 / sqrt(rows), positions 1/2.
    const Transformer large =
        classifier({.tokens = 50, .inputs = 9, .classes = 4, .embedding = 40}, softmax_attention());
    const Vector start = classifier_start(large, Stream(7));
    const auto deviation = [&](const char* name) {
        const Points entries = view(start, large.layout().find(name));
        return std::sqrt(entries.squaredNorm() / static_cast<double>(entries.size()));
    };
    // Within six standard errors, 1 / sqrt(2 n), of 360 numbers and more.
    CHECK(deviation("wie.weight") == Approx(1 / 3.0).epsilon(6 / std::sqrt(2 * 360.0)));
    CHECK(deviation("wpe.weight") == Approx(0.5).epsilon(6 / std::sqrt(2 * 2000.0)));
    CHECK(deviation("h.0.attn.c_attn.weight") == Approx(1 / std::sqrt(40.0)).epsilon(6 / std::sqrt(2 * 1920.0)));
    CHECK(deviation("lm_head.weight") == 0);
    // Queries, keys and values begin with numbers of their own.
    const Points project = view(start, large.layout().find("h.0.attn.c_attn.weight"));
    const MultiHead& attention = large.layer(0).attention();
    const Points parts[] = {attention.part(project, 0, 0), attention.part(project, 0, 1),
                            attention.part(project, 0, 2)};
    for (const auto& [i, j] : {std::pair(0, 1), {0, 2}, {1, 2}})
        CHECK((parts[i].leftCols(8).array() != parts[j].leftCols(8).array()).all());
}

TEST_CASE("sequences to recall: keys differ, the last token asks for one of them, and the class is its value") {
    const Recall recall{.pairs = 5, .keys = 7, .values = 3};
    const auto examples = recall_examples(recall, 200, Stream(4));
    std::vector<int> classes(3, 0);
    int of_first = 0;
    for (const Sequence<double>& example : examples) {
        const Points& tokens = example.rows;
        REQUIRE(tokens.rows() == 6);
        REQUIRE(tokens.cols() == 11);
        REQUIRE(example.targets.size() == 1);
        const int label = example.targets[0].value;
        std::set<Index> keys;
        Index asked = 0, key = 0, first = 0;
        tokens.row(0).head(7).maxCoeff(&first);
        tokens.row(5).head(7).maxCoeff(&asked);
        int found = 0;
        for (Index t = 0; t < 5; ++t) {
            CHECK(tokens.row(t).sum() == 2);
            tokens.row(t).head(7).maxCoeff(&key);
            keys.insert(key);
            if (key == asked) {
                ++found;
                CHECK(tokens(t, 7 + label) == 1);
            }
        }
        CHECK(keys.size() == 5);
        CHECK(found == 1);
        CHECK(tokens.row(5).sum() == 2);
        CHECK(tokens(5, 10) == 1);
        ++classes[static_cast<std::size_t>(label)];
        of_first += asked == first;
    }
    // A fifth of 200, standard deviation 5.7: six of them.
    CHECK(std::abs(of_first - 40.0) < 34);
    // Thirds of 200, standard deviation 6.7: six of them.
    for (const int count : classes) CHECK(std::abs(count - 200.0 / 3) < 40);
    CHECK((recall_examples(recall, 3, Stream(4))[2].rows.array() == examples[2].rows.array()).all());
    CHECK_THROWS_WITH(recall_examples({.pairs = 9, .keys = 8}, 1, Stream(1)),
                      "recall: 9 pairs, 8 keys and 4 values; there must be a pair, a key for each and two values");
}

TEST_CASE("training learns to recall, with the same bits for any number of threads") {
    const Recall recall{.pairs = 3, .keys = 4, .values = 2};
    const auto examples = recall_examples(recall, 1000, Stream(5).child("train"));
    const auto held_out = recall_examples(recall, 400, Stream(5).child("test"));
    const Transformer network = classifier(
        {.tokens = recall.tokens(),
         .inputs = recall.inputs(),
         .classes = recall.values,
         .embedding = 12,
         .dimension = 6,
         .values = 6,
         .pooling = ReadOutOf::last},
        learned_attention({.dimension = 6, .projections = 4, .channels = network_channels({4, 8, "relu", "elu+1"})}));
    const training::Descent descent{.steps = 1500, .batch = 16, .rate = 0.02};
    omp_set_num_threads(1);
    const auto one = train(network, examples, descent, Stream(6));
    // To guess one of two is right in half of 400, standard deviation 0.025: twelve of them above it is 0.8.
    CHECK(loss_of(network, one.parameters, held_out).accuracy() > 0.8);
    const training::Descent few{.steps = 20, .batch = 8, .rate = 0.02};
    const auto first = train(network, examples, few, Stream(6));
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const auto more = train(network, examples, few, Stream(6));
        CHECK((more.parameters.array() == first.parameters.array()).all());
        CHECK(more.losses == first.losses);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("a classifier's training is descent over its examples one by one, to rounding") {
    const Recall recall{.pairs = 3, .keys = 4, .values = 2};
    const auto examples = recall_examples(recall, 40, Stream(8));
    const Transformer network = classifier({.tokens = 4,
                                            .inputs = 7,
                                            .classes = 2,
                                            .embedding = 6,
                                            .dimension = 4,
                                            .values = 5,
                                            .pooling = ReadOutOf::last},
                                           softmax_attention());
    const training::Descent descent{.steps = 12, .batch = 16, .rate = 0.02};
    const auto loss = [&](const Vector& parameters, Index number, Vector& gradient) {
        Workspace<double> work;
        Vector own;
        const double sum = network
                               .gradient<double>({network.layout(), parameters, Passes::both},
                                                 {&examples[static_cast<std::size_t>(number)], 1}, work, own)
                               .loss.sum;
        gradient += own;
        return sum;
    };
    const auto expected = training::descend(classifier_start(network, Stream(9).child("start")), 40, loss, descent,
                                            Stream(9).child("batches"));
    const auto trained = train(network, examples, descent, Stream(9));
    // Adam divides by the size of gradients: where these are 1e-8 and more, roundings of 1e-16 grow to 1e-8 of a step.
    CHECK((trained.parameters - expected.parameters).cwiseAbs().maxCoeff() < 1e-6);
    for (std::size_t step = 0; step < 12; ++step)
        CHECK(trained.losses[step] == Approx(expected.losses[step]).epsilon(1e-7));
}

TEST_CASE("the classifier refuses shapes, classes and numbers that cannot be") {
    CHECK_THROWS_WITH(
        classifier({.tokens = 5, .inputs = 2, .classes = 1}, softmax_attention()),
        "classifier: sequences of 5 x 2, 1 classes, embedding 16, dimension 16, values 16; all must be positive, "
        "and classes at least 2");
    const Transformer network = classifier({.tokens = 5, .inputs = 2, .classes = 3}, softmax_attention());
    const Vector at = classifier_start(network, Stream(1));
    const Points tokens = normal_points(5, 2, Stream(2));
    const auto said = [&](const Vector& parameters, const Sequence<double>& one) {
        return refusal([&] { loss_of(network, parameters, {one}); });
    };
    CHECK(contains(said(at.head(4), sequence(tokens, 0)), "4"));
    CHECK(contains(said(at, sequence(normal_points(6, 2, Stream(2)), 0)), "there are 6 tokens; the model has 5"));
    CHECK(contains(said(at, sequence(tokens, 3)), "a target is 3; outputs are numbered 0 to 2"));
    Points spoilt = tokens;
    spoilt(3, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(contains(said(at, sequence(spoilt, 0)), "nan at row 3, column 1"));
    Vector infinite = at;
    infinite[0] = std::numeric_limits<double>::infinity();
    CHECK(contains(said(infinite, sequence(tokens, 0)), "wie.weight"));
    // Shapes that a layer of attention alone cannot be part of.
    TransformerShape shape = network.shape();
    shape.layers = 2;
    CHECK(contains(refusal([&] { Transformer(shape, softmax_heads(2)); }), "attention alone"));
}
