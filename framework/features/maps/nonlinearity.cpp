#include "rfbench/features/maps/nonlinearity.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::features {
namespace {

/// Phi(z) and the density of N(0, 1), for gelu.
template <class Scalar>
Scalar normal_below(Scalar z) {
    return std::erfc(-z * static_cast<Scalar>(std::numbers::sqrt2 / 2)) / 2;
}
template <class Scalar>
Scalar normal_density(Scalar z) {
    return std::exp(-z * z / 2) * static_cast<Scalar>(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
}

/// 1 / (1 + exp(-z)) without overflow.
template <class Scalar>
Scalar logistic(Scalar z) {
    const Scalar small = std::exp(-std::abs(z));
    return (z < 0 ? small : Scalar(1)) / (1 + small);
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
    static auto value(const auto& z) {
        return z.unaryExpr([](auto x) { return x * normal_below(x); });
    }
    static auto slope(const auto& z) {
        return z.unaryExpr([](auto x) { return normal_below(x) + x * normal_density(x); });
    }
};
struct Cosine {
    static auto value(const auto& z) { return z.cos(); }
    static auto slope(const auto& z) { return -z.sin(); }
};
struct Tanh {
    static auto value(const auto& z) { return z.tanh(); }
    static auto slope(const auto& z) {
        // 1 - tanh(x)^2 would cancel where tanh is near 1.
        return z.unaryExpr([](auto x) { return 4 * logistic(2 * x) * logistic(-2 * x); });
    }
};
struct Sigmoid {
    static auto value(const auto& z) {
        return z.unaryExpr([](auto x) { return logistic(x); });
    }
    static auto slope(const auto& z) {
        return z.unaryExpr([](auto x) { return logistic(x) * logistic(-x); });
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
        "unknown nonlinearity '" + std::string(name) + "'." + did_you_mean(name, names) + " Known are";
    for (const std::string& known : names) message += (known == names.front() ? " " : ", ") + known;
    throw InputError(message + ".");
}

}  // namespace rfbench::features
