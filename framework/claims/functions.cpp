#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "rfbench/claims/node.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "rfbench/statistics/median.hpp"
#include "rfbench/statistics/ranks.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "rfbench/text/nearest.hpp"
#include "rfbench/theory/special.hpp"

namespace rfbench::claims {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Unary = double (*)(double);
using Binary = double (*)(double, double);

const std::map<std::string, Unary>& unary_functions() {
    static const std::map<std::string, Unary> all{
        {"negative", [](double x) { return -x; }},
        {"exp", [](double x) { return std::exp(x); }},
        {"log", [](double x) { return std::log(x); }},
        {"sqrt", [](double x) { return std::sqrt(x); }},
        {"abs", [](double x) { return std::abs(x); }},
        {"sin", [](double x) { return std::sin(x); }},
        {"cos", [](double x) { return std::cos(x); }},
        {"cosh", [](double x) { return std::cosh(x); }},
        {"tanh", [](double x) { return std::tanh(x); }},
        {"log_gamma", [](double x) { return theory::log_gamma(x); }},
        {"sign", [](double x) { return std::isnan(x) ? nan : double((x > 0) - (x < 0)); }},
        {"step", [](double x) { return std::isnan(x) ? nan
                                       : x > 0       ? 1.0
                                                     : 0.0; }},
    };
    return all;
}

const std::map<std::string, Binary>& binary_functions() {
    static const std::map<std::string, Binary> all{
        {"+", [](double a, double b) { return a + b; }},
        {"-", [](double a, double b) { return a - b; }},
        {"*", [](double a, double b) { return a * b; }},
        {"/", [](double a, double b) { return a / b; }},
        {"^", [](double a, double b) { return std::pow(a, b); }},
        {"hypergeometric_0f1", [](double b, double x) { return std::exp(theory::log_hypergeometric_0f1(b, x)); }},
        {"smaller", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::min(a, b); }},
        {"larger", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b); }},
    };
    return all;
}

using Values = std::vector<double>;

double mean(const Values& values, const Values&) {
    statistics::RunningMoments moments;
    for (const double value : values) moments.add(value);
    if (std::isfinite(moments.mean())) return moments.mean();
    // Infinite values would make it NaN or infinite by their order.
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(Values values, const Values&) { return statistics::median(std::move(values)); }

double slope(const Values& values, const Values& labels) {
    return values.size() < 2 ? nan : statistics::linear_fit(labels, values).slope;
}

/// The largest difference from a value to the next.
double rise(const Values& values, const Values&) {
    double most = nan;
    for (std::size_t i = 1; i < values.size(); ++i) most = std::fmax(most, values[i] - values[i - 1]);
    return most;
}

/// The label at which values first fall to `level`, by powers of labels between two; NaN where they begin there or do
/// not fall so far.
double falls_to(double level, const Values& values, const Values& labels) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > level) continue;
        if (i == 0) return nan;
        const double part = std::log(values[i - 1] / level) / std::log(values[i - 1] / values[i]);
        return labels[i - 1] * std::pow(labels[i] / labels[i - 1], part);
    }
    return nan;
}

/// Functions along an axis, of values that are there: at least one.
const std::map<std::string, Reduction>& reductions() {
    static const std::map<std::string, Reduction> all{
        {"mean", mean},
        {"sum", [](const Values& v, const Values&) { return mean(v, {}) * static_cast<double>(v.size()); }},
        {"least", [](const Values& v, const Values&) { return *std::min_element(v.begin(), v.end()); }},
        {"largest", [](const Values& v, const Values&) { return *std::max_element(v.begin(), v.end()); }},
        {"median", median},
        {"spread",
         [](const Values& v, const Values&) {
             statistics::RunningMoments moments;
             for (const double value : v) moments.add(value);
             return moments.standard_deviation();
         }},
        {"count", [](const Values& v, const Values&) { return static_cast<double>(v.size()); }},
        {"first", [](const Values& v, const Values&) { return v.front(); }},
        {"last", [](const Values& v, const Values&) { return v.back(); }},
        {"rise", rise},
        {"exponent",
         [](const Values& v, const Values& labels) { return v.size() < 2 ? nan : statistics::exponent(labels, v); }},
        {"slope", slope},
        {"tau",
         [](const Values& v, const Values& labels) { return v.size() < 2 ? nan : statistics::kendall_tau(labels, v); }},
    };
    return all;
}

/// `f` along an axis, of values that are there and, where they are asked for, of the labels, which are numbers then.
Array along(const std::string& function, const Reduction& f, bool needs_numbers, const Array& of,
            const std::string& axis) {
    return reduced(of, axis, [&](const Values& values, const Values& labels) {
        if (needs_numbers && labels.empty())
            throw std::invalid_argument(fmt::format("{}: the labels of axis '{}' are words", function, axis));
        Values there, at;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i])) continue;
            there.push_back(values[i]);
            if (!labels.empty()) at.push_back(labels[i]);
        }
        return there.empty() ? nan : f(there, at);
    });
}

Array reduction(const std::string& function, const Array& of, const std::string& axis) {
    const bool needs_numbers = function == "exponent" || function == "slope" || function == "tau";
    return along(function, reductions().at(function), needs_numbers, of, axis);
}

Array labels(const Array& of, const std::string& axis) {
    const Lines all = lines(of, axis);
    const auto* numbers = std::get_if<Values>(&all.along.labels);
    if (!numbers) throw std::invalid_argument(fmt::format("labels: those of axis '{}' are words", axis));
    return {{all.along}, *numbers};
}

/// `of` where `by` is largest along the axis.
Array chosen(const Array& of, const Array& by, const std::string& axis) {
    // Both over the axes of both, in one order.
    const Array wide = combined(of, by, [](double a, double) { return a; });
    const Lines values = lines(wide, axis);
    const Lines keys = lines(combined(wide, by, [](double, double b) { return b; }), axis);
    Array result{values.axes, {}};
    for (std::size_t i = 0; i < values.values.size(); ++i) {
        std::size_t best = keys.values[i].size();
        for (std::size_t k = 0; k < keys.values[i].size(); ++k)
            if (!std::isnan(keys.values[i][k]) &&
                (best == keys.values[i].size() || keys.values[i][k] > keys.values[i][best]))
                best = k;
        result.values.push_back(best == keys.values[i].size() ? nan : values.values[i][best]);
    }
    return result;
}

/// Sum of weight(x) e(x) over an even grid, divided by the sum of the weights where these have no other constant.
Array expectation(const Expression::Node& node, const Names& names, double from, double to, double step,
                  const std::function<double(double)>& log_weight) {
    Names inside = names;
    const std::string& variable = node.inputs.front().name;
    Array total = Array::scalar(0);
    double weights = 0;
    const auto count = static_cast<long>(std::llround((to - from) / step));
    for (long i = 0; i < count; ++i) {
        const double x = from + (static_cast<double>(i) + 0.5) * step, weight = std::exp(log_weight(x));
        if (weight == 0) continue;
        inside[variable] = Array::scalar(x);
        total = combined(total, node.inputs.back().value(inside),
                         [weight](double sum, double value) { return sum + weight * value; });
        weights += weight;
    }
    return mapped(total, [weights](double sum) { return sum / weights; });
}

double number_of(const Expression::Node& node, const Names& names) {
    const Array value = node.value(names);
    if (value.values.size() != 1)
        throw std::invalid_argument(
            "the dimension of chi, the level of falls_to and the first parameter of hypergeometric_1f1 are one number: "
            "give each "
            "its own expression");
    return value.values.front();
}

Array expectation(const Expression::Node& node, const Names& names) {
    constexpr double step = 1.0 / 32;
    const auto normal = [](double w) { return -0.5 * w * w; };
    if (node.name == "normal") return expectation(node, names, -20, 20, step, normal);
    if (node.name == "uniform") return expectation(node, names, 0, 1, 1.0 / 512, [](double) { return 0.0; });
    const double d = number_of(node.inputs[1], names), most = std::sqrt(d) + 16;
    // About the largest weight, so that none overflows.
    const double mode = std::sqrt(std::max(d - 1, 0.0)),
                 offset = mode > 0 ? (d - 1) * std::log(mode) - 0.5 * mode * mode : 0;
    return expectation(node, names, 0, std::ceil(most), step,
                       [&](double r) { return (d - 1) * std::log(r) - 0.5 * r * r - offset; });
}

}  // namespace

Signature signature(const std::string& function) {
    if (unary_functions().contains(function)) return {1, false, false};
    if (binary_functions().contains(function)) return {2, false, false};
    if (reductions().contains(function) || function == "labels") return {2, true, false};
    if (function == "chosen" || function == "falls_to") return {3, true, false};
    if (function == "hypergeometric_1f1") return {3, false, false};
    if (function == "normal" || function == "uniform") return {2, false, true};
    if (function == "chi") return {3, false, true};
    std::vector<std::string> known{"labels", "chosen", "falls_to", "hypergeometric_1f1", "normal", "uniform", "chi"};
    for (const auto& [name, f] : unary_functions()) known.push_back(name);
    for (const auto& [name, f] : binary_functions()) known.push_back(name);
    for (const auto& [name, f] : reductions()) known.push_back(name);
    throw std::invalid_argument(fmt::format("there is no function '{}'.{}", function, did_you_mean(function, known)));
}

Array called(const Expression::Node& node, const Names& names) {
    const std::string& function = node.name;
    const auto input = [&](std::size_t i) { return node.inputs[i].value(names); };
    if (const auto unary = unary_functions().find(function); unary != unary_functions().end())
        return mapped(input(0), unary->second);
    if (const auto binary = binary_functions().find(function); binary != binary_functions().end())
        return combined(input(0), input(1), binary->second);
    if (function == "labels") return labels(input(0), node.inputs[1].name);
    if (function == "chosen") return chosen(input(0), input(1), node.inputs[2].name);
    if (function == "falls_to") {
        const double level = number_of(node.inputs[1], names);
        return along(
            function, [level](const Values& v, const Values& at) { return falls_to(level, v, at); }, true, input(0),
            node.inputs[2].name);
    }
    if (function == "hypergeometric_1f1") {
        const double a = number_of(node.inputs[0], names);
        return combined(input(1), input(2),
                        [a](double b, double x) { return std::exp(theory::log_hypergeometric_1f1(a, b, x)); });
    }
    if (reductions().contains(function)) return reduction(function, input(0), node.inputs[1].name);
    return expectation(node, names);
}

}  // namespace rfbench::claims
