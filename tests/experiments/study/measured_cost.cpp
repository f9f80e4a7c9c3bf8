// A cost is that of what its labels say: a method that holds known memory tells which keys were seen and which pass was
// made, wherever costs are measured.
#include <omp.h>

#include "catch.hpp"
#include "experiments/cells.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/training/copying_attention.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::cells;

namespace {

constexpr double mebi = 1048576;
constexpr std::size_t of_all = 1, of_causal = 4, of_backward = 16;  ///< MiB

std::vector<char> held(std::size_t mebibytes) { return std::vector<char>(mebibytes << 20, 1); }
std::vector<char> held_for(attention::Visible visible) {
    return held(visible == attention::Visible::causal ? of_causal : of_all);
}

class Attention final : public attention::Method {
public:
    bool can_be_causal() const override { return true; }
    bool can_cross() const override { return false; }
    attention::Outcome attend(const attention::Inputs<double>& in, attention::Visible visible,
                              Rows<double>& out) const override {
        return copy(in, visible, out);
    }
    attention::Outcome attend(const attention::Inputs<float>& in, attention::Visible visible,
                              Rows<float>& out) const override {
        return copy(in, visible, out);
    }

private:
    template <class Scalar>
    static attention::Outcome copy(const attention::Inputs<Scalar>& in, attention::Visible visible, Rows<Scalar>& out) {
        const std::vector<char> memory = held_for(visible);
        out = in.values * static_cast<Scalar>(memory.back());
        return {};
    }
};

template <class Scalar>
class Pass final : public training::HeadPass<Scalar> {
public:
    Pass(std::unique_ptr<training::HeadPass<Scalar>> inner, attention::Visible visible)
        : inner_(std::move(inner)), memory_(held_for(visible)) {
        this->output = inner_->output * static_cast<Scalar>(memory_.back());
        this->outcome = inner_->outcome;
    }
    void backward(const RowsView<Scalar>& gradient, attention::Gradients<Scalar>& out,
                  training::ColumnRef<Scalar> of_parameters) const override {
        const std::vector<char> memory = held(of_backward);
        inner_->backward(gradient * static_cast<Scalar>(memory.back()), out, of_parameters);
    }

private:
    std::unique_ptr<training::HeadPass<Scalar>> inner_;
    std::vector<char> memory_;
};

class Layer final : public training::HeadAttentionOf<Layer> {
public:
    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }
    template <class Scalar>
    std::unique_ptr<training::HeadPass<Scalar>> pass(const training::ColumnView<Scalar>& parameters,
                                                     const attention::Inputs<Scalar>& in,
                                                     attention::Visible visible) const {
        return std::make_unique<Pass<Scalar>>(inner_->forward(parameters, in, visible), visible);
    }

private:
    std::unique_ptr<training::HeadAttention> inner_ = training::copying_attention();
};

class Weighed final : public Method, public Outputs, public NetworkLayers {
public:
    const Outputs* outputs() const override { return this; }
    const NetworkLayers* layers() const override { return this; }
    std::unique_ptr<attention::Method> attention(const AttentionSize&, const sampling::Scheme&,
                                                 const Stream&) const override {
        return std::make_unique<Attention>();
    }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize&, const sampling::Scheme&,
                                                         const Stream&) const override {
        return std::make_shared<Layer>();
    }
};

void add_once() {
    static const bool added = [] {
        add_method({.name = "weighed",
                    .summary = "holds memory that is known",
                    .reference = "a test",
                    .keys = {},
                    .abilities = abilities_of(Weighed()),
                    .drawn = false,
                    .budgeted = false,
                    .make = [](const config::Value&) -> std::shared_ptr<const Method> {
                        return std::make_shared<Weighed>();
                    }});
        return true;
    }();
    REQUIRE(added);
}

/// Beside it tokens and their sums, which are small, take less than a MiB.
void check_mebibytes(double bytes, std::size_t expected) {
    CHECK(bytes >= static_cast<double>(expected) * mebi);
    CHECK(bytes < static_cast<double>(expected + 1) * mebi);
}

double peak(const store::Dataset& data, const report::Fixed& fixed) {
    return report::slice(data, "peak_bytes", fixed).values.at(0);
}

}  // namespace

TEST_CASE("cost/attention: costs of causal attention are those of causal attention, and of each pass its own",
          "[experiments]") {
    add_once();
    const Study& study = find("cost", "attention");
    const Sweep sweep = prepared(study,
                                 "methods: [weighed, {use: weighed, label: both, pass: backward}]\nlengths: 32\n"
                                 "dimension: 4\nthreads: 1\nrepeats: 2\nmin_seconds: 1e-6\n");
    const store::Dataset data = computed(sweep, sweep.cells().front());
    check_mebibytes(peak(data, {{"method", "weighed"}, {"visible", "all"}}), of_all);
    check_mebibytes(peak(data, {{"method", "weighed"}, {"visible", "causal"}}), of_causal);
    check_mebibytes(peak(data, {{"method", "both"}, {"visible", "all"}}), of_all + of_backward);
    check_mebibytes(peak(data, {{"method", "both"}, {"visible", "causal"}}), of_causal + of_backward);
}

TEST_CASE("cost/network: costs are those of networks that see what the configuration says", "[experiments]") {
    add_once();
    const Study& study = find("cost", "network");
    for (const bool causal : {false, true}) {
        const Sweep sweep = prepared(study, std::string("visible: ") + (causal ? "causal" : "all") +
                                                "\nmethods: [weighed]\nlengths: 16\nlayers: 1\nwidth: 8\ninner: 8\n"
                                                "heads: 1\nvocabulary: 10\ncolumns: 8\nrepeats: 2\nthreads: 1\n"
                                                "min_seconds: 1e-6\n");
        const store::Dataset data = computed(sweep, sweep.cells().front());
        const std::size_t seen = causal ? of_causal : of_all;
        check_mebibytes(peak(data, {{"pass", "forward"}}), seen);
        check_mebibytes(peak(data, {{"pass", "gradient"}}), seen + of_backward);
    }
}
