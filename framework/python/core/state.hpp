#pragma once
// State of causal linear attention, as Python holds it.
#include <type_traits>
#include <variant>
#include <vector>

#include "heads.hpp"
#include "rfbench/attention/feature_sums.hpp"

namespace rfbench::python {

/// State of causal linear attention after the tokens so far, one set of sums a head.
struct State {
    template <class Scalar>
    using Sums = std::vector<attention::FeatureSums<Scalar>>;

    Shape leading;  ///< leading axes of the heads
    std::variant<Sums<float>, Sums<double>> sums;
};

/// A copy of the sums of a state, None being that before the first token. Throws InputError for those of other heads or
/// of another precision.
template <class Scalar>
State::Sums<Scalar> sums_of(const py::object& given, const HeadInputs<Scalar>& in, Index columns,
                            const std::string& name) {
    if (given.is_none())
        return State::Sums<Scalar>(static_cast<std::size_t>(in.count()), {columns, in.value_columns()});
    const State& state = given.cast<const State&>();
    if (state.leading != in.leading())
        throw InputError(name + ": it is of heads along " + shape_text(state.leading) +
                         ", and q has the leading axes " + shape_text(in.leading()));
    if (!std::holds_alternative<State::Sums<Scalar>>(state.sums))
        throw InputError(name + ": it is of " + (std::is_same_v<Scalar, float> ? "float64" : "float32") +
                         ", and these tokens are of another precision");
    return std::get<State::Sums<Scalar>>(state.sums);
}

}  // namespace rfbench::python
