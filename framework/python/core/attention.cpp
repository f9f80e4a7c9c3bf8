// Attention of all heads: exact, linear, and causal with a state.
#include <pybind11/stl.h>

#include "heads.hpp"
#include "parts.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "state.hpp"

namespace rfbench::python {
namespace {

template <class Scalar, class Attend>
py::tuple attend(const HeadInputs<Scalar>& in, Attend attend_head) {
    HeadOutputs<Scalar> outputs(in.shape(in.length(), in.value_columns()));
    const attention::Outcome outcome = in.each([&](const attention::Inputs<Scalar>& head, Index number) {
        Rows<Scalar> out;
        const attention::Outcome own = attend_head(head, number, out);
        outputs.put(number, out);
        return own;
    });
    return py::make_tuple(outputs.array(), outcome.nonpositive);
}

py::tuple exact(const py::object& q, const py::object& k, const py::object& v, bool causal, const py::object& kept,
                const std::string& products, int parts) {
    const GivenHeads given(q, k, v, kept);
    const products::Arithmetic arithmetic = arithmetic_of(products, parts);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        return attend(HeadInputs<Scalar>(given), [&](const auto& head, Index, auto& out) {
            return attention::exact<Scalar>(head, visible(causal), out, arithmetic);
        });
    });
}

py::tuple linear(const Map& map, const py::object& q, const py::object& k, const py::object& v, bool causal,
                 const py::object& kept) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const HeadInputs<Scalar> in(given);
        const attention::SoftmaxMap features = softmax_features(map, in.dimension());
        return attend(in, [&](const auto& head, Index, auto& out) {
            return attention::linear<Scalar>(features, head, visible(causal), out);
        });
    });
}

/// Output, count, and the state after these tokens; the given one stays as it is.
py::tuple causal(const Map& map, const py::object& q, const py::object& k, const py::object& v, const py::object& kept,
                 const py::object& before) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const HeadInputs<Scalar> in(given);
        const attention::SoftmaxMap features = softmax_features(map, in.dimension());
        State::Sums<Scalar> sums = sums_of(before, in, features.columns(), "state");
        const py::tuple done = attend(in, [&](const auto& head, Index number, auto& out) {
            return attention::causal<Scalar>(features, head, sums[static_cast<std::size_t>(number)], out);
        });
        return py::make_tuple(done[0], done[1], State{in.leading(), std::move(sums)});
    });
}

template <class Scalar>
py::tuple arrays_of(const State& state, const State::Sums<Scalar>& sums) {
    const Index r = sums.empty() ? 0 : sums[0].features(), e = sums.empty() ? 0 : sums[0].numerators().cols();
    const auto n = static_cast<py::ssize_t>(sums.size());
    HeadOutputs<Scalar> numerators({n, r, e}), denominators({n, r, 1});
    py::list exponents;
    for (py::ssize_t head = 0; head < n; ++head) {
        const auto& own = sums[static_cast<std::size_t>(head)];
        numerators.put(head, own.numerators());
        denominators.put(head, own.denominators());
        exponents.append(own.exponent());
    }
    return py::make_tuple(py::cast(state.leading), numerators.array(), denominators.array(), exponents);
}

template <class Scalar>
State state_of(const py::tuple& arrays) {
    const Stack<Scalar> numerators(arrays[1].cast<py::array>(), "numerators");
    const Stack<Scalar> denominators(arrays[2].cast<py::array>(), "denominators");
    const auto exponents = arrays[3].cast<std::vector<int>>();
    State::Sums<Scalar> sums;
    for (std::size_t head = 0; head < exponents.size(); ++head)
        sums.emplace_back(Rows<Scalar>(numerators[static_cast<Index>(head)]),
                          attention::Column<Scalar>(denominators[static_cast<Index>(head)].col(0)), exponents[head]);
    return {arrays[0].cast<Shape>(), std::move(sums)};
}

std::size_t bytes_of(const State& state) {
    return std::visit(
        [](const auto& sums) {
            std::size_t bytes = 0;
            for (const auto& own : sums)
                bytes += static_cast<std::size_t>(own.numerators().size() + own.denominators().size()) *
                         sizeof(*own.numerators().data());
            return bytes;
        },
        state.sums);
}

}  // namespace

void add_attention(py::module_& module) {
    py::class_<State>(module, "State",
                      "What causal linear attention remembers of the tokens so far: sums over features of keys, "
                      "R x (e + 1) numbers a head whatever the number of tokens.")
        .def_property_readonly("nbytes", &bytes_of, "Bytes of all sums.")
        .def(py::pickle(
            [](const State& state) {
                return std::visit([&](const auto& sums) { return arrays_of(state, sums); }, state.sums);
            },
            [](const py::tuple& arrays) {
                return is_single(arrays[1].cast<py::array>()) ? state_of<float>(arrays) : state_of<double>(arrays);
            }));
    module.def("attention_exact", &exact);
    module.def("attention_linear", &linear);
    module.def("attention_causal", &causal);
}

}  // namespace rfbench::python
