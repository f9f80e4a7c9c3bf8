#include "rfbench/regression/svm.hpp"

#include <cmath>
#include <stdexcept>

#include "catch.hpp"
#include "regression/drawn_map.hpp"
#include "regression/svm_reference.hpp"
#include "rfbench/regression/gaussian_matrix.hpp"
#include "support/normal_points.hpp"

using namespace rfbench;
using namespace rfbench::regression;
using namespace rfbench::tests;

namespace {

/// Rows and labels of svm_reference.py.
Points reference_rows() {
    Points rows(60, 3);
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index j = 0; j < rows.cols(); ++j)
            rows(i, j) = std::sin(1 + 3 * static_cast<double>(i) + 7 * static_cast<double>(j));
    return rows;
}
Vector reference_labels(const Points& rows) {
    Vector labels(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
        labels[i] = rows(i, 0) + rows(i, 1) * rows(i, 2) > 0 ? 1 : -1;
        if (i % 11 == 0) labels[i] = -labels[i];
    }
    return labels;
}

Points with_ones(const Points& rows) {
    Points result(rows.rows(), rows.cols() + 1);
    result << rows, Vector::Ones(rows.rows());
    return result;
}

double primal(double square, double bound, const Vector& labels, const Vector& values) {
    double sum = square / 2;
    for (Index i = 0; i < labels.size(); ++i) sum += bound * std::max(0.0, 1 - labels[i] * values[i]);
    return sum;
}

/// The dual's conditions, and both objectives from alpha alone: any feasible pair encloses the optimum.
void check_optimal(const Eigen::MatrixXd& kernel, const Vector& labels, double bound, const SvmState& state,
                   double offset, double gap) {
    CHECK(state.alpha.minCoeff() >= 0);
    CHECK(state.alpha.maxCoeff() <= bound);
    const Vector signed_alpha = state.alpha.cwiseProduct(labels);
    const Vector values = (kernel * signed_alpha).array() + offset;
    const double square = signed_alpha.dot(kernel * signed_alpha);
    const double upper = primal(square, bound, labels, values), lower = state.alpha.sum() - square / 2;
    CHECK(state.primal == Approx(upper).epsilon(1e-10));
    CHECK(state.dual == Approx(lower).epsilon(1e-10));
    CHECK(upper - lower <= 1.01 * gap * upper);
    CHECK(upper >= lower * (1 - 1e-12));
    CHECK(state.reached(gap));
}

}  // namespace

TEST_CASE("SVMs are those of libsvm and liblinear", "[svm]") {
    const Points rows = reference_rows();
    const Vector labels = reference_labels(rows);
    const Eigen::MatrixXd kernel = gaussian_matrix(rows, rows);
    for (const auto& [bound, least, most, offset, support, of_linear, w0, w1, w2, b] : svm_reference) {
        INFO("C = " << bound);
        const KernelSvm exact = kernel_svm(kernel, labels, bound, {1e-9, 100'000});
        check_optimal(kernel, labels, bound, exact, exact.offset, 1e-9);
        CHECK(exact.alpha.dot(labels) == Approx(0).margin(1e-9 * bound));
        // Both programs enclose the optimum.
        CHECK(exact.primal >= least * (1 - 1e-12));
        CHECK(exact.dual <= most * (1 + 1e-12));
        // The objective is strongly convex in f: an error of b shows as its square.
        CHECK(exact.offset == Approx(offset).margin(1e-4));
        CHECK(exact.support() == static_cast<Index>(support));

        const LinearSvm linear = linear_svm(with_ones(rows), labels, bound, {1e-9, 1'000'000}, Stream(1));
        CHECK(linear.reached(1e-9));
        CHECK(linear.primal == Approx(of_linear).epsilon(1e-8));
        // |w - w*|^2 / 2 is at most the distance of the objective from its least.
        const Vector expected{{w0, w1, w2, b}};
        CHECK((linear.weights - expected).squaredNorm() / 2 < 2e-8 * of_linear);
    }
}

TEST_CASE("A linear SVM through features is the machine of the features' kernel", "[svm]") {
    const Points rows = 2 * normal_points(80, 3, Stream(2), 0.5);
    Vector labels(80);
    for (Index i = 0; i < 80; ++i) labels[i] = rows.row(i).squaredNorm() > 2 ? 1 : -1;
    features::FeatureBlock<double> block;
    drawn("optimal-positive", rows, 24)->evaluate(features::Side::query, rows, block);
    const Points phi = with_ones(block.log_scale.array().exp().matrix().asDiagonal() * block.values);
    for (const double bound : {0.5, 20.0}) {
        INFO("C = " << bound);
        const LinearSvm linear = linear_svm(phi, labels, bound, {1e-6, 1'000'000}, Stream(3));
        check_optimal(phi * phi.transpose(), labels, bound, linear, 0, 1e-6);
        CHECK((linear.weights - phi.transpose() * linear.alpha.cwiseProduct(labels)).norm() <
              1e-9 * linear.weights.norm());
    }
}

TEST_CASE("The order of coordinates is the stream's, and moves the result within the gap alone", "[svm]") {
    const Points rows = with_ones(reference_rows());
    const Vector labels = reference_labels(reference_rows());
    const SvmStop stop{1e-3, 10'000};
    const LinearSvm one = linear_svm(rows, labels, 10, stop, Stream(4)),
                    same = linear_svm(rows, labels, 10, stop, Stream(4)),
                    other = linear_svm(rows, labels, 10, stop, Stream(5));
    CHECK((one.alpha == same.alpha && one.weights == same.weights && one.rounds == same.rounds));
    CHECK(one.alpha != other.alpha);
    CHECK(std::abs(one.primal - other.primal) <= 1e-3 * std::max(one.primal, other.primal));
}

TEST_CASE("Machines that end before their gap say so", "[svm]") {
    const Points rows = reference_rows();
    const Vector labels = reference_labels(rows);
    const KernelSvm exact = kernel_svm(gaussian_matrix(rows, rows), labels, 100, {1e-9, 1});
    CHECK(!exact.reached(1e-9));
    CHECK(exact.rounds == 1);
    const LinearSvm linear = linear_svm(with_ones(rows), labels, 100, {1e-9, 2}, Stream(6));
    CHECK(!linear.reached(1e-9));
    CHECK(linear.rounds == 2);
    // Both are feasible: objectives are right though they are apart.
    CHECK(linear.primal > linear.dual);
    CHECK(exact.primal > exact.dual);
}

TEST_CASE("SVMs of one class, of equal rows, and of rows without features", "[svm]") {
    const Points rows{{0.5, 1}, {0.5, 1}, {-1, 0}, {-1, 0}};
    const Eigen::MatrixXd kernel = gaussian_matrix(rows, rows);
    for (const double only : {1.0, -1.0}) {
        const KernelSvm one = kernel_svm(kernel, Vector::Constant(4, only), 2, {1e-9, 100});
        CHECK((one.alpha.isZero(0) && one.offset == only && one.primal == 0 && one.reached(1e-9)));
    }
    // Equal rows with other labels: nothing separates them, and both have alpha = C.
    const Vector labels{{1, -1, 1, 1}};
    const KernelSvm equal = kernel_svm(kernel, labels, 2, {1e-9, 100});
    check_optimal(kernel, labels, 2, equal, equal.offset, 1e-9);
    CHECK((equal.alpha[0] == 2 || equal.alpha[1] == 2));

    const LinearSvm empty = linear_svm(Points{{0, 0}, {1, 0}}, Vector{{1, -1}}, 3, {1e-9, 100}, Stream(7));
    CHECK((empty.alpha[0] == 3 && empty.alpha[1] == 1 && empty.weights == Vector{{-1, 0}}));
    CHECK(empty.reached(1e-9));
}

TEST_CASE("SVMs refuse labels, shapes and bounds that make no sense", "[svm]") {
    const Points rows = Points::Ones(2, 2);
    const Eigen::MatrixXd kernel = Eigen::MatrixXd::Ones(2, 2);
    CHECK_THROWS_AS(kernel_svm(kernel, Vector{{1, 0}}, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(kernel_svm(kernel, Vector{{1, -1, 1}}, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(kernel_svm(Eigen::MatrixXd::Ones(2, 3), Vector{{1, -1}}, 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(linear_svm(rows, Vector{{1, -1}}, 0, {}, Stream(8)), std::invalid_argument);
    CHECK_THROWS_AS(linear_svm(Points(0, 2), Vector(0), 1, {}, Stream(8)), std::invalid_argument);
}
