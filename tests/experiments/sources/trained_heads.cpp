// Heads of a classifier that is trained first.
#include <omp.h>

#include <sstream>

#include "catch.hpp"
#include "experiments/cells.hpp"
#include "project.hpp"
#include "rfbench/networks/classifier.hpp"
#include "rfbench/networks/recall.hpp"
#include "sources/heads.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using rfbench::tests::contains;

namespace {

const Study& layers_study() { return find("dof", "layers"); }
const Study& error_study() { return find("dof", "error"); }
const Study& learned_study() { return find("dof", "learned"); }

const std::string small_classifiers =
    "seed: 7\n"
    "heads: {use: trained, dimension: 4, sequences: 6, steps: [0, 30], heads: 2, embedding: 6, values: 5, "
    "task: {use: recall, pairs: 3, keys: 4, values: 2, examples: 60}}\n";

/// Queries, keys and values of all heads and sequences, one after another.
std::vector<double> all_rows(const Study& study, const std::string& yaml) {
    const auto source = head_source(parsed(study, yaml), Stream(1).child(study.name));
    const Index heads = source->layers() * source->heads();
    std::vector<std::vector<double>> of(static_cast<std::size_t>(heads));
#pragma omp parallel for schedule(dynamic)
    for (Index at = 0; at < heads; ++at)
        for (Index number = 0; number < source->sequences(); ++number) {
            const HeadSequence one = source->sequence(at / source->heads(), at % source->heads(), number);
            for (const Points& rows : {one.tokens.queries, one.tokens.keys, one.values})
                of[static_cast<std::size_t>(at)].insert(of[static_cast<std::size_t>(at)].end(), rows.data(),
                                                        rows.data() + rows.size());
        }
    std::vector<double> all;
    for (const auto& rows : of) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

}  // namespace

TEST_CASE("trained heads are those of the classifier that the configuration names, bit for bit", "[experiments]") {
    const networks::Recall recall{3, 4, 2};
    const Stream stream = Stream(7).child("dof/trained"), data = stream.child("data");
    const auto training = recall_examples(recall, 40, data.child("training"));
    const auto test = recall_examples(recall, 20, data.child("test"));
    const networks::Transformer classifier =
        networks::classifier({4, 7, 2, 6, 4, 5, networks::ReadOutOf::last}, training::softmax_attention());
    std::vector<double> expected;
    for (const int steps : {0, 30})
        for (std::uint64_t head = 0; head < 2; ++head) {
            const Stream own = stream.child("training").child(head);
            const training::Descent descent{.steps = steps, .rate = 0.01};
            const Vector parameters = steps == 0 ? classifier_start(classifier, own.child("start"))
                                                 : train(classifier, training, descent, own).parameters;
            for (std::size_t i = 0; i < 6; ++i) {
                const auto rows = classifier.heads(
                    networks::Weights<double>(classifier.layout(), parameters, networks::Passes::forward),
                    test[i])[0][0];
                for (const Points& part : {rows.queries, rows.keys, rows.values})
                    expected.insert(expected.end(), part.data(), part.data() + part.size());
                // The kernel of the study, exp(q.k / sqrt d), is the one that the classifier attends with; scores below
                // 10, of four products each, are rounded by less than 1e-14.
                const attention::Inputs<double> in{rows.queries, rows.keys, rows.values};
                const Points attended =
                    training::softmax_attention()->forward(Vector(), in, attention::Visible::all)->output;
                const Points kernel = (rows.queries * rows.keys.transpose() / 2).array().exp();
                const Points exact = kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel * rows.values;
                CHECK((attended - exact).cwiseAbs().maxCoeff() < 1e-13 * rows.values.cwiseAbs().maxCoeff());
            }
        }
    CHECK(all_rows(learned_study(), small_classifiers) == expected);
}

TEST_CASE("trained heads do not depend on threads, and are the same in all studies", "[experiments]") {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const auto rows = all_rows(learned_study(), small_classifiers);
        if (first.empty()) first = rows;
        CHECK(rows == first);
    }
    omp_set_num_threads(omp_get_num_procs());
    CHECK(all_rows(error_study(), small_classifiers) == first);
    const Sweep layers = prepared(layers_study(), small_classifiers + "points: [48]\nlambdas: 0.1\n");
    CHECK(layers.cells().size() == 4);
    CHECK(layers.data.front().front().empty());  // drawn sequences
    CHECK(value(computed(layers, {"layer=1", "head=1"}), "degrees") !=
          value(computed(layers, {"layer=2", "head=1"}), "degrees"));
    const Sweep errors = prepared(error_study(), small_classifiers + "points: 24\nmethods: [positive]\n");
    CHECK(value(computed(errors, errors.cells().front()), "relative_output_error") > 0);
}

TEST_CASE("what trained heads cannot be is refused with its place", "[experiments]") {
    const auto says = [&](const std::string& yaml, const std::string& place, const std::string& sentence) {
        const std::string all = refused(layers_study(), yaml);
        INFO(all);
        CHECK(contains(all, "test.yaml:" + place));
        CHECK(contains(all, sentence));
    };
    says("heads: {use: trained, task: {use: recall, pairs: 3, keys: 2}}\n", "3:59", "at least as many keys as pairs");
    says("heads: {use: trained, task: {use: recall, examples: 30}, sequences: 11}\n", "3:69",
         "but recall holds 10 out of training");
    says("heads: {use: trained, folder: gpt2}\n", "3:23", "'trained' takes no such key");
    says("heads: {use: trained, task: recal}\n", "3:29", "recall");
    says("heads: {use: trained, steps: [-1]}\n", "3:31", "-1");
}

TEST_CASE("a task without good data is refused at its place, with the ways to get them", "[experiments]") {
    std::ostringstream manifest;
    manifest << std::ifstream(project() / "data" / "manifest.yaml").rdbuf();
    std::string other = manifest.str();
    const std::string sum = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8";  // of optdigits.tes
    REQUIRE(other.find(sum) != std::string::npos);
    other.replace(other.find(sum), sum.size(), std::string(sum.size(), '0'));
    const tests::TemporaryFolder folder;  // a project for whose manifest no copy is good
    folder.write("data/manifest.yaml", other);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const std::string refusal = refused(layers_study(), "heads: {use: trained, task: digits}\npoints: [64]\n");
    std::filesystem::current_path(here);
    INFO(refusal);
    CHECK(contains(refusal, "test.yaml:3:29"));
    CHECK(contains(refusal, "rfbench data fetch optdigits"));
}
