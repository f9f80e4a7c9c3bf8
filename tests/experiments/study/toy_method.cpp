// A method that is added in one file is in every study that can take it, with nothing else edited.
#include "catch.hpp"
#include "experiments/parsed.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

/// Every query gets the mean of all values it sees.
class Mean final : public attention::Method {
public:
    bool can_be_causal() const override { return true; }
    bool can_cross() const override { return true; }
    attention::Outcome attend(const attention::Inputs<double>& in, attention::Visible visible,
                              Rows<double>& out) const override {
        return mean(in, visible, out);
    }
    attention::Outcome attend(const attention::Inputs<float>& in, attention::Visible visible,
                              Rows<float>& out) const override {
        return mean(in, visible, out);
    }

private:
    template <class Scalar>
    static attention::Outcome mean(const attention::Inputs<Scalar>& in, attention::Visible visible, Rows<Scalar>& out) {
        out.resize(in.queries.rows(), in.values.cols());
        for (Index i = 0; i < out.rows(); ++i) {
            const Index seen = visible == attention::Visible::causal ? i + 1 : in.values.rows();
            out.row(i) = in.values.topRows(seen).colwise().mean();
        }
        return {};
    }
};

class MeanMethod final : public Method, public Outputs {
public:
    const Outputs* outputs() const override { return this; }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return std::make_unique<Mean>();
    }
};

const char* const name = "mean-of-values";

void add_once() {
    static const bool added = [] {
        add_method({.name = name,
                    .summary = "the mean of the values",
                    .reference = "a test",
                    .keys = {},
                    .abilities = abilities_of(MeanMethod()),
                    .drawn = false,
                    .budgeted = false,
                    .make = [](const config::Value&) -> std::shared_ptr<const Method> {
                        return std::make_shared<MeanMethod>();
                    }});
        return true;
    }();
    REQUIRE(added);
}

/// The first cell of a small configuration.
store::Dataset first_cell(const char* experiment, const char* study, const std::string& yaml) {
    const Sweep sweep = find(experiment, study).prepare(parsed(find(experiment, study), yaml));
    return computed(sweep, sweep.cells().front());
}

}  // namespace

TEST_CASE("a method of one file is taken by the studies that can take it, and refused by the others with the reason") {
    add_once();
    std::vector<std::string> taken;
    for (const Study& study : catalogue())
        if (!study.methods.abilities.empty() && refusal(study.methods, find_method(name)).empty())
            taken.push_back(study.experiment + "/" + study.name);
    CHECK(taken == std::vector<std::string>{"attention/causal", "attention/depth", "attention/error", "cost/attention",
                                            "quasi/attention"});
    CHECK(refusal(find("variance", "regimes").methods, find_method(name)) ==
          "'mean-of-values' states no mean and variance of one draw, which this study needs");

    const std::string methods = std::string("methods: [") + name + "]\n";
    const std::string sizes = "columns: 8\nrepeats: 2\n", heads = "heads: {use: normal, dimension: 4, length: 30}\n";
    const store::Dataset output = first_cell("quasi", "attention", methods + sizes + heads);
    CHECK(output.variable("relative_output_error").values[0] ==
          Approx(output.variable("relative_uniform_error").values[0]).epsilon(1e-12));
    CHECK(first_cell("attention", "error", methods + sizes + heads).variable("output_mse").values[0] > 0);
    CHECK(first_cell("attention", "causal", methods + sizes + heads).variable("relative_output_error").values[0] > 0);
    CHECK(first_cell("attention", "depth",
                     methods + sizes + "length: 30\nlayers: 1\nheads: 1\nhidden: 4\nfeed_forward: 4\n")
              .variable("relative_error")
              .values[0] > 0);
    const auto seconds = first_cell("cost", "attention", methods + "lengths: 16\nthreads: 1\n").variable("seconds");
    CHECK(seconds.values[0] > 0);
}

TEST_CASE("two methods have two names") {
    add_once();
    MethodInfo again = find_method(name);
    CHECK_THROWS_WITH(add_method(again), "there is a method 'mean-of-values' already");
}
