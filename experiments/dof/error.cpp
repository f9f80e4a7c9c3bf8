// At equal cost: what allocation by degrees of freedom, the optimal densities and learning buy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "dof/feature_choice.hpp"
#include "dof/studies.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/dof/allocation.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const std::vector<std::pair<std::string, dof::Allocation>> allocations{{"Fix", dof::Allocation::fixed},
                                                                       {"DoF", dof::Allocation::layers},
                                                                       {"DoF + Clip", dof::Allocation::clipped},
                                                                       {"DoF of each head", dof::Allocation::heads}};

std::vector<std::string> allocation_names() {
    std::vector<std::string> names;
    for (const auto& [name, allocation] : allocations) names.push_back(name);
    return names;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = HeadInputs::keys();
    all.push_back(defaulted("methods", one_or_more(one_of(feature_methods())),
                            "[iid, orthogonal, q-lambda, q-inf, weighted, learned-squared, learned-softmax]",
                            "how features are found"));
    all.push_back(defaulted("allocations", one_or_more(one_of(allocation_names())),
                            "[Fix, DoF, DoF + Clip, DoF of each head]", "how the cost is spent over layers and heads"));
    all.push_back(defaulted("cost", integer(1, 65536), "32", "features a head in the mean; the clip as well"));
    all.push_back(defaulted("lambda", real(above(0)), "0.0625", "regularisation of the degrees of freedom"));
    all.push_back(defaulted("points", integer(2, 8192), "256", "J, queries and keys that stand for their law"));
    all.push_back(defaulted("tests", integer(1, 100'000), "2", "sequences that nothing is fitted to, the last ones"));
    all.push_back(defaulted("samples", integer(2, 100'000), "3", "draws of features"));
    for (KeyRule& rule : training_keys()) all.push_back(std::move(rule));
    return all;
}

/// Feature dimensions for each allocation, found once, from the training sequences of all heads.
class Dimensions {
public:
    Dimensions(const HeadInputs& inputs, const config::Value& config, const Stream& stream)
        : inputs_(inputs),
          training_(inputs.sequences() - config.at("tests").integer()),
          points_(static_cast<Index>(config.at("points").integer())),
          lambda_(config.at("lambda").number()),
          cost_(static_cast<int>(config.at("cost").integer())),
          stream_(stream.child("sample")) {}

    Points sample(Index layer, Index head) const {
        return inputs_.sample(layer, head, training_, points_,
                              stream_.child(static_cast<std::uint64_t>(layer)).child(static_cast<std::uint64_t>(head)));
    }

    Index of(const std::string& allocation, Index layer, Index head) {
        std::call_once(once_, [this] { compute(); });
        const auto at =
            std::find_if(allocations.begin(), allocations.end(), [&](const auto& a) { return a.first == allocation; });
        return dof::allocate(degrees_, at->second, cost_, cost_)(layer, head);
    }

private:
    void compute() {
        degrees_.resize(inputs_.layers(), inputs_.heads());
        for (Index layer = 0; layer < inputs_.layers(); ++layer)
            for (Index head = 0; head < inputs_.heads(); ++head)
                degrees_(layer, head) = dof::softmax_spectrum(sample(layer, head)).degrees(lambda_);
    }

    const HeadInputs& inputs_;
    Index training_, points_;
    double lambda_;
    int cost_;
    Stream stream_;
    std::once_flag once_;
    Eigen::ArrayXXd degrees_;
};

struct Setting {
    Setting(const config::Value& config, const Stream& stream)
        : inputs(config, stream),
          dimensions(inputs, config, stream),
          methods(config.at("methods").texts()),
          allocations(config.at("allocations").texts()),
          lambda(config.at("lambda").number()),
          tests(static_cast<Index>(config.at("tests").integer())),
          settings(training(config)),
          seed(stream) {}

    HeadInputs inputs;
    mutable Dimensions dimensions;
    std::vector<std::string> methods, allocations;
    double lambda;
    Index tests;
    dof::Training settings;
    Stream seed;
};

/// Sums of squares over test sequences.
struct Sums {
    double error = 0, size = 0;
    double relative() const { return std::sqrt(error / size); }
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const auto layer = static_cast<Index>(cell.coordinates[0]), head = static_cast<Index>(cell.coordinates[1]);
    const Index count = setting.dimensions.of(setting.allocations[cell.coordinates[2]], layer, head);
    const std::string& method = setting.methods[cell.coordinates[3]];
    FeatureProblem problem{{}, setting.dimensions.sample(layer, head), setting.lambda, setting.settings};
    const Index training = setting.inputs.sequences() - setting.tests;
    for (Index i = 0; i < training; ++i) problem.training.push_back(setting.inputs.sequence(layer, head, i).tokens);
    const Stream stream = setting.seed.child("features").child(cell.coordinates[0]).child(cell.coordinates[1]).child(
        static_cast<std::uint64_t>(count)).child(cell.coordinates[4]);
    const dof::WeightedFeatures features = find_features(method, count, problem, stream).features;

    Sums output;
    double kernel = 0, divergence = 0;
    const auto map = features.map();
    for (Index i = training; i < setting.inputs.sequences(); ++i) {
        const HeadSequence test = setting.inputs.sequence(layer, head, i);
        const attention::Inputs<double> in{test.tokens.queries, test.tokens.keys, test.values};
        Points exact, estimate;
        attention::exact(in, Visible::causal, exact);
        attention::linear(*map, in, Visible::causal, estimate);
        output.error += (estimate - exact).squaredNorm();
        output.size += exact.squaredNorm();
        kernel += dof::evaluate(dof::Loss::squared, Visible::causal, features, {&test.tokens}).loss;
        divergence += dof::evaluate(dof::Loss::softmax, Visible::causal, features, {&test.tokens}).loss;
    }
    const double tests = static_cast<double>(setting.tests);
    return {
        {},
        {{"features", {}, {static_cast<double>(count)}, "", "M of this head"},
         {"relative_kernel_error", {}, {std::sqrt(kernel / tests)}, "", "|K^ - K| / |K|, Frobenius, of test sequences"},
         {"divergence", {}, {divergence / tests}, "", "of attention weights from those of softmax, test sequences"},
         {"relative_output_error", {}, {output.relative()}, "", "|O^ - O| / |O|, Frobenius, of test sequences"}},
        {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = Stream(static_cast<std::uint64_t>(config.at("seed").integer())).child("dof/error");
    const auto setting = std::make_shared<const Setting>(config, seed);
    const Index training = setting->inputs.sequences() - setting->tests;
    if (training < 1)
        config.at("tests").refuse(
            fmt::format("{} of {} sequences leave none to fit to", setting->tests, setting->inputs.sequences()));
    const Index most = setting->inputs.points() / setting->inputs.sequences() * training;
    if (config.at("points").integer() > most)
        config.at("points").refuse(
            fmt::format("{} points are asked for, but {} training sequences have {} queries and keys",
                        config.at("points").integer(), training, most));
    std::vector<double> samples;
    for (std::int64_t i = 0; i < config.at("samples").integer(); ++i) samples.push_back(static_cast<double>(i));
    Sweep sweep;
    sweep.axes = {setting->inputs.layer_axis(),
                  setting->inputs.head_axis(),
                  {"allocation", setting->allocations, "", "how the cost is spent over layers and heads"},
                  {"method", setting->methods, "", "how features are found"},
                  {"sample", samples, "", "draw of features"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.data_hash = setting->inputs.data_hash();
    sweep.notes = setting->inputs.notes();
    sweep.compute = [setting](const engine::Cell& cell) { return compute(*setting, cell); };
    return sweep;
}

/// The mean over layers and heads, with the standard error over samples.
report::Entry over_heads(const store::Dataset& data, const char* variable, const std::string& allocation,
                            const std::string& method) {
    auto of = report::slice(data, variable, {{"allocation", allocation}, {"method", method}});
    const auto over_layers = report::average(of, "layer");
    const auto over_both = report::average({over_layers.axes, over_layers.mean, {}}, "head");
    return report::averaged_entry(report::average({over_both.axes, over_both.mean, {}}, "sample"));
}

report::Table table(const store::Dataset& data, const char* name, const char* variable, const char* what) {
    report::Table result{.name = std::string("error-") + name,
                         .caption = fmt::format("{}, mean over layers and heads ± standard error over draws.", what),
                         .columns = {{"method", "", report::Alignment::left}}};
    for (const std::string& allocation : report::words(data, "allocation")) result.columns.push_back({allocation});
    for (const std::string& method : report::words(data, "method")) {
        report::Row row{{method}};
        for (const std::string& allocation : report::words(data, "allocation"))
            row.entries.push_back(over_heads(data, variable, allocation, method));
        result.rows.push_back(row);
    }
    report::Row cost{{std::string("features a head")}, true};
    for (const std::string& allocation : report::words(data, "allocation"))
        cost.entries.emplace_back(
            std::get<report::Estimate>(over_heads(data, "features", allocation, report::words(data, "method").front()))
                .value);
    result.rows.push_back(cost);
    return result;
}

/// Layer by layer, for each method, at the first and the last allocation.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "error",
                          .title = "Error of the output, layer by layer",
                          .caption = "Means over heads and draws of features, test sequences.",
                          .columns = 2,
                          .names = report::words(data, "method")};
    for (const std::string& allocation : report::words(data, "allocation")) {
        report::Panel panel{.title = allocation};
        panel.x = {.label = "layer"};
        panel.y = {.label = "relative error of the output", .log = true};
        for (const std::string& method : report::words(data, "method")) {
            const auto over_samples = report::average(
                report::slice(data, "relative_output_error", {{"allocation", allocation}, {"method", method}}),
                "sample");
            const auto all = report::average({over_samples.axes, over_samples.mean, {}}, "head");
            panel.series.push_back(
                {method, report::numbers(data, "layer"), all.mean, {}, {}, report::Style::line_points});
        }
        result.panels.push_back(std::move(panel));
    }
    return result;
}

Report report_of(const store::Dataset& data) {
    return {
        {figure(data)},
        {table(data, "output", "relative_output_error",
               "Relative error of the output of causal attention, |O^ - O| / |O|"),
         table(data, "kernel", "relative_kernel_error", "Relative error of the kernel, |K^ - K| / |K|"),
         table(data, "divergence", "divergence", "Divergence of attention weights from those of softmax attention")}};
}

}  // namespace

Study freedom_error_study() {
    return {"dof", "error", "kernel and output errors at equal cost, by allocation and by how features are found",
            "Nishikawa, Higuchi and Suzuki 2025, sections 3.2, 3.3 and 4.2", 1, keys, prepare, report_of};
}

}  // namespace rfbench::experiments
