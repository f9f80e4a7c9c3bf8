// The memory that plan states is a cell's peak, within a factor of two.
#include <omp.h>

#include <algorithm>

#include "catch.hpp"
#include "experiments/cells.hpp"
#include "experiments/small_images.hpp"
#include "rfbench/memory/high_water_mark.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

/// The largest peak of a configuration's cells, over what is planned.
double peak_over_plan(const char* experiment, const char* study, const std::string& yaml) {
    const Study& own = find(experiment, study);
    const Sweep sweep = own.prepare(parsed(own, yaml));
    // As cells are computed: with one thread each.
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    double most = 0;
    for (const engine::Cell& cell : sweep.cells()) {
        const memory::HighWaterMark mark;
        computed(sweep, cell);
        most = std::max(most, static_cast<double>(mark.bytes()));
    }
    omp_set_num_threads(threads);
    return most / sweep.bytes;
}

void check_plan(const char* experiment, const char* study, const std::string& yaml) {
    INFO(experiment << "/" << study << "\n" << yaml);
    const double ratio = peak_over_plan(experiment, study, yaml);
    CHECK(ratio > 0.5);
    CHECK(ratio < 2);
}

}  // namespace

TEST_CASE("Planned memory is what cells take, within a factor of two", "[experiments]") {
    // Variances, or the second moments, are the largest arrays.
    check_plan("variance", "angle",
               "methods: [positive]\nnorms: {linspace: [0.1, 2, 80]}\nangles: {linspace: [0, 180, 91]}\n");
    check_plan("variance", "gain", "dimensions: [16, 256]\nsquare_sums: [1, 9]\n");
    // Maps, of few and of many coordinates; then estimates.
    for (const char* size : {"dimensions: [2, 4]\nblocks: 64\n", "dimensions: [32]\nblocks: 4\n"})
        for (const char* methods : {"[trigonometric]", "[positive, regularized, hybrid]"})
            check_plan("variance", "monte-carlo",
                       std::string("methods: ") + methods + "\nsamplings: [iid]\nrepeats: 100\n" + size);
    check_plan("variance", "monte-carlo",
               "methods: [positive]\nsamplings: [iid]\ndimensions: [2]\nblocks: 1\nrepeats: 20000\n");
    for (const char* methods : {"[trigonometric]", "[positive, regularized]"})
        check_plan("variance", "orthogonal",
                   std::string("methods: ") + methods +
                       "\nsamplings: [orthogonal]\ndimensions: [4, 16]\nblocks: [1, 16]\ndistances: [1]\n"
                       "drawn_distances: [0.5]\nrepeats: 100\n");
    const std::string pair = "pairs: [{label: one, dimension: 16, norms: [0.7, 0.7], angle: 30}]\nerrors: [1]\n";
    for (const char* methods : {"[trigonometric]", "[positive, dense-centred]"})
        check_plan(
            "concentration", "tail",
            std::string("methods: ") + methods + "\nsamplings: [orthogonal]\ndraws: [8, 256]\nrepeats: 20\n" + pair);
    check_plan("concentration", "tail", "methods: [positive]\nsamplings: [iid]\ndraws: [1]\nrepeats: 20000\n" + pair);
}

TEST_CASE("Planned memory of networks that classify long sequences is what they take, within a factor of two",
          "[experiments]") {
    // The most is what layers leave to their backward passes, held-out data, and what a trained map keeps.
    const std::string rest = "steps: 1\nrates: [0.01]\nseeds: 2\nevaluations: 1\n";
    const std::string longer = "tasks: {use: lists, shortest: 300, longest: 600, depth: 8, nested: 0.3, batch: 2}\n";
    check_plan("training", "long-range",
               "methods: [exact, linformer, nystrom, positive]\nvalidation: 2\ntest: 2\n" + longer + rest);
    check_plan("training", "long-range",
               "methods: [luna]\nlayers: 1\nheads: 1\nwidth: 16\ninner: 16\nvalidation: 2\ntest: 2\n" + longer + rest);
}

TEST_CASE("Planned memory of classifiers is what they take, within a factor of two", "[experiments]") {
    const std::string rest = "batch: 2\nsteps: 1\nrepeats: 2\n";
    // The most is examples, and then what is kept for a gradient.
    check_plan(
        "learned", "classify",
        "methods: [exact, luna, positive]\ncolumns: 8\ntasks: {use: recall, pairs: 6, keys: 16, examples: 300}\n" +
            rest);
    for (const char* methods : {"[luna]", "[positive, relu]"})
        check_plan("learned", "classify",
                   std::string("methods: ") + methods +
                       "\ncolumns: 512\ntasks: {use: recall, pairs: 24, keys: 24, examples: 6}\n" + rest);
}

TEST_CASE("Planned memory of networks for images is what they take, within a factor of two", "[experiments]") {
    const tests::TemporaryFolder folder;
    const std::string set = "images: {use: file, training: " + tests::SmallImages(400, 12).written(folder, "train") +
                            ", test: " + tests::SmallImages(400, 12, 50).written(folder, "test") + "}\n";
    const std::string rest = "patch: 2\ncolumns: 16\nbatch: 16\nsteps: 2\nevaluations: 1\nrates: 0.01\nseeds: 2\n";
    // A cell sees one OpenMP thread, and parts of batches are kept by thread.
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    // The most is parameters, what is kept for gradients, and pictures.
    for (const char* sizes : {"width: 256\ninner: 512\nheads: 4\n", "width: 32\ninner: 64\nlayers: 8\nheads: 2\n",
                              "width: 32\ninner: 16\nlayers: 1\nheads: 16\nheld_out: 10\n"})
        for (const char* methods : {"[exact]", "[{use: positive, mask: toeplitz}]"})
            check_plan("training", "images", set + "methods: " + methods + "\n" + rest + sizes);
    omp_set_num_threads(before);
}

TEST_CASE("Planned memory of networks on drawn tasks is what they take, within a factor of two", "[experiments]") {
    const std::string rest =
        "columns: 16\nsteps: 2\nbatch: 6\nrates: [0.01]\nseeds: 2\nevaluations: 1\nvalidation: 2\ntest: 2\nlayers: 1\n"
        "heads: 2\n";
    // The most is parameters, and then activations.
    check_plan("training", "recall",
               "methods: [exact, positive]\nvocabulary: 4000\npairs: [2]\nlength: 16\nwidth: 64\ninner: 32\n" + rest);
    check_plan("training", "copying",
               "methods: [exact, positive]\nvocabulary: 8\nlengths: [2048]\nwidth: 64\ninner: 128\n" + rest);
    // Maps and features.
    const std::string wide = "columns: 2048" + rest.substr(rest.find('\n'));
    check_plan("training", "copying",
               "methods: [exact, positive]\nvocabulary: 8\nlengths: [512]\nwidth: 64\ninner: 64\n" + wide);
}

TEST_CASE("Planned memory of whole networks is what a gradient takes, within a factor of two", "[experiments]") {
    // The study counts by itself, beside parameters, which are few here. Where layers' activations are the most, the
    // read-out, and several sequences.
    const std::string rest = "columns: 16\nrepeats: 2\nmin_seconds: 1e-6\nmax_seconds: 1e-6\nthreads: 1\n";
    const Study& study = find("cost", "network");
    for (const char* methods : {"exact", "copy", "positive", "linear-transformer"})
        for (const char* sizes : {"lengths: [512]\nlayers: [1, 6]\nwidth: 64\ninner: 128\nheads: 4\n",
                                  "lengths: [1024]\nlayers: [1]\nwidth: 32\ninner: 32\nheads: 1\nvocabulary: 1000\n",
                                  "lengths: [512]\nlayers: [2]\nwidth: 128\ninner: 512\nheads: 2\n",
                                  "lengths: [256]\nbatches: [6]\nlayers: [2]\nwidth: 64\ninner: 64\nheads: 4\n"}) {
            INFO(methods << "\n" << sizes);
            const Sweep sweep =
                study.prepare(parsed(study, "methods: [" + std::string(methods) + "]\n" + sizes + rest));
            const auto peaks = computed(sweep, sweep.cells().front()).variable("peak_bytes").values;
            const double ratio = *std::max_element(peaks.begin(), peaks.end()) / sweep.bytes;
            CHECK(ratio > 0.5);
            CHECK(ratio < 2);
        }
}

TEST_CASE("Planned memory of decoding is what it takes, within a factor of two", "[experiments]") {
    for (const char* methods : {"[exact]", "[exact, positive]", "[{use: positive, columns: 4096}]"})
        check_plan("cost", "decoding",
                   std::string("positions: [4096]\ncolumns: 64\nrepeats: 2\nmethods: ") + methods + "\n");
}

TEST_CASE("Planned memory of Theorem 3 is what its features take, within a factor of 1.5", "[experiments]") {
    // The most is features, coordinates of them, and matrices of the points.
    for (const char* sizes : {"points: 128\nerrors: [0.3]\n", "points: 2\ndimension: 64\nlambda: 1\nerrors: [0.1]\n",
                              "points: 256\nlambda: 100\nerrors: [3]\n"}) {
        INFO(sizes);
        const double ratio = peak_over_plan("dof", "bound", std::string("repeats: 1\n") + sizes);
        CHECK(ratio > 1 / 1.5);
        CHECK(ratio < 1.5);
    }
}
