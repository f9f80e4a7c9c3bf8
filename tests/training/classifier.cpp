#include "rfbench/training/classifier.hpp"

#include <omp.h>

#include <limits>
#include <set>

#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/training/recall.hpp"
#include "support/gradients.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::training;
using namespace rfbench::tests;
using features::network_channels;

namespace {

std::shared_ptr<const HeadAttention> smooth_head() {
    return learned_attention(
        {.dimension = 3, .projections = 2, .channels = network_channels({2, 3, "tanh", "sigmoid"})});
}

}  // namespace

TEST_CASE("gradients of the classifier with respect to all its parameters are those of finite differences") {
    const Example example{normal_points(5, 2, Stream(1)), 1};
    for (const Pooling pooling : {Pooling::mean, Pooling::last})
        for (const auto& head : {std::shared_ptr<const HeadAttention>(softmax_attention()), smooth_head()}) {
            const Classifier classifier({.tokens = 5,
                                         .inputs = 2,
                                         .classes = 3,
                                         .embedding = 4,
                                         .dimension = 3,
                                         .values = 2,
                                         .pooling = pooling},
                                        head);
            const Vector at = classifier.start(Stream(2)) + 0.3 * normal_vector(classifier.parameters(), Stream(3));
            Vector gradient = Vector::Zero(at.size());
            const double loss = classifier.loss(at, example, gradient);
            const Vector logits = classifier.scores(at, example).logits;
            CHECK(loss == Approx(-std::log(std::exp(logits[1]) / logits.array().exp().sum())).epsilon(1e-13));
            check_gradient(
                [&](const Vector& p) {
                    Vector unused = Vector::Zero(p.size());
                    return classifier.loss(p, example, unused);
                },
                at, gradient);
        }
}

TEST_CASE("the classifier's beginning knows nothing, and its layer does not depend on the head") {
    const ClassifierShape shape{.tokens = 5, .inputs = 2, .classes = 4};
    const Classifier one(shape, softmax_attention());
    const Classifier other(shape, learned_attention({.dimension = 16, .channels = network_channels({})}));
    const Vector a = one.start(Stream(1)), b = other.start(Stream(1));
    CHECK((a.array() == b.head(a.size()).array()).all());
    CHECK(other.parameters() == one.parameters() + 16 * 8 + 8 + 8 * 49);
    Vector gradient = Vector::Zero(a.size());
    CHECK(one.loss(a, {normal_points(5, 2, Stream(2)), 3}, gradient) == Approx(std::log(4.0)).epsilon(1e-14));
}

TEST_CASE("sequences to recall: keys differ, the last token asks for one of them, and the class is its value") {
    const Recall recall{.pairs = 5, .keys = 7, .values = 3};
    const auto examples = recall_examples(recall, 200, Stream(4));
    std::vector<int> classes(3, 0);
    for (const Example& example : examples) {
        REQUIRE(example.tokens.rows() == 6);
        REQUIRE(example.tokens.cols() == 11);
        std::set<Index> keys;
        Index asked = 0, key = 0;
        example.tokens.row(5).head(7).maxCoeff(&asked);
        int found = 0;
        for (Index t = 0; t < 5; ++t) {
            CHECK(example.tokens.row(t).sum() == 2);
            example.tokens.row(t).head(7).maxCoeff(&key);
            keys.insert(key);
            if (key == asked) {
                ++found;
                CHECK(example.tokens(t, 7 + example.label) == 1);
            }
        }
        CHECK(keys.size() == 5);
        CHECK(found == 1);
        CHECK(example.tokens.row(5).sum() == 2);
        CHECK(example.tokens(5, 10) == 1);
        ++classes[static_cast<std::size_t>(example.label)];
    }
    // Thirds of 200, standard deviation 6.7: six of them.
    for (const int count : classes) CHECK(std::abs(count - 200.0 / 3) < 40);
    CHECK((recall_examples(recall, 3, Stream(4))[2].tokens.array() == examples[2].tokens.array()).all());
    CHECK_THROWS_WITH(recall_examples({.pairs = 9, .keys = 8}, 1, Stream(1)),
                      "recall: 9 pairs, 8 keys and 4 values; there must be a pair, a key for each and two values");
}

TEST_CASE("training learns to recall, with the same bits for any number of threads") {
    const Recall recall{.pairs = 3, .keys = 4, .values = 2};
    const auto training = recall_examples(recall, 1000, Stream(5).child("train"));
    const auto held_out = recall_examples(recall, 400, Stream(5).child("test"));
    const Classifier classifier(
        {.tokens = recall.tokens(),
         .inputs = recall.inputs(),
         .classes = recall.values,
         .embedding = 12,
         .dimension = 6,
         .values = 6,
         .pooling = Pooling::last},
        learned_attention({.dimension = 6, .projections = 4, .channels = network_channels({4, 8, "relu", "elu+1"})}));
    const training::Descent descent{.steps = 1500, .batch = 16, .rate = 0.02};
    omp_set_num_threads(1);
    const auto one = train(classifier, training, descent, Stream(6));
    // To guess one of two is right in half of 400, standard deviation 0.025: twelve of them above it is 0.8.
    CHECK(accuracy(classifier, one.parameters, held_out).accuracy > 0.8);
    const training::Descent few{.steps = 20, .batch = 8, .rate = 0.02};
    const auto first = train(classifier, training, few, Stream(6));
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        const auto more = train(classifier, training, few, Stream(6));
        CHECK((more.parameters.array() == first.parameters.array()).all());
        CHECK(more.losses == first.losses);
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_CASE("the classifier refuses shapes, classes and numbers that cannot be") {
    CHECK_THROWS_WITH(
        Classifier({.tokens = 5, .inputs = 2, .classes = 1}, softmax_attention()),
        "classifier: sequences of 5 x 2, 1 classes, embedding 16, dimension 16, values 16; all must be positive, "
        "and classes at least 2");
    const Classifier classifier({.tokens = 5, .inputs = 2, .classes = 3}, softmax_attention());
    const Vector at = classifier.start(Stream(1));
    const Points tokens = normal_points(5, 2, Stream(2));
    CHECK_THROWS_WITH(classifier.scores(at.head(4), {tokens, 0}),
                      "classifier: 4 parameters; it has " + std::to_string(classifier.parameters()));
    CHECK_THROWS_WITH(classifier.scores(at, {tokens.topRows(4), 0}),
                      "classifier: a sequence is 4 x 2; it was made for 5 x 2");
    CHECK_THROWS_WITH(classifier.scores(at, {tokens, 3}), "classifier: the class 3 is not from 0 to 2");
    Points spoilt = tokens;
    spoilt(3, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(classifier.scores(at, {spoilt, 0}), Catch::Contains("queries have nan at row 3, column 0"));
    CHECK_THROWS_WITH(accuracy(classifier, at, {}), "classifier: there are no examples to classify");
    Vector infinite = at;
    infinite[0] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(classifier.scores(infinite, {tokens, 0}), std::invalid_argument);
}
