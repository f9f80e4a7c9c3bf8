#include "attention/heads.hpp"

#include <algorithm>

#include "normal_points.hpp"
#include "rfbench/attention/generalized_map.hpp"
#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::experiments {

Head draw_head(Index length, Index dimension, double scale, const Stream& stream) {
    return {scale * normal_points(stream.child("queries"), length, dimension),
            scale * normal_points(stream.child("keys"), length, dimension),
            normal_points(stream.child("values"), length, dimension)};
}

std::vector<config::KeyRule> head_keys() {
    using namespace config;
    std::vector<std::string> functions;
    for (const auto& one : features::nonlinearities()) functions.push_back(one.name);
    return {
        required("mechanisms", mechanisms_schema(), "which features; fitted to each head's queries and keys"),
        optional("functions", list_of(one_of(functions)),
                 "g of generalized attention, features g(W' x) that estimate no kernel: compared like mechanisms"),
        defaulted("samplings", samplings_schema(), "[iid, orthogonal]", "how their projections are drawn"),
        required("length", integer(1, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        defaulted("scales", numbers(above(0).at_most(100)), "1",
                  "standard deviation of the entries of queries and keys"),
        required("real_columns", integers(1, 65536), "features in all; complex ones count twice"),
        required("samples", integer(2, 100'000), "heads and draws of features"),
    };
}

HeadSweep::HeadSweep(const config::Value& config, const std::string& study)
    : mechanisms(experiments::mechanisms(config.at("mechanisms"), Need::features, "real_columns")),
      samplings(experiments::samplings(config.at("samplings"))),
      dimensions(as_labels(config.at("dimensions").integers())),
      scales(config.at("scales").numbers()),
      columns(as_labels(config.at("real_columns").integers())),
      samples(numbered(config.at("samples").integer())),
      length(static_cast<Index>(config.at("length").integer())),
      seed(study_stream(config, "attention/" + study)) {
    for (const double d : dimensions) require_dimension(config.at("mechanisms"), mechanisms, static_cast<Index>(d));
    const auto add = [&](const char* key, auto& to, auto named) {
        const auto given = config.keys();  // `baselines` is a key of some studies only
        if (std::find(given.begin(), given.end(), key) == given.end()) return;
        for (const config::Value& entry : config.at(key).items()) {
            const auto taken = labels();
            if (std::find(taken.begin(), taken.end(), entry.text()) != taken.end())
                entry.refuse("the label '" + entry.text() + "' is taken by a mechanism; give that one another");
            to.push_back(named(entry.text()));
        }
    };
    add("functions", functions, [](const std::string& name) { return &features::nonlinearity(name); });
    add("baselines", baselines, [](const std::string& name) { return name; });
}

std::vector<std::string> HeadSweep::labels() const {
    std::vector<std::string> all;
    for (const MechanismChoice& choice : mechanisms) all.push_back(choice.label);
    for (const features::Nonlinearity* function : functions) all.push_back(function->name);
    all.insert(all.end(), baselines.begin(), baselines.end());
    return all;
}

std::vector<store::Axis> HeadSweep::axes() const {
    const bool plain = functions.empty() && baselines.empty();
    return {{"dimension", dimensions, "", "d"},
            {"scale", scales, "", "standard deviation of the entries of queries and keys"},
            {"mechanism", labels(), "", plain ? "random-feature mechanism" : "mechanism, function or baseline"},
            sampling_axis(samplings),
            {"sample", samples, "", "head and draw of features"}};
}

std::vector<engine::Cell> HeadSweep::cells() const {
    return product_cells(axes(), [&](const std::vector<std::size_t>& at) {
        if (at[2] < mechanisms.size()) return drawable(*mechanisms[at[2]].info, *samplings[at[3]]);
        return at[2] < mechanisms.size() + functions.size() || at[3] == 0;
    });
}

double HeadSweep::bytes() const {
    const double d = *std::max_element(dimensions.begin(), dimensions.end());
    const double most = *std::max_element(columns.begin(), columns.end());
    return static_cast<double>(length) * (4 * d + 2 * most) * sizeof(double);
}

HeadCell::HeadCell(const HeadSweep& sweep, const engine::Cell& cell)
    : sampling_(*sweep.samplings[cell.coordinates[3]]), seed_(sweep.seed.child(cell.coordinates[4])) {
    // A head is the same for every mechanism and sampling and, up to scale, for every scale.
    const auto dimension = static_cast<Index>(sweep.dimensions[cell.coordinates[0]]);
    const Stream of_head = seed_.child("head").child(static_cast<std::uint64_t>(dimension));
    head_ = draw_head(sweep.length, dimension, sweep.scales[cell.coordinates[1]], of_head);
    seed_ = seed_.child("features");
    const std::size_t at = cell.coordinates[2];
    const std::size_t first_baseline = sweep.mechanisms.size() + sweep.functions.size();
    if (at < sweep.mechanisms.size()) {
        const auto& [label, info, settings, count] = sweep.mechanisms[at];
        mechanism_ = features::fit(*info, attention::softmax_statistics(head_.queries, head_.keys), settings);
        estimates_kernel_ = info->estimates_kernel;
        seed_ = seed_.child(label);
    } else if (at >= first_baseline) {
        baseline_ = sweep.baselines[at - first_baseline];
        seed_ = seed_.child(baseline_);
    } else {
        function_ = sweep.functions[at - sweep.mechanisms.size()];
        seed_ = seed_.child(function_->name);
    }
    seed_ = seed_.child(sampling_.name);
}

Stream HeadCell::stream(Index real_columns) const {
    return seed_.child(static_cast<std::uint64_t>(real_columns))
        .child(static_cast<std::uint64_t>(head_.queries.cols()));
}

std::unique_ptr<const features::FeatureMap> HeadCell::map(Index real_columns) const {
    const Index d = head_.queries.cols();
    const Stream own = stream(real_columns);
    if (function_)
        return std::make_unique<attention::GeneralizedMap>(
            attention::generalized_map(*function_, d, real_columns, sampling_, own));
    return std::make_unique<attention::SoftmaxMap>(
        attention::softmax_map(*mechanism_, d, count_for_cost(*mechanism_, real_columns), sampling_, own));
}

}  // namespace rfbench::experiments
