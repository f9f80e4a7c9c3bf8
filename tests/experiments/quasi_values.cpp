// The studies of quasi in small cases: every variable from features and matrices that are written out.
#include "catch.hpp"
#include "cells.hpp"
#include "closed_forms.hpp"
#include "quasi/rate_report.hpp"
#include "rfbench/features/catalogue.hpp"
#include "sources/heads.hpp"
#include "sources/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;
using namespace rfbench::closed_forms;

TEST_CASE("quasi/rate: errors are those of estimates made here; other pairs move them, and no parameter",
          "[experiments]") {
    const Study& study = find("quasi", "rate");
    for (const Index pairs : {5, 7}) {
        const config::Value config = parsed(study,
                                            "methods: [{use: positive, sampling: sobol}, optimal-positive]\n"
                                            "dimensions: [3]\nlengths: [0.8, 1.2]\ndraws: [8, 20]\nestimates: 3\n"
                                            "repeats: 3\npairs: " +
                                                std::to_string(pairs) + "\n");
        const Sweep sweep = study.prepare(config);
        const Stream seed = study_stream(config, "quasi/rate").child(3);
        const auto points = [&](const char* name, Index rows) {
            return Points(1.2 / std::sqrt(3.0) * normal_points(seed.child(name), rows, 3));
        };
        const Points x = points("x", pairs), y = points("y", pairs);
        // Fitted to other points, of which there are 1024 whatever the number of pairs.
        const double fitted = best_a(points("fit x", 1024), points("fit y", 1024));
        double size = 0;
        for (Index i = 0; i < pairs; ++i) size += std::pow(kernel(x.row(i), y.row(i)), 2) / static_cast<double>(pairs);
        size = std::sqrt(size);
        const auto mechanism = features::fit(features::find("positive"), {});  // its omegas are those of both
        for (const std::string method : {"positive, sobol", "optimal-positive"}) {
            const auto data = computed(sweep, {"method=" + method, "length=1.2"});
            const bool positive = method != "optimal-positive";
            for (std::size_t k : {0, 1}) {
                const std::uint64_t count = k == 0 ? 8 : 20;
                Points means(pairs, 3);
                for (std::uint64_t group = 0; group < 3; ++group) {
                    INFO(method << ", M = " << count << ", group " << group << ", " << pairs << " pairs");
                    Points errors = Points::Zero(pairs, 3);
                    for (std::uint64_t r = 0; r < 3; ++r) {
                        const Projections omega = features::draw(*mechanism, 3, static_cast<Index>(count),
                                                                 sampling::find(positive ? "sobol" : "iid"),
                                                                 seed.child(method).child(count).child(group).child(r))
                                                      .omega;
                        for (Index i = 0; i < pairs; ++i) {
                            for (Index m = 0; m < omega.cols(); ++m)
                                errors(i, static_cast<Index>(r)) +=
                                    exponential(positive ? 0 : fitted, omega.col(m), x.row(i), y.row(i)) /
                                    static_cast<double>(count);
                            errors(i, static_cast<Index>(r)) -= kernel(x.row(i), y.row(i));
                        }
                    }
                    errors /= size;
                    const Vector mean = errors.rowwise().mean();
                    means.col(static_cast<Index>(group)) = mean;
                    const double spread = (errors.colwise() - mean).squaredNorm() / 2;
                    const auto all = static_cast<double>(errors.size());
                    CHECK(values(data, "relative_error")[3 * k + group] ==
                          Approx(std::sqrt(errors.squaredNorm() / all)).epsilon(1e-6));
                    CHECK(values(data, "relative_deviation")[3 * k + group] ==
                          Approx(std::sqrt(spread / static_cast<double>(pairs))).epsilon(1e-6));
                }
                for (Index group = 0; group < 3; ++group) {
                    double product = 0;
                    for (Index other = 0; other < 3; ++other)
                        if (other != group) product += means.col(group).dot(means.col(other)) / 2;
                    CHECK(values(data, "squared_bias")[3 * k + static_cast<std::size_t>(group)] ==
                          Approx(product / static_cast<double>(pairs)).epsilon(1e-6));
                }
            }
        }
    }
}

TEST_CASE("quasi/rate: intervals of exponents are Student's over groups, those of the bias twice as wide",
          "[experiments]") {
    // Errors c M^(-1/2 + g / 10) in group g; squared biases 0.2, 0.3 and 0.4 at every M.
    store::Dataset data{{{"method", std::vector<std::string>{"positive"}, "", ""},
                         {"dimension", std::vector<double>{2}, "", ""},
                         {"length", std::vector<double>{1}, "", ""},
                         {"draws", std::vector<double>{4, 16, 64}, "", ""},
                         {"repeat", std::vector<double>{0, 1, 2}, "", ""}},
                        {},
                        {}};
    const std::vector<std::string> axes{"method", "dimension", "length", "draws", "repeat"};
    store::Variable error{"relative_error", axes, {}, "", ""}, bias{"squared_bias", axes, {}, "", ""};
    for (const double m : {4, 16, 64})
        for (const double group : {-1, 0, 1}) {
            error.values.push_back(8 * std::pow(m, -0.5 + 0.1 * group));
            bias.values.push_back(0.3 + 0.1 * group);
        }
    store::Variable deviation = error;
    deviation.name = "relative_deviation";
    data.variables = {error, deviation, bias};
    const Report report = rate_report(data);
    const double student = 4.302653 / std::sqrt(3.0);  // of 0.975 with two degrees of freedom
    for (std::size_t table : {0, 1}) {
        const auto exponent = std::get<report::Estimate>(report.tables[table].rows[0].entries[1]);
        CHECK(exponent.value == Approx(-0.5).epsilon(1e-9));
        CHECK(exponent.error == Approx(0.1 * student).epsilon(1e-6));
    }
    const double low = 8 * std::pow(64, -0.6), middle = 1, high = 8 * std::pow(64, -0.4);
    const double mean = (low + middle + high) / 3, square = (low * low + middle * middle + high * high) / 3;
    const auto& row = report.tables[2].rows[0].entries;
    CHECK(std::get<report::Estimate>(row[1]).value == Approx(mean));
    const double deviations = std::pow(low - mean, 2) + std::pow(middle - mean, 2) + std::pow(high - mean, 2);
    CHECK(std::get<report::Estimate>(row[1]).error == Approx(std::sqrt(deviations / 2) * student).epsilon(1e-6));
    CHECK(std::get<report::Estimate>(row[2]).value == Approx(0.3 / square));
    CHECK(std::get<report::Estimate>(row[2]).error == Approx(2 * 0.1 * student / square).epsilon(1e-6));
}

TEST_CASE("quasi/attention: errors are those of dense matrices, of features and of equal weights", "[experiments]") {
    const Study& study = find("quasi", "attention");
    const config::Value config =
        parsed(study,
               "methods: [{use: positive, sampling: sobol}, {use: trigonometric, sampling: "
               "orthogonal}]\n"
               "heads: {use: normal, dimension: 3, length: 12, scales: [0.4, 1]}\ncolumns: [4, 10]\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const Stream seed = study_stream(config, "quasi/attention").child(1).child(3);
    struct {
        Points queries, keys, values;
    } head;
    for (const auto& [part, name] :
         {std::pair(&head.queries, "queries"), {&head.keys, "keys"}, {&head.values, "values"}})
        *part = normal_points(seed.child("head").child(name), 12, 3);
    head.queries *= 0.4;
    head.keys *= 0.4;
    const Points exact = weighted(softmax_kernel(head.queries, head.keys), head.values);
    const auto mechanism = features::fit(features::find("positive"), {});  // its omegas are those of both
    for (const std::string method : {"positive, sobol", "trigonometric, orthogonal"}) {
        const auto data = computed(sweep, {"method=" + method, "head=d = 3, sd 0.4", "repeat=1"});
        const bool positive = method == "positive, sobol";
        for (std::size_t k : {0, 1}) {
            INFO(method << " " << k);
            const std::uint64_t columns = k == 0 ? 4 : 10;
            const Projections omega =
                features::draw(*mechanism, 3, static_cast<Index>(positive ? columns : columns / 2),
                               sampling::find(positive ? "sobol" : "orthogonal"),
                               seed.child("features").child(method).child(columns))
                    .omega;
            const Points weights = softmax_kernel(
                [&](const Vector& w, const Vector& x, const Vector& y) {
                    return positive ? exponential(0, w, x, y) : trigonometric(w, x, y);
                },
                omega, head.queries, head.keys);
            CHECK(values(data, "relative_output_error")[k] ==
                  Approx((weighted(weights, head.values) - exact).norm() / exact.norm()).epsilon(1e-8));
        }
        const Points uniform = weighted(Points::Ones(12, 12), head.values);
        CHECK(value(data, "relative_uniform_error") == Approx((uniform - exact).norm() / exact.norm()).epsilon(1e-10));
    }
}

TEST_CASE("quasi/transforms: errors are those of omegas drawn here, up to the largest d that is drawn",
          "[experiments]") {
    const Study& study = find("quasi", "transforms");
    const config::Value config = parsed(study,
                                        "dimensions: [8, 16]\nrows: 5\nsamplings: [iid, hadamard]\ndrawn_up_to: 8\n"
                                        "pairs: 3\ndraws: 2\nthreads: 1\nrepeats: 2\n");
    const Sweep sweep = study.prepare(config);
    const auto data = computed(sweep, std::vector<std::string>{"dimension=8"});
    const Stream seed = study_stream(config, "quasi/transforms").child("errors").child(8);
    for (std::uint64_t draw : {0u, 1u})
        for (const std::size_t k : {0u, 1u}) {
            const Stream own = seed.child(draw);
            const Points x = normal_points(own.child("x"), 3, 8).rowwise().normalized(),
                         y = normal_points(own.child("y"), 3, 8).rowwise().normalized();
            Projections omega(8, 8);
            const std::string name = k == 0 ? "iid" : "hadamard";
            sampling::find(name).normals(own.child(name), omega);
            double squares = 0;
            for (Index i = 0; i < 3; ++i) {
                double estimate = 0;
                for (Index m = 0; m < 8; ++m) estimate += exponential(0, omega.col(m), x.row(i), y.row(i)) / 8;
                squares += std::pow(estimate / kernel(x.row(i), y.row(i)) - 1, 2) / 3;
            }
            CHECK(values(data, "error")[2 * k + draw] == Approx(std::sqrt(squares)).epsilon(1e-10));
        }
    for (const double seconds : values(data, "seconds")) CHECK(seconds > 0);
    const auto beyond = computed(sweep, std::vector<std::string>{"dimension=16"});
    for (const double error : values(beyond, "error")) CHECK(std::isnan(error));
    CHECK_THROWS_AS(study.prepare(parsed(study, "dimensions: [8, 12]\n")), config::Error);
}

TEST_CASE("quasi/energy: shares of the largest coefficients are those of bases that are written out", "[experiments]") {
    const Study& study = find("quasi", "energy");
    const Sweep sweep = study.prepare(parsed(study,
                                             "heads: {use: normal, dimension: 4, length: 6, scales: 0.7}\nrepeats: 2\n"
                                             "kept: [0.25, 0.5, 1]\nrotations: 3\n"));
    const auto data = computed(sweep, std::vector<std::string>{"repeat=1"});
    const auto& share = values(data, "share");
    const Stream seed = study_stream(parsed(study, "heads: {use: normal, dimension: 4, length: 6}\n"), "quasi/energy");
    const HeadSequence head = draw_head(6, 4, 0.7, dimension_first_streams(seed).sequence(seed, "head", 1, 4));
    const auto at = [&](std::size_t side, std::size_t basis, std::size_t kept) {
        return share[(side * 4 + basis) * 3 + kept];
    };
    for (std::size_t side : {0u, 1u}) {
        const Points& rows = side == 0 ? head.tokens.queries : head.tokens.keys;
        // DCT-II by its sum: c_k = s_k sum_n x_n cos(pi (2n + 1) k / 8), s_0^2 = 1/4, s_k^2 = 1/2.
        Vector cosine = Vector::Zero(4), plain = rows.colwise().squaredNorm().transpose();
        for (Index i = 0; i < rows.rows(); ++i)
            for (Index k = 0; k < 4; ++k) {
                double sum = 0;
                for (Index n = 0; n < 4; ++n)
                    sum += rows(i, n) * std::cos(M_PI * static_cast<double>((2 * n + 1) * k) / 8);
                cosine[k] += sum * sum * (k == 0 ? 0.25 : 0.5);
            }
        const double all = rows.squaredNorm();
        CHECK(at(side, 0, 0) == Approx(plain.maxCoeff() / all));
        CHECK(at(side, 1, 0) == Approx(cosine.maxCoeff() / all));
        for (std::size_t basis = 0; basis < 4; ++basis) {
            CHECK(at(side, basis, 2) == Approx(1));
            // No basis exceeds the principal axes.
            CHECK(at(side, basis, 1) <= at(side, 3, 1) * (1 + 1e-12));
        }
    }
}
