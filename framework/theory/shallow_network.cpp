#include "rfbench/theory/shallow_network.hpp"

#include <cmath>
#include <stdexcept>

namespace rfbench::theory {
namespace {

void check_network(double reach, Index hidden) {
    if (!(reach > 0) || hidden < 2)
        throw std::invalid_argument("shallow network: a reach above zero and two hidden units at least are wanted");
}

Points cosines_and_sines(const Vector& at) {
    Points values(at.size(), 2);
    values << at.array().cos(), at.array().sin();
    return values;
}

/// Relu units at equally spaced knots: their weights are the changes of the slope.
ShallowNetwork interpolation(const Vector& knots, const Points& values) {
    const Index hidden = knots.size();
    const double spacing = knots[1] - knots[0];
    Points slopes = Points::Zero(hidden + 1, 2);
    slopes.middleRows(1, hidden - 1) = (values.bottomRows(hidden - 1) - values.topRows(hidden - 1)) / spacing;
    return {ShallowNetwork::Unit::relu, 1, knots, slopes.bottomRows(hidden) - slopes.topRows(hidden), values.row(0)};
}

}  // namespace

Points ShallowNetwork::operator()(const Vector& arguments) const {
    Points result(arguments.size(), 2);
    for (Index i = 0; i < arguments.size(); ++i) {
        const auto scaled = slope * (arguments[i] - centres.array());
        const Eigen::RowVectorXd active = unit == Unit::relu
                                              ? Eigen::RowVectorXd(scaled.max(0).transpose())
                                              : Eigen::RowVectorXd((1 / (1 + (-scaled).exp())).transpose());
        result.row(i) = base + active * weights;
    }
    return result;
}

ShallowNetwork relu_interpolation(double reach, Index hidden) {
    check_network(reach, hidden);
    const Vector knots = Vector::LinSpaced(hidden, -reach, reach);
    return interpolation(knots, cosines_and_sines(knots));
}

ShallowNetwork tapered_interpolation(double reach, Index hidden) {
    check_network(reach, hidden);
    const Vector knots = Vector::LinSpaced(hidden, -reach - 1, reach + 1);
    const Vector within = knots.cwiseMax(-reach).cwiseMin(reach);
    const Vector taper = 1 - (knots - within).array().abs();
    return interpolation(knots, taper.asDiagonal() * cosines_and_sines(within));
}

ShallowNetwork sigmoid_steps(double reach, Index hidden) {
    check_network(reach, hidden);
    const Points values = cosines_and_sines(Vector::LinSpaced(hidden + 1, -reach, reach));
    const double width = 2 * reach / static_cast<double>(hidden);
    const Vector centres = Vector::LinSpaced(hidden, -reach + width / 2, reach - width / 2);
    return {ShallowNetwork::Unit::sigmoid, 1 / width, centres, values.bottomRows(hidden) - values.topRows(hidden),
            values.row(0)};
}

NormalNodes::NormalNodes() {
    // The trapezoidal rule; what is beyond 9 is below 1e-18.
    constexpr Index count = 18'001;
    nodes_ = Vector::LinSpaced(count, -9, 9);
    weights_ = (-0.5 * nodes_.array().square()).exp();
    weights_ /= weights_.sum();
    hermite_.resize(count, terms);
    hermite_.col(0).setOnes();
    hermite_.col(1) = nodes_;
    // h_{n+1} = (g h_n - sqrt(n) h_{n-1}) / sqrt(n + 1), h_n = He_n / sqrt(n!).
    for (Index n = 1; n + 1 < terms; ++n) {
        const double order = static_cast<double>(n);
        hermite_.col(n + 1) =
            (nodes_.array() * hermite_.col(n).array() - std::sqrt(order) * hermite_.col(n - 1).array()) /
            std::sqrt(order + 1);
    }
}

NormalNodes::Channels NormalNodes::channels(const Points& values) const {
    return {values, hermite_.transpose() * (weights_.asDiagonal() * values)};
}

double NormalNodes::product(const Channels& at_x, const Channels& at_y, double cosine) const {
    if (std::abs(cosine) == 1) {
        // At -1 the other argument is that at -g, the nodes turned around.
        const Points other = cosine > 0 ? at_y.values : Points(at_y.values.colwise().reverse());
        return mean((at_x.values.array() * other.array()).rowwise().sum());
    }
    if (!(std::abs(cosine) <= 0.8))
        throw std::invalid_argument("shallow network: the cosine of the angle must be 1, -1, or between -0.8 and 0.8");
    double sum = 0, power = 1;
    for (Index n = 0; n < terms; ++n, power *= cosine)
        sum += power * at_x.coefficients.row(n).dot(at_y.coefficients.row(n));
    return sum;
}

}  // namespace rfbench::theory
