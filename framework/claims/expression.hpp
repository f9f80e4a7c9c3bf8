#pragma once
// Expressions that claims are stated in: "exponent(mean(seconds, repeat), length)".
//
//     1.5e-3   name   a + b   a - b   a * b   a / b   a ^ b   -a   (a)
//     exp log sqrt abs sin cos cosh tanh log_gamma sign step (of one value; step: 1 above 0, else 0)
//     smaller(a, b)  larger(a, b)  hypergeometric_1f1(a, b, x)  hypergeometric_0f1(b, x)   x >= 0; a, b above 0
//     mean sum least largest median spread count first last exponent slope tau of (a, axis): along an axis, which goes;
//         exponent: b of a = c label^b; slope: of a over the label; tau: Kendall's with the labels' order; spread: the
//         standard deviation; what is not measured is left out
//     labels(a, axis)          the numbers of an axis of a
//     chosen(a, by, axis)      a where `by`, averaged over no axis, is largest (the first of equals)
//     normal(w, e)  uniform(u, e)  chi(r, d, e)   expectation of e over w ~ N(0, 1), u uniform on [0, 1], and the
//         length r of a normal vector of dimension d: sums over even grids. For smooth e, normal is exact to rounding
//         up to the size of exp(10 |w|), uniform to 2e-7 of the difference of e's slopes at both ends, and chi to 4e-5
//         of e for d up to 2, else 4e-9. All are exact to about 1e-4 where e has a kink
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "rfbench/claims/array.hpp"

namespace rfbench::claims {

using Names = std::map<std::string, Array>;

class Expression {
public:
    /// Throws std::invalid_argument, "column 7: ...", for what is no expression or names no function.
    explicit Expression(std::string_view text);

    /// Throws std::invalid_argument for an unknown name, an axis that is not there, and shapes that do not fit.
    Array value(const Names&) const;
    /// The names of values that it takes; those of axes and of integrals are none.
    std::set<std::string> names() const;

    struct Node;

private:
    std::shared_ptr<const Node> root_;
};

}  // namespace rfbench::claims
