// The studies on degrees of freedom in small cases: every variable against kernels, operators and problems that are
// written out.
#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "dof_studies.hpp"
#include "rfbench/dof/operator_error.hpp"
#include "rfbench/dof/optimal_density.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/training/point_training.hpp"
#include "sources/heads.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::dof_studies;

namespace {

/// exp(q.k / sqrt d), zero where a key is later than the query.
Points causal_kernel(const Points& queries, const Points& keys) {
    Points kernel = (queries * keys.transpose() / std::sqrt(static_cast<double>(queries.cols()))).array().exp();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Features phi(x; z) sqrt(alpha / M), written out.
Points features_at(const Points& rows, const dof::WeightedFeatures& at) {
    const double d = static_cast<double>(rows.cols());
    Points exponent = rows * at.points / std::pow(d, 0.25);
    exponent.colwise() -= rows.rowwise().squaredNorm() / (2 * std::sqrt(d));
    exponent.rowwise() += at.log_weights.transpose() / 2;
    return exponent.array().exp() / std::sqrt(static_cast<double>(at.points.cols()));
}

Points causal_estimate(const HeadSequence& of, const dof::WeightedFeatures& features) {
    Points kernel = features_at(of.tokens.queries, features) * features_at(of.tokens.keys, features).transpose();
    for (Index i = 0; i < kernel.rows(); ++i) kernel.row(i).tail(kernel.cols() - i - 1).setZero();
    return kernel;
}

/// Rows divided by their sums.
Points shares(const Points& kernel) { return kernel.rowwise().sum().cwiseInverse().asDiagonal() * kernel; }

/// The mean over queries of the divergence of the estimate's weights from softmax's.
double divergence(const Points& exact, const Points& estimate) {
    const Points p = shares(exact), q = shares(estimate);
    double sum = 0;
    for (Index i = 0; i < p.rows(); ++i)
        for (Index j = 0; j <= i; ++j) sum += p(i, j) * std::log(p(i, j) / q(i, j));
    return sum / static_cast<double>(p.rows());
}

double kernel_loss(const Points& exact, const Points& estimate) {
    return (estimate - exact).squaredNorm() / exact.squaredNorm();
}

/// Weights >= 0 of ten points or so that make the mean of |K^ - K|^2 / |K|^2 over sequences least, by trying every set
/// of points that may have one: the least over a set without bounds, where it is within them.
Vector best_log_weights(const Projections& points, const std::vector<dof::Sequence>& sequences) {
    const Index count = points.cols();
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(count, count);
    Vector b = Vector::Zero(count);
    for (const dof::Sequence& one : sequences) {
        const Points exact = causal_kernel(one.queries, one.keys);
        std::vector<Points> of_points;
        for (Index m = 0; m < count; ++m) {
            const dof::WeightedFeatures single{points.col(m), Vector::Zero(1)};
            const Points query = features_at(one.queries, single), key = features_at(one.keys, single);
            of_points.push_back(
                Points(query * key.transpose() / static_cast<double>(count)).triangularView<Eigen::Lower>());
        }
        for (Index m = 0; m < count; ++m) {
            const Points& own = of_points[static_cast<std::size_t>(m)];
            b[m] += own.cwiseProduct(exact).sum() / exact.squaredNorm();
            for (Index n = 0; n < count; ++n)
                h(m, n) += own.cwiseProduct(of_points[static_cast<std::size_t>(n)]).sum() / exact.squaredNorm();
        }
    }
    double least = 0;
    Vector best = Vector::Zero(count);
    for (int set = 1; set < 1 << count; ++set) {
        std::vector<Index> chosen;
        for (Index m = 0; m < count; ++m)
            if (set >> m & 1) chosen.push_back(m);
        const Eigen::MatrixXd within = h(chosen, chosen);
        const Vector weights = within.ldlt().solve(b(chosen));
        const double loss = weights.dot(within * weights) - 2 * weights.dot(b(chosen));
        if (weights.minCoeff() < 0 || loss >= least) continue;
        least = loss;
        best.setZero();
        best(chosen) = weights;
    }
    return best.unaryExpr([](double w) { return w > 0 ? std::log(w) : -1e28; });
}

Projections normal(Index d, Index count, const char* sampling, const Stream& stream) {
    return features::draw(*features::fit(features::find("positive"), {}), d, count, sampling::find(sampling), stream)
        .omega;
}

Stream own_stream(const char* study, std::uint64_t layer, std::uint64_t head) {
    return Stream(1).child(study).child("features").child(layer).child(head);
}

training::PointTraining small_training(dof::Loss loss) {
    training::PointTraining settings;
    settings.loss = loss;
    settings.steps = 20;
    settings.batch = 2;
    settings.rate = 0.05;
    return settings;
}

}  // namespace

TEST_CASE("dof/layers: degrees of freedom are traces of written-out Gram matrices", "[experiments]") {
    const std::string yaml = small_heads + "points: [40, 96]\nlambdas: [0.1, 1]\n";
    const Sweep sweep = prepared(layers_study(), yaml);
    const Stream seed = Stream(1).child("dof/layers");
    const auto source = head_source(parsed(layers_study(), yaml), seed);
    for (const Index count : {40, 96}) {
        const auto data = computed(sweep, {"layer=2", "head=1", "points=" + std::to_string(count)});
        const Points points = source->sample(1, 0, 4, count, seed.child("sample").child(1).child(std::uint64_t{0}));
        // Nothing is taken twice.
        for (Index i = 1; i < count; ++i)
            CHECK((points.topRows(i).rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff() > 0);
        const Eigen::MatrixXd gram = (points * points.transpose() / 2).array().exp();
        const auto degrees = [&](double ridge) {
            Eigen::MatrixXd regularised = gram;
            regularised.diagonal().array() += ridge;
            return (gram * regularised.inverse()).trace();
        };
        const auto j = static_cast<double>(count);
        for (std::size_t l : {0, 1}) {
            const double lambda = l == 0 ? 0.1 : 1;
            CHECK(values(data, "degrees")[l] == Approx(degrees(j * lambda)).epsilon(1e-9));
            CHECK(values(data, "degrees_undivided")[l] == Approx(degrees(lambda)).epsilon(1e-9));
        }
        CHECK(value(data, "log_trace") == Approx(std::log(gram.trace() / j)).epsilon(1e-12));
        CHECK(value(data, "head_size") == 4);
    }
}

TEST_CASE("dof/error: every variable is what written-out kernels give, of sequences that nothing is fitted to",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 10\npoints: 64\ntests: 2\nsteps: 20\nrepeats: 2\n";
    const Sweep sweep = prepared(error_study(), yaml);
    const Stream seed = Stream(1).child("dof/error");
    const auto source = head_source(parsed(error_study(), yaml), seed);
    const Stream stream = own_stream("dof/error", 0, 1).child(std::uint64_t{10}).child(std::uint64_t{1});
    const Points points = source->sample(0, 1, 2, 64, seed.child("sample").child(std::uint64_t{0}).child(1));
    const std::vector<dof::Sequence> seen{source->sequence(0, 1, 0).tokens, source->sequence(0, 1, 1).tokens};
    const Vector none = Vector::Zero(10);
    const dof::WeightedFeatures start{normal(4, 10, "orthogonal", stream), none};
    const auto trained = [&](dof::Loss loss) {
        return training::train_points(start, seen, small_training(loss), stream.child("training")).features;
    };
    const std::pair<const char*, dof::WeightedFeatures> found[] = {
        {"iid", {normal(4, 10, "iid", stream), none}},
        {"orthogonal", start},
        {"q-lambda", dof::OptimalDensity(points, 0.0625).draw(10, stream)},
        {"q-inf", dof::OptimalDensity(points, std::numeric_limits<double>::infinity()).draw(10, stream)},
        {"weighted", {start.points, best_log_weights(start.points, seen)}},
        {"learned-squared", trained(dof::Loss::squared)},
        {"learned-softmax", trained(dof::Loss::softmax)}};
    for (const auto& [method, features] : found) {
        INFO(method);
        const auto data =
            computed(sweep, {"layer=1", "head=2", "allocation=Fix", std::string("method=") + method, "repeat=1"});
        double kernel = 0, apart = 0, error = 0, size = 0;
        for (const Index number : {2, 3}) {
            const HeadSequence test = source->sequence(0, 1, number);
            const Points exact = causal_kernel(test.tokens.queries, test.tokens.keys);
            const Points estimate = causal_estimate(test, features);
            kernel += kernel_loss(exact, estimate) / 2;
            apart += divergence(exact, estimate) / 2;
            error += (shares(estimate) * test.values - shares(exact) * test.values).squaredNorm();
            size += (shares(exact) * test.values).squaredNorm();
        }
        CHECK(value(data, "features") == 10);
        CHECK(value(data, "relative_kernel_error") == Approx(std::sqrt(kernel)).epsilon(1e-9));
        CHECK(value(data, "divergence") == Approx(apart).epsilon(1e-9));
        CHECK(value(data, "relative_output_error") == Approx(std::sqrt(error / size)).epsilon(1e-9));
    }
}

TEST_CASE("dof/error: another test sequence moves the errors and nothing that is found", "[experiments]") {
    // Three sequences are fitted to; the fourth, or the fourth and the fifth, are measured.
    const auto yaml = [](int sequences, int tests) {
        return "columns: 10\npoints: 64\nsteps: 20\nrepeats: 2\n"
               "heads: {use: decaying, scales: 1, decays: [0, 1], dimension: 4, length: 24, sequences: " +
               std::to_string(sequences) + "}\ntests: " + std::to_string(tests) + "\n";
    };
    const Sweep one = prepared(error_study(), yaml(4, 1)), two = prepared(error_study(), yaml(5, 2));
    const auto source = head_source(parsed(error_study(), yaml(5, 2)), Stream(1).child("dof/error"));
    for (const char* method : {"iid", "q-lambda", "weighted", "learned-softmax"}) {
        INFO(method);
        const std::vector<std::string> cell{"head=2", "allocation=DoF of each head", std::string("method=") + method,
                                            "repeat=0"};
        const auto first = computed(one, cell), both = computed(two, cell);
        CHECK(value(first, "features") == value(both, "features"));
        CHECK(value(first, "divergence") != value(both, "divergence"));
        if (std::string(method) != "iid") continue;
        // The mean of both is that of the first and of the other, by the same features.
        const auto count = static_cast<Index>(value(first, "features"));
        const Stream stream =
            own_stream("dof/error", 0, 1).child(static_cast<std::uint64_t>(count)).child(std::uint64_t{0});
        const HeadSequence other = source->sequence(0, 1, 4);
        const double apart = divergence(causal_kernel(other.tokens.queries, other.tokens.keys),
                                        causal_estimate(other, {normal(4, count, "iid", stream), Vector::Zero(count)}));
        CHECK(value(both, "divergence") == Approx((value(first, "divergence") + apart) / 2).epsilon(1e-9));
    }
}

TEST_CASE("dof/learned: the losses are those of the features that are kept, and of those it began with",
          "[experiments]") {
    const std::string yaml = small_heads + "columns: 6\nsteps: 20\n";
    const Sweep sweep = prepared(learned_study(), yaml);
    const auto source = head_source(parsed(learned_study(), yaml), Stream(1).child("dof/learned"));
    const dof::WeightedFeatures start{normal(4, 6, "orthogonal", own_stream("dof/learned", 1, 0)), Vector::Zero(6)};
    for (const bool squared : {true, false}) {
        const auto data =
            computed(sweep, {"layer=2", "head=1", squared ? "method=learned-squared" : "method=learned-softmax"});
        dof::WeightedFeatures kept{Projections(4, 6), Vector(6)};
        for (Index l = 0; l < 4; ++l)
            for (Index m = 0; m < 6; ++m)
                kept.points(l, m) = data.variable("points").values[static_cast<std::size_t>(6 * l + m)];
        for (Index m = 0; m < 6; ++m) kept.log_weights[m] = values(data, "log_weights")[static_cast<std::size_t>(m)];
        const auto mean = [&](const dof::WeightedFeatures& features) {
            double sum = 0;
            for (Index i = 0; i < 4; ++i) {
                const HeadSequence one = source->sequence(1, 0, i);
                const Points exact = causal_kernel(one.tokens.queries, one.tokens.keys);
                const Points estimate = causal_estimate(one, features);
                sum += (squared ? kernel_loss(exact, estimate) : divergence(exact, estimate)) / 4;
            }
            return sum;
        };
        CHECK(value(data, "before") == Approx(mean(start)).epsilon(1e-9));
        CHECK(value(data, "after") == Approx(mean(kept)).epsilon(1e-9));
        CHECK(value(data, "after") < value(data, "before"));
        CHECK(values(data, "loss").size() == 20);
    }
    CHECK_THROWS_WITH(prepared(learned_study(), small_heads + "methods: [fitted-weights]\n"),
                      Catch::Contains("'fitted-weights' is not trained on the sequences of a head"));
}

TEST_CASE("dof/bound: counts are the formulas', errors those of written-out operators", "[experiments]") {
    const Sweep sweep = prepared(bound_study(), "errors: [0.5, 1]\nmost: 20000\nrepeats: 2\npoints: 10\nscale: 0.4\n");
    const Stream seed = Stream(1).child("dof/bound");
    Eigen::MatrixXd entries(2, 10);
    fill_normal(seed.child("points"), entries);
    const Points points = 0.4 * entries.transpose();
    const Eigen::MatrixXd gram = (points * points.transpose() / std::sqrt(2.0)).array().exp();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram / 10);
    const Eigen::ArrayXd mu = solver.eigenvalues();
    const double n = (mu / (mu + 0.05)).sum();
    for (const bool printed : {true, false}) {
        const double t = 0.5, divisor = printed ? t : t * t;
        const auto data = computed(sweep, {"t=0.5", printed ? "form=printed" : "form=corrected", "repeat=1"});
        const double count = std::ceil(4 * n / divisor * std::log(64 * n / (0.1 * divisor)));
        CHECK(value(data, "degrees") == Approx(n).epsilon(1e-9));
        CHECK(value(data, "features") == count);
        // The operators on functions of the ten points, each of weight 1/10.
        const Stream stream =
            seed.child("features").child(std::uint64_t{0}).child(printed ? "printed" : "corrected").child(1);
        const auto features = dof::OptimalDensity(points, 0.05).draw(static_cast<Index>(count), stream);
        const Points phi = features_at(points, features);
        const Eigen::MatrixXd root =
            solver.eigenvectors() * (mu + 0.05).rsqrt().matrix().asDiagonal() * solver.eigenvectors().transpose();
        const Eigen::MatrixXd apart = root * (gram - phi * phi.transpose()) / 10 * root;
        CHECK(value(data, "error") ==
              Approx(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(apart).eigenvalues().cwiseAbs().maxCoeff())
                  .epsilon(1e-9));
    }
}
