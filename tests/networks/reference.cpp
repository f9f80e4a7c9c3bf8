// Losses and gradients of two-layer Transformers beside those that torch has computed (reference.py).
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "rfbench/networks/transformer.hpp"
#include "rfbench_places.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::networks;
using nlohmann::json;

namespace {

/// The generator of reference.py.
class Numbers {
public:
    double next() {
        state_ = state_ * 1664525u + 1013904223u;
        return (static_cast<int>(state_ >> 16) - 32768) / 32768.0;
    }

private:
    std::uint32_t state_ = 1;
};

TransformerShape shape_of(const json& sizes, const json& one) {
    TransformerShape shape;
    if (one.contains("tokens"))
        shape.vocabulary = sizes["vocabulary"];
    else
        shape.inputs = sizes["inputs"];
    shape.positions = sizes["positions"];
    shape.layers = sizes["layers"];
    shape.heads = sizes["heads"];
    shape.width = sizes["width"];
    shape.inner = sizes["inner"];
    shape.epsilon = sizes["epsilon"];
    const std::string norm = one["norm"], read_out = one["read_out"];
    shape.norm = norm == "before" ? NormPlace::before : norm == "after" ? NormPlace::after : NormPlace::as_printed;
    shape.gelu = one["gelu"] == "tanh" ? Gelu::by_tanh : Gelu::exact;
    shape.visible = one["causal"] ? attention::Visible::causal : attention::Visible::all;
    shape.read_out = read_out == "tied"   ? ReadOutOf::tied
                     : read_out == "mean" ? ReadOutOf::mean
                                          : ReadOutOf::class_token;
    shape.class_token = shape.read_out == ReadOutOf::class_token;
    shape.convolution = one.value("convolution", 0);
    shape.outputs = shape.read_out == ReadOutOf::tied ? shape.vocabulary : sizes["classes"].get<Index>();
    return shape;
}

template <class Scalar>
std::vector<Sequence<Scalar>> sequences_of(const json& one, Index inputs) {
    std::vector<Sequence<Scalar>> all;
    Numbers numbers;
    for (std::size_t s = 0; s < one["targets"].size(); ++s) {
        Sequence<Scalar> sequence;
        if (one.contains("tokens")) {
            sequence.tokens = one["tokens"][s].get<std::vector<int>>();
        } else {
            sequence.rows.resize(one["lengths"][s].get<Index>(), inputs);
            for (Index i = 0; i < sequence.rows.size(); ++i)
                sequence.rows.data()[i] = static_cast<Scalar>(numbers.next());
        }
        for (const json& target : one["targets"][s])
            sequence.targets.push_back({target[0].get<Index>(), target[1].get<int>()});
        all.push_back(std::move(sequence));
    }
    return all;
}

template <class Scalar>
Column<Scalar> values_of(const Layout& layout) {
    Column<Scalar> values(layout.size());
    Numbers numbers;
    for (const Parameter& parameter : layout.all()) {
        const bool scale = parameter.name.find("ln_") != std::string::npos && parameter.name.ends_with(".weight");
        for (Index i = 0; i < parameter.size(); ++i)
            values[parameter.first + i] = static_cast<Scalar>((scale ? 1 : 0) + 0.5 * numbers.next());
    }
    return values;
}

}  // namespace

TEMPLATE_TEST_CASE("losses and gradients of two-layer Transformers are those of torch", "", double, float) {
    const json reference = json::parse(tests::bytes_of(RFBENCH_SOURCE_DIR "/tests/networks/reference.json"));
    // Sums of a layer have some 50 terms, forwards and backwards, of numbers of order one; a normalization of four
    // numbers may divide by a deviation of a tenth.
    const double tolerance = 1e4 * static_cast<double>(std::numeric_limits<TestType>::epsilon());
    for (const char* name : {"decoder", "convolved", "encoder", "printed"}) {
        INFO(name);
        const json& given = reference["cases"][name];
        const json& one = given["case"];
        const Transformer network(shape_of(reference["shape"], one));
        const Weights<TestType> weights(network.layout(), values_of<TestType>(network.layout()), Passes::both);
        const auto batch = sequences_of<TestType>(one, reference["shape"]["inputs"].get<Index>());
        Workspace<TestType> work;
        Column<TestType> gradient;
        const auto outcome = network.gradient<TestType>(weights, batch, work, gradient);
        CHECK(outcome.loss.sum / static_cast<double>(outcome.loss.targets) ==
              Approx(given["loss"].get<double>()).epsilon(tolerance));
        REQUIRE(network.layout().all().size() == given["gradients"].size());
        for (const Parameter& parameter : network.layout().all()) {
            INFO(parameter.name);
            const auto expected = given["gradients"][parameter.name].get<std::vector<double>>();
            REQUIRE(parameter.size() == static_cast<Index>(expected.size()));
            for (Index i = 0; i < parameter.size(); ++i)
                CHECK(std::abs(static_cast<double>(gradient[parameter.first + i]) -
                               expected[static_cast<std::size_t>(i)]) < tolerance);
        }
    }
}
