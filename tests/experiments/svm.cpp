// regression/svm on a small data set: every variable by machines of matrices that are written out.
#include "rfbench/regression/svm.hpp"

#include "catch.hpp"
#include "cells.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "small_set.hpp"
#include "split_parts.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::split_parts;

namespace {

constexpr Index n = 120;

const std::string yaml =
    "datasets: [small]\nmethods: [positive, exact]\ngammas: [0.3, 1]\nbounds: [0.1, 1]\ncolumns: [8]\nrepeats: 2\n"
    "splits: 2\ngap: 1e-6\nrounds: 100000\nconstant: 2\n";

/// Machines of the three classes against the others: values at other rows, and rows that support any.
struct Machines {
    Points values;
    Eigen::Array<bool, Eigen::Dynamic, 1> supports;

    Machines(Index asked, Index trained)
        : values(asked, 3), supports(Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(trained, false)) {}

    double error(const std::vector<int>& truth, Index first) const {
        double wrong = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) {
            Index best = 0;
            values.row(first + static_cast<Index>(i)).maxCoeff(&best);
            wrong += best != truth[i];
        }
        return wrong / static_cast<double>(truth.size());
    }
    double support() const { return static_cast<double>(supports.count()) / static_cast<double>(supports.size()); }
};

template <class Train>
Machines machines(const Parts& parts, Train train) {
    Machines result(parts.validation.rows() + parts.test.rows(), parts.training.rows());
    for (int own = 0; own < 3; ++own) {
        Vector labels(parts.training.rows());
        for (Index i = 0; i < labels.size(); ++i)
            labels[i] = parts.training_classes[static_cast<std::size_t>(i)] == own ? 1 : -1;
        const auto [alpha, values] = train(labels);
        result.values.col(own) = values;
        result.supports = result.supports || alpha.array() > 0;
    }
    return result;
}

}  // namespace

TEST_CASE("regression/svm: every variable is what machines of explicit matrices give", "[experiments]") {
    const small_set::Rows rows = small_set::clouds(n);
    const small_set::Project project(rows);
    const Study& study = find("regression", "svm");
    const Sweep sweep = study.prepare(parsed(study, yaml));
    CHECK(sweep.cells().size() == 2 * 2 * 2);
    const Parts parts(rows, 1);
    Points asked(parts.validation.rows() + parts.test.rows(), 2);
    asked << parts.validation, parts.test;
    const auto exact = computed(sweep, {"method=exact", "split=1"});
    const auto drawn = computed(sweep, {"method=positive", "split=1"});
    CHECK(std::isnan(value(exact, "features")));
    CHECK(value(drawn, "features") == 8);
    const regression::SvmStop stop{1e-6, 100'000};
    for (std::size_t g : {0, 1})
        for (std::size_t b : {0, 1}) {
            const double gamma = g == 0 ? 0.3 : 1, bound = b == 0 ? 0.1 : 1;
            INFO("gamma " << gamma << ", C " << bound);
            const auto check = [&](const store::Dataset& data, const auto& draws) {
                statistics::RunningMoments validation, test, support;
                for (const Machines& one : draws) {
                    validation.add(one.error(parts.validation_classes, 0));
                    test.add(one.error(parts.test_classes, parts.validation.rows()));
                    support.add(one.support());
                }
                CHECK(values(data, "validation_error")[2 * g + b] == Approx(validation.mean()));
                CHECK(values(data, "test_error")[2 * g + b] == Approx(test.mean()));
                // Within the gap a row or two may support in one order of the rows and not in another.
                CHECK(values(data, "support")[2 * g + b] == Approx(support.mean()).margin(2.5 / 108));
                CHECK(values(data, "unreached")[2 * g + b] == 0);
                CHECK(values(data, "rounds")[2 * g + b] >= 1);
                CHECK(values(data, "lost")[g] == 0);
                CHECK(values(data, "training_rows")[g] == 108);
            };
            check(exact, std::vector{machines(parts, [&](const Vector& labels) {
                      const auto svm =
                          regression::kernel_svm(gaussian(parts.training, parts.training, gamma), labels, bound, stop);
                      Vector at = gaussian(asked, parts.training, gamma) * svm.alpha.cwiseProduct(labels);
                      at.array() += svm.offset;
                      return std::pair<Vector, Vector>(svm.alpha, at);
                  })});
            std::vector<Machines> draws;
            for (std::uint64_t draw : {0, 1}) {
                const Projections w = omega(8, "iid", parts.features.child(draw));
                const auto with_constant = [&](const Points& of) {
                    Points all(of.rows(), 9);
                    all << positive(of, gamma, w), Vector::Constant(of.rows(), 2);
                    return all;
                };
                draws.push_back(machines(parts, [&](const Vector& labels) {
                    const auto svm =
                        regression::linear_svm(with_constant(parts.training), labels, bound, stop, Stream(3));
                    return std::pair<Vector, Vector>(svm.alpha, with_constant(asked) * svm.weights);
                }));
            }
            check(drawn, draws);
        }
}

TEST_CASE("regression/svm: machines that end before their gap are counted and shown", "[experiments]") {
    const small_set::Project project(small_set::clouds(n));
    const Study& study = find("regression", "svm");
    const Sweep sweep = study.prepare(
        parsed(study,
               "datasets: [small]\nmethods: [positive, exact]\ngammas: [1]\nbounds: [10]\ncolumns: [8]\nrepeats: 2\n"
               "splits: 1\ngap: 1e-8\nrounds: 1\n"));
    for (const char* method : {"method=positive", "method=exact"}) {
        const auto data = computed_at(sweep, method);
        CHECK(value(data, "unreached") == 1);
        CHECK(value(data, "rounds") == 1);
    }
}
