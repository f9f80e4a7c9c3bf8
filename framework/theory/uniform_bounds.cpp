#include "rfbench/theory/uniform_bounds.hpp"

#include <cmath>
#include <stdexcept>

#include "rfbench/text/number.hpp"

namespace rfbench::theory {
namespace {

double log_cover_theorem_2(double d, double radius, double error) {
    return std::log(1024 * d) + 2 * std::log(radius / error);
}

double order_4(Index dimension, double radius, double error, double factor) {
    const double d = static_cast<double>(dimension), r = radius * radius / std::sqrt(d);
    return d / (error * error) * std::exp(factor * r) * (std::log(4 * radius * std::pow(d, 0.75) / error) + r);
}

/// d eps^-2 b1 log(b2 b3 / eps) from log b1.
double order_21(double d, double r, double error, double a, double log_b1) {
    if (!(a < 0)) throw std::invalid_argument("theorem 21: A is " + shortest_text(a) + "; it holds for A below 0 only");
    const double log_b3 = std::log(2.0) + 0.5 * d * std::log1p(-4 * a) + 0.5 * (log_b1 + std::log(r + d * d));
    return d / (error * error) * std::exp(log_b1) * (0.5 * std::log(2 * r) + log_b3 - std::log(error));
}

}  // namespace

double log_theorem_2(Index d, Index count, double radius, double error) {
    const double dimension = static_cast<double>(d);
    return log_cover_theorem_2(dimension, radius, error) -
           static_cast<double>(count) * error * error / (4 * (dimension + 2));
}

double features_by_theorem_2(Index d, double radius, double error, double probability) {
    const double dimension = static_cast<double>(d);
    return 4 * (dimension + 2) / (error * error) *
           (log_cover_theorem_2(dimension, radius, error) - std::log(probability));
}

double order_of_theorem_4_printed(Index d, double radius, double error) { return order_4(d, radius, error, 1); }
double order_of_theorem_4(Index d, double radius, double error) { return order_4(d, radius, error, 2); }

double order_of_theorem_21_printed(Index d, double radius, double error, double a) {
    const double dimension = static_cast<double>(d), r = radius * radius / std::sqrt(dimension);
    return order_21(dimension, r, error, a, -3 * r / a);
}

double order_of_theorem_21(Index d, double radius, double error, double a) {
    const double dimension = static_cast<double>(d), r = radius * radius / std::sqrt(dimension);
    return order_21(dimension, r, error, a, dimension * std::log1p(-4 * a) + (2 - 1 / a) * r);
}

}  // namespace rfbench::theory
