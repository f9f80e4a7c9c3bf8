#include "rfbench/features/maps/nonlinearity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/features/maps/sin_cos.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::features {
namespace {

template <class Scalar>
using Row = Eigen::Array<Scalar, 1, Eigen::Dynamic>;

/// Phi(z), for gelu, in double by erfc.
Row<double> normal_below(const RowRef<double>& z) {
    return z.unaryExpr([](double x) { return std::erfc(-x * std::numbers::sqrt2 / 2) / 2; });
}

/// Phi(z) in float, in vectors: erfc(x) = t exp(-x^2 + p(t)), t = 1 / (1 + x / 2), to a relative 1.2e-7 (Press et al.
/// 1992, section 6.2), and rounding of x^2.
Row<float> normal_below(const RowRef<float>& z) {
    const Row<float> x = z.abs() * static_cast<float>(std::numbers::sqrt2 / 2), t = (1 + x / 2).inverse();
    Row<float> p = Row<float>::Constant(z.size(), 0.17087277F);
    for (const float c : {-0.82215223F, 1.48851587F, -1.13520398F, 0.27886807F, -0.18628806F, 0.09678418F, 0.37409196F,
                          1.00002368F, -1.26551223F})
        p = p * t + c;
    Row<float> result = t / 2 * (p - x.square()).exp();
    // From x = Phi(-|z|) to x or 1 - x, in vectors; Eigen's select would take the numbers one by one.
    const float* const argument = z.data();
    float* const probability = result.data();
    const Index n = z.size();
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
        const float from = argument[i] < 0 ? 0.F : 1.F, sign = argument[i] < 0 ? -1.F : 1.F;
        probability[i] = from - sign * probability[i];
    }
    return result;
}

/// tanh(z) in double, in vectors: of c = min(|z|, 0.625) by a rational function, to a relative 3e-17 (Moshier 1989,
/// Cephes), of the rest r = |z| - c by exp(-2 r), and of both by the addition theorem.
Row<double> hyperbolic_tangent(const RowRef<double>& z) {
    // On the stack: six rows from the heap would take longer than what is computed.
    using Chunk = Eigen::Array<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, 64>;
    Row<double> result(z.size());
    for (Index at = 0; at < z.size(); at += Chunk::MaxSizeAtCompileTime) {
        const auto own = z.segment(at, std::min<Index>(Chunk::MaxSizeAtCompileTime, z.size() - at));
        const Chunk c = own.abs().min(0.625), square = c.square(), e = (-2 * (own.abs() - c)).exp();
        const Chunk numerator =
            (-9.64399179425052238628e-1 * square - 9.92877231001918586564e1) * square - 1.61468768441708447952e3;
        const Chunk denominator = ((square + 1.12811678491632931402e2) * square + 2.23548839060100448583e3) * square +
                                  4.84406305325125486048e3;
        const Chunk inner = c + c * square * numerator / denominator, rest = (1 - e) / (1 + e);
        result.segment(at, own.size()) = (inner + rest) / (1 + inner * rest);
    }
    const double* const argument = z.data();
    double* const tangent = result.data();
    const Index n = z.size();
#pragma omp simd
    for (Index i = 0; i < n; ++i) tangent[i] = std::copysign(tangent[i], argument[i]);
    return result;
}

/// The density of N(0, 1).
template <class Scalar>
Row<Scalar> normal_density(const RowRef<Scalar>& z) {
    return (z.square() / -2).exp() * static_cast<Scalar>(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
}

/// 1 / (1 + exp(-z)) without overflow.
template <class Scalar>
Row<Scalar> logistic(const Row<Scalar>& z) {
    return z.min(0).exp() / (1 + (-z.abs()).exp());
}

/// The derivative of the logistic function, e / (1 + e)^2 with e = exp(-|z|).
template <class Scalar>
Row<Scalar> logistic_slope(const Row<Scalar>& z) {
    const Row<Scalar> e = (-z.abs()).exp();
    return e / (1 + e).square();
}

// Each has value(z) and slope(z). Whole rows, so that what Eigen has in vectors is computed in vectors.
struct Relu {
    static auto value(const auto& z) { return z.max(0); }
    static auto slope(const auto& z) {
        return z.unaryExpr([](auto x) { return decltype(x)(x > 0); });
    }
};
struct EluPlusOne {
    static auto value(const auto& z) { return z.max(0) + z.min(0).exp(); }
    static auto slope(const auto& z) { return z.min(0).exp(); }
};
struct Square {
    static auto value(const auto& z) { return z.square(); }
    static auto slope(const auto& z) { return 2 * z; }
};
struct Exponential {
    static auto value(const auto& z) { return z.exp(); }
    static auto slope(const auto& z) { return z.exp(); }
};
struct Absolute {
    static auto value(const auto& z) { return z.abs(); }
    static auto slope(const auto& z) { return z.sign(); }
};
struct Gelu {
    template <class Scalar>
    static Row<Scalar> value(const RowRef<Scalar>& z) {
        return z * normal_below(z);
    }
    template <class Scalar>
    static Row<Scalar> slope(const RowRef<Scalar>& z) {
        return normal_below(z) + z * normal_density(z);
    }
};
struct Cosine {
    static auto value(const auto& z) { return z.cos(); }
    static Row<double> value(const RowRef<double>& z) {
        Row<double> sine(z.size()), cosine(z.size());
        sin_cos(z.data(), z.size(), sine.data(), cosine.data());
        return cosine;
    }
    static auto slope(const auto& z) { return -z.sin(); }
    static Row<double> slope(const RowRef<double>& z) {
        Row<double> sine(z.size()), cosine(z.size());
        sin_cos(z.data(), z.size(), sine.data(), cosine.data());
        return -sine;
    }
};
struct Tanh {
    static auto value(const auto& z) { return z.tanh(); }
    static Row<double> value(const RowRef<double>& z) { return hyperbolic_tangent(z); }
    template <class Scalar>
    static Row<Scalar> slope(const RowRef<Scalar>& z) {
        // 1 - tanh(z)^2 would cancel where tanh is near 1.
        return 4 * logistic_slope<Scalar>(2 * z);
    }
};
struct Sigmoid {
    template <class Scalar>
    static Row<Scalar> value(const RowRef<Scalar>& z) {
        return logistic<Scalar>(z);
    }
    template <class Scalar>
    static Row<Scalar> slope(const RowRef<Scalar>& z) {
        return logistic_slope<Scalar>(z);
    }
};
struct Identity {
    static auto value(const auto& z) { return z * 1; }
    static auto slope(const auto& z) {
        return z.unaryExpr([](auto x) { return decltype(x)(1); });
    }
};

template <class Mapping>
Nonlinearity line(const char* name, const char* formula, const char* derivative, bool nonnegative,
                  const char* reference, double exponential_below = -std::numeric_limits<double>::infinity()) {
    return {name,
            formula,
            derivative,
            reference,
            nonnegative,
            exponential_below,
            [](const RowRef<double>& z, RowRef<double> g) { g = Mapping::value(z); },
            [](const RowRef<float>& z, RowRef<float> g) { g = Mapping::value(z); },
            [](const RowRef<double>& z, RowRef<double> g) { g = Mapping::slope(z); },
            [](const RowRef<float>& z, RowRef<float> g) { g = Mapping::slope(z); }};
}

}  // namespace

const std::vector<Nonlinearity>& nonlinearities() {
    static const char* const performer = "Choromanski et al. 2021; Likhosherstov 2022, section 3.6";
    constexpr double always = std::numeric_limits<double>::infinity();
    static const std::vector<Nonlinearity> all{
        line<Relu>("relu", "max(z, 0)", "1 if z > 0, else 0", true, performer),
        line<EluPlusOne>("elu+1", "z + 1 if z > 0, else exp(z)", "min(1, exp(z))", true,
                         "Katharopoulos et al. 2020; Likhosherstov 2022, section 3.6", 0),
        line<Square>("square", "z^2", "2 z", true, performer),
        line<Exponential>("exp", "exp(z)", "exp(z)", true, performer, always),
        line<Absolute>("abs", "|z|", "sign(z), 0 at 0", true, performer),
        line<Gelu>("gelu", "z Phi(z), Phi the distribution function of N(0, 1)", "Phi(z) + z phi(z)", false, performer),
        line<Cosine>("cos", "cos(z)", "-sin(z)", false, performer),
        line<Tanh>("tanh", "tanh(z)", "1 - tanh(z)^2", false, performer),
        line<Sigmoid>("sigmoid", "1 / (1 + exp(-z))", "g(z) (1 - g(z))", true, performer, -40),
        line<Identity>("identity", "z", "1", false, performer),
    };
    return all;
}

const Nonlinearity& nonlinearity(std::string_view name) {
    std::vector<std::string> names;
    for (const Nonlinearity& one : nonlinearities()) {
        if (one.name == name) return one;
        names.push_back(one.name);
    }
    std::string message =
        "there is no nonlinearity '" + std::string(name) + "'." + did_you_mean(name, names) + " There are";
    for (const std::string& known : names) message += (known == names.front() ? " " : ", ") + known;
    throw InputError(message + ".");
}

}  // namespace rfbench::features
