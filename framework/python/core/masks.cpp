// Attention with masks of relative positions, and its gradients.
#include <pybind11/stl.h>

#include "heads.hpp"
#include "parts.hpp"
#include "rfbench/attention/masked_exact.hpp"

namespace rfbench::python {
namespace {

using attention::ToeplitzMask;

ToeplitzMask mask_of(const std::vector<Index>& shape, const py::object& numbers, bool class_token) {
    py::array given = real_array(numbers, "numbers");
    if (given.ndim() != 1)
        throw InputError("numbers: an array of " + std::to_string(given.ndim()) + " axes is given; one axis is taken");
    const Stack<double> row(given.reshape({py::ssize_t(1), given.shape(0)}), "numbers");
    return ToeplitzMask(shape, class_token, Vector(row[0].row(0).transpose()));
}

Vector numbers_of(const ToeplitzMask& mask) {
    Vector numbers(mask.numbers());
    const Index of_offsets = mask.numbers() - mask.before();
    for (Index n = 0; n < of_offsets; ++n) numbers[n] = mask.at(mask.offset(n));
    if (mask.class_token()) numbers[of_offsets] = *mask.class_token();
    return numbers;
}

Rows<double> dense(const ToeplitzMask& mask) {
    Rows<double> all;
    mask.tile<double>(0, mask.length(), 0, mask.length(), all);
    return all;
}

/// Output and count of all heads; without a map, of softmax attention.
py::tuple masked(const ToeplitzMask& mask, const Map* map, const py::object& q, const py::object& k,
                 const py::object& v, const py::object& kept) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const HeadInputs<Scalar> in(given);
        std::optional<attention::SoftmaxMap> features;
        if (map) features = softmax_features(*map, in.dimension());
        HeadOutputs<Scalar> outputs(in.shape(in.length(), in.value_columns()));
        const attention::Outcome outcome = in.each([&](const attention::Inputs<Scalar>& head, Index number) {
            Rows<Scalar> out;
            const attention::Outcome own = features ? attention::masked<Scalar>(*features, mask, head, out)
                                                    : attention::masked_exact<Scalar>(mask, head, out);
            outputs.put(number, out);
            return own;
        });
        return py::make_tuple(outputs.array(), outcome.nonpositive);
    });
}

/// Gradients by q, k, v and, a row a head, by the mask's numbers; then both counts.
py::tuple gradients(const ToeplitzMask& mask, const Map* map, const py::object& q, const py::object& k,
                    const py::object& v, const py::object& gradient, const py::object& kept) {
    const GivenHeads given(q, k, v, kept);
    return by_precision(given, [&]<class Scalar>(Scalar) {
        const HeadInputs<Scalar> in(given);
        std::optional<attention::SoftmaxMap> features;
        if (map) features = softmax_features(*map, in.dimension());
        const Stack<Scalar> sent(real_array(gradient, "gradient"), "gradient");
        if (sent.leading() != in.leading())
            throw InputError("gradient: it has the leading axes " + shape_text(sent.leading()) + ", and q " +
                             shape_text(in.leading()));
        HeadOutputs<Scalar> queries(in.shape(in.length(), in.dimension())), keys(in.shape(in.keys(), in.dimension())),
            values(in.shape(in.keys(), in.value_columns())), numbers(in.shape(1, mask.numbers()));
        const Counts counts = in.each([&](const attention::Inputs<Scalar>& head, Index number) {
            attention::MaskedGradients<Scalar> out;
            const attention::Outcome outcome =
                features ? attention::masked_backward<Scalar>(*features, mask, head, sent[number], out)
                         : attention::masked_exact_backward<Scalar>(mask, head, sent[number], out);
            queries.put(number, out.queries);
            keys.put(number, out.keys);
            values.put(number, out.values);
            numbers.put(number, out.numbers.transpose());
            return Counts{outcome.nonpositive, out.left_out};
        });
        return py::make_tuple(queries.array(), keys.array(), values.array(), numbers.array(), counts.nonpositive,
                              counts.left_out);
    });
}

}  // namespace

void add_masks(py::module_& module) {
    py::class_<ToeplitzMask>(
        module, "ToeplitzMask",
        "A multilevel block-Toeplitz mask, mask(i, j) = psi(place(i) - place(j)) >= 0, of tokens on "
        "a grid of one, two or three levels (Likhosherstov 2022, Definitions 3 and 4). `numbers` are "
        "psi of all offsets, the largest first, the last level running fastest, and then the weight "
        "of a class token where there is one. Raises ValueError for another number of them, and for "
        "entries that are negative or not finite.")
        .def(py::init(&mask_of), py::arg("shape"), py::arg("numbers"), py::arg("class_token") = false)
        .def_property_readonly("shape", &ToeplitzMask::shape, "Lengths of the grid.")
        .def_property_readonly("length", &ToeplitzMask::length, "Tokens, the class token included.")
        .def_property_readonly("is_causal", &ToeplitzMask::causal, "Whether mask(i, j) = 0 whenever j > i.")
        .def_property_readonly(
            "numbers", [](const ToeplitzMask& mask) { return owned(numbers_of(mask)); },
            "psi of all offsets, the largest first, and the weight of a class token.")
        .def(
            "dense", [](const ToeplitzMask& mask) { return owned(dense(mask)); }, "mask(i, j), L x L.")
        .def("__len__", &ToeplitzMask::length)
        .def(py::pickle(
            [](const ToeplitzMask& mask) {
                return py::make_tuple(mask.shape(), owned(numbers_of(mask)), mask.class_token().has_value());
            },
            [](const py::tuple& state) {
                return mask_of(state[0].cast<std::vector<Index>>(), state[1], state[2].cast<bool>());
            }));
    module.def(
        "decaying_mask", &attention::decaying_mask, py::arg("shape"), py::arg("rate"),
        "The mask psi = exp(-rate (|offset_1| + .. + |offset_u|)) of tokens on a grid of this shape, of one to three "
        "levels. Raises ValueError for another number of levels, and where psi is not finite.");
    module.def(
        "causal_mask", &attention::causal_mask, py::arg("mask"),
        "The same entries for j <= i in the order of tokens, 0 for j > i. Raises ValueError for a mask with a class "
        "token.");
    module.def("attention_masked", &masked);
    module.def("attention_masked_gradients", &gradients);
}

}  // namespace rfbench::python
