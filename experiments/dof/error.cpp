// At equal cost: what allocation by degrees of freedom, the optimal densities and learning buy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "choices.hpp"
#include "dof/error_report.hpp"
#include "dof/feature_choice.hpp"
#include "dof/studies.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/linear.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/dof/allocation.hpp"
#include "rfbench/dof/spectrum.hpp"

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
    all.push_back(optional("mechanisms", mechanisms_schema(),
                           "maps beside the methods, to which nothing is allocated: trained ones have their own number "
                           "of features, others 'count' draws or what 'cost' allows, fitted to the points"));
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
          given(config.has("mechanisms") ? mechanisms(config.at("mechanisms")) : std::vector<MechanismChoice>{}),
          cost(static_cast<Index>(config.at("cost").integer())),
          lambda(config.at("lambda").number()),
          tests(static_cast<Index>(config.at("tests").integer())),
          settings(training(config)),
          seed(stream) {}

    HeadInputs inputs;
    mutable Dimensions dimensions;
    std::vector<std::string> methods, allocations;
    std::vector<MechanismChoice> given;
    Index cost;
    double lambda;
    Index tests;
    dof::Training settings;
    Stream seed;
};

/// Of one head, found for it or given.
struct HeadFeatures {
    std::shared_ptr<const features::FeatureMap> map;
    std::function<double(dof::Loss, const dof::Sequence&)> loss;
};

HeadFeatures found_features(const Setting& setting, const engine::Cell& cell) {
    const auto layer = static_cast<Index>(cell.coordinates[0]), head = static_cast<Index>(cell.coordinates[1]);
    const Index count = setting.dimensions.of(setting.allocations[cell.coordinates[2]], layer, head);
    FeatureProblem problem{{}, setting.dimensions.sample(layer, head), setting.lambda, setting.settings};
    const Index training = setting.inputs.sequences() - setting.tests;
    for (Index i = 0; i < training; ++i) problem.training.push_back(setting.inputs.sequence(layer, head, i).tokens);
    const Stream stream = setting.seed.child("features")
                              .child(cell.coordinates[0])
                              .child(cell.coordinates[1])
                              .child(static_cast<std::uint64_t>(count))
                              .child(cell.coordinates[4]);
    const dof::WeightedFeatures features =
        find_features(setting.methods[cell.coordinates[3]], count, problem, stream).features;
    return {features.map(), [features](dof::Loss loss, const dof::Sequence& tokens) {
                return dof::evaluate(loss, Visible::causal, features, {&tokens}).loss;
            }};
}

HeadFeatures given_features(const Setting& setting, const engine::Cell& cell) {
    const MechanismChoice& choice = setting.given[cell.coordinates[3] - setting.methods.size()];
    const features::MechanismInfo& info = *choice.info;
    const Points points =
        setting.dimensions.sample(static_cast<Index>(cell.coordinates[0]), static_cast<Index>(cell.coordinates[1]));
    const auto mechanism =
        features::fit(info, attention::softmax_statistics(points, points, info.poisson_moments), choice.settings);
    const sampling::Scheme& orthogonal = sampling::find("orthogonal");
    const Stream stream = setting.seed.child("given")
                              .child(choice.label)
                              .child(cell.coordinates[0])
                              .child(cell.coordinates[1])
                              .child(cell.coordinates[4]);
    const auto map = std::make_shared<attention::SoftmaxMap>(attention::softmax_map(
        *mechanism, points.cols(), choice.count.value_or(count_for_cost(*mechanism, setting.cost)),
        drawable(info, orthogonal) ? orthogonal : sampling::find("iid"), stream));
    return {map, [map, &info](dof::Loss loss, const dof::Sequence& tokens) {
                if (loss == dof::Loss::squared && !info.estimates_kernel) return std::nan("");
                return dof::loss(loss, Visible::causal, *map, tokens);
            }};
}

/// Sums of squares over test sequences.
struct Sums {
    double error = 0, size = 0;
    double relative() const { return std::sqrt(error / size); }
};

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const bool given = cell.coordinates[3] >= setting.methods.size();
    const HeadFeatures features = given ? given_features(setting, cell) : found_features(setting, cell);
    Sums output;
    double kernel = 0, divergence = 0;
    for (Index i = setting.inputs.sequences() - setting.tests; i < setting.inputs.sequences(); ++i) {
        const HeadSequence test = setting.inputs.sequence(static_cast<Index>(cell.coordinates[0]),
                                                          static_cast<Index>(cell.coordinates[1]), i);
        const attention::Inputs<double> in{test.tokens.queries, test.tokens.keys, test.values};
        Points exact, estimate;
        attention::exact(in, Visible::causal, exact);
        attention::linear(*features.map, in, Visible::causal, estimate);
        output.error += (estimate - exact).squaredNorm();
        output.size += exact.squaredNorm();
        kernel += features.loss(dof::Loss::squared, test.tokens);
        divergence += features.loss(dof::Loss::softmax, test.tokens);
    }
    const double tests = static_cast<double>(setting.tests), columns = static_cast<double>(features.map->columns());
    return {
        {},
        {{"features", {}, {columns}, "", setting.given.empty() ? "M of this head" : "real columns of this head"},
         {"relative_kernel_error", {}, {std::sqrt(kernel / tests)}, "", "|K^ - K| / |K|, Frobenius, of test sequences"},
         {"divergence", {}, {divergence / tests}, "", "of attention weights from those of softmax, test sequences"},
         {"relative_output_error", {}, {output.relative()}, "", "|O^ - O| / |O|, Frobenius, of test sequences"}},
        {}};
}

/// Labels are no methods' names, and maps are for rows of the heads' dimension.
void check_given(const config::Value& list, const Setting& setting) {
    for (std::size_t i = 0; i < setting.given.size(); ++i)
        for (const std::string& method : feature_methods())
            if (setting.given[i].label == method)
                list.items()[i].refuse("the label '" + method + "' is a method of this study; give this one another");
    require_dimension(list, setting.given, setting.inputs.dimension());
}

/// Methods at every allocation; what is given at its own cost, and once where nothing is drawn.
bool measured(const Setting& setting, const std::vector<std::size_t>& at) {
    const bool given = at[3] >= setting.methods.size();
    if (given != (at[2] == setting.allocations.size())) return false;
    if (!given || at[4] == 0) return true;
    const MechanismChoice& choice = setting.given[at[3] - setting.methods.size()];
    return !trained_mechanism(*choice.info, choice.settings);
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
    store::Axis allocation{"allocation", setting->allocations, "", "how the cost is spent over layers and heads"};
    store::Axis method{"method", setting->methods, "", "how features are found"};
    if (config.has("mechanisms")) {
        check_given(config.at("mechanisms"), *setting);
        std::get<std::vector<std::string>>(allocation.labels).push_back(as_given);
        for (const MechanismChoice& choice : setting->given)
            std::get<std::vector<std::string>>(method.labels).push_back(choice.label);
    }
    Sweep sweep;
    sweep.axes = {setting->inputs.layer_axis(),
                  setting->inputs.head_axis(),
                  allocation,
                  method,
                  {"sample", numbered(config.at("samples").integer()), "", "draw of features"}};
    sweep.cells = product_cells(sweep.axes, [&](const auto& at) { return measured(*setting, at); });
    sweep.data_hash = setting->inputs.data_hash();
    sweep.notes = setting->inputs.notes();
    // Tokens of all sequences, and the Gram matrix of the points with what its eigenvalues are computed in.
    const double points = static_cast<double>(config.at("points").integer());
    sweep.bytes = sizeof(double) * (setting->inputs.size() + 2 * points * points);
    sweep.compute = [setting](const engine::Cell& cell) { return compute(*setting, cell); };
    return sweep;
}

}  // namespace

Study freedom_error_study() {
    return {"dof",
            "error",
            "kernel and output errors at equal cost, by allocation and by how features are found",
            "Nishikawa, Higuchi and Suzuki 2025, sections 3.2, 3.3 and 4.2",
            1,
            keys,
            prepare,
            freedom_error_report};
}

}  // namespace rfbench::experiments
