// Gradients of attention with respect to queries, keys and values.
#include "heads.hpp"
#include "parts.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/attention/exact.hpp"
#include "state.hpp"

namespace rfbench::python {
namespace {

/// Gradients of all heads: backward(inputs, output gradient, out, head) for each.
template <class Scalar, class Backward>
py::tuple gradients(const GivenHeads& given, const py::object& output_gradient, Backward backward) {
    const HeadInputs<Scalar> in(given);
    const Stack<Scalar> sent(real_array(output_gradient, "gradient"), "gradient");
    const Shape wanted = in.shape(in.length(), in.value_columns());
    Shape own = sent.leading();
    own.push_back(sent.rows());
    own.push_back(sent.columns());
    if (own != wanted)
        throw InputError("gradient: an array of shape " + shape_text(own) + " is given; that of the output is " +
                         shape_text(wanted));
    HeadOutputs<Scalar> queries(in.shape(in.length(), in.dimension())), keys(in.shape(in.keys(), in.dimension())),
        values(in.shape(in.keys(), in.value_columns()));
    const Counts counts = in.each([&](const attention::Inputs<Scalar>& head, Index number) {
        attention::Gradients<Scalar> out;
        const attention::Outcome outcome = backward(head, sent[number], out, number);
        queries.put(number, out.queries);
        keys.put(number, out.keys);
        values.put(number, out.values);
        return Counts{outcome.nonpositive, out.left_out};
    });
    return py::make_tuple(queries.array(), keys.array(), values.array(), counts.nonpositive, counts.left_out);
}

py::tuple exact(const py::object& q, const py::object& k, const py::object& v, const py::object& gradient, bool causal,
                const py::object& kept, const std::string& products, int parts) {
    const GivenHeads given(q, k, v, kept);
    const products::Arithmetic arithmetic = arithmetic_of(products, parts);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        return gradients<Scalar>(given, gradient, [&](const auto& head, const auto& sent, auto& found, Index) {
            Rows<Scalar> out;
            attention::Column<Scalar> log_sums;
            const attention::Outcome outcome =
                attention::exact<Scalar>(head, visible(causal), out, log_sums, arithmetic);
            attention::exact_backward<Scalar>(head, visible(causal), out, log_sums, sent, found, arithmetic);
            return outcome;
        });
    });
}

py::tuple linear(const Map& map, const py::object& q, const py::object& k, const py::object& v,
                 const py::object& gradient, bool causal, const py::object& kept) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const attention::SoftmaxMap features = softmax_features(map, HeadInputs<Scalar>(given).dimension());
        return gradients<Scalar>(given, gradient, [&](const auto& head, const auto& sent, auto& found, Index) {
            return attention::backward<Scalar>(features, head, visible(causal), sent, found);
        });
    });
}

/// The same of a piece of a longer sequence, and the gradient by the state before it. `later` is that by the state
/// after it; both are sums over features, as a state is.
py::tuple causal(const Map& map, const py::object& q, const py::object& k, const py::object& v,
                 const py::object& gradient, const py::object& kept, const py::object& state, const py::object& later) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const HeadInputs<Scalar> in(given);
        const attention::SoftmaxMap features = softmax_features(map, in.dimension());
        const State::Sums<Scalar> past = sums_of(state, in, features.columns(), "state");
        State::Sums<Scalar> sent_back = sums_of(later, in, features.columns(), "later");
        const py::tuple found =
            gradients<Scalar>(given, gradient, [&](const auto& head, const auto& sent, auto& out, Index number) {
                const auto own = static_cast<std::size_t>(number);
                return attention::backward_slice<Scalar>(features, head, past[own], sent_back[own], sent, out);
            });
        return py::make_tuple(found[0], found[1], found[2], found[3], found[4],
                              State{in.leading(), std::move(sent_back)});
    });
}

}  // namespace

void add_gradients(py::module_& module) {
    module.def("attention_exact_gradients", &exact);
    module.def("attention_linear_gradients", &linear);
    module.def("attention_causal_gradients", &causal);
}

}  // namespace rfbench::python
