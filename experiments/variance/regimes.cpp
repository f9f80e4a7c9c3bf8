// Figure 6.4: log variance of every mechanism, averaged over all pairs of two sets, in four regimes of data.
#include <cmath>
#include <memory>

#include "choices.hpp"
#include "project.hpp"
#include "rfbench/datasets/digits.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "variance/point_sets.hpp"
#include "variance/studies.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    const Schema regime_names = one_or_more(one_of({"normal", "sphere", "heterogen", "digits", "mnist"}));
    return {
        required("mechanisms", mechanisms_schema(), "what is compared; count defaults to what the cost allows"),
        required("regimes", regime_names,
                 "normal: x, y ~ N(0, g^2 I); sphere: uniform, |x| = |y| = g; heterogen: y ~ N(g, g^2 I); digits: 8 x 8 "
                 "images in [0, g] of optdigits; mnist: of MNIST's test set"),
        defaulted("optional_regimes", list_of(one_of({"digits", "mnist"}), 0), "[]", "left out where the data is not there"),
        required("gammas", numbers(above(0).at_most(100)), "scale g of the points"),
        defaulted("dimension", integer(1, 4096), "64", "d of the drawn regimes; images have 64"),
        required("rows", integer(2, 100000), "L, points in each set (at most half the images)"),
        required("repeats", integer(1, 1000), "independent pairs of sets"),
        defaulted("real_columns", integer(1, 1'000'000), "8", "cost of each estimator, in real feature columns"),
    };
}

struct Inputs {
    std::vector<std::string> names;
    std::vector<std::shared_ptr<const Regime>> regimes;
    std::vector<std::string> notes;
    std::string data_hash;
};

std::string digit_set(const std::string& regime) { return regime == "digits" ? "optdigits" : "mnist-test"; }

void add_images(Inputs& inputs, const std::string& name) {
    const auto warn = [&](const std::string& sentence) { inputs.notes.push_back(sentence); };
    const auto manifest = datasets::load_manifest(project() / "data" / "manifest.yaml");
    datasets::Digits digits = datasets::digits(digit_set(name), manifest, datasets::places_of_this_machine(project()), warn);
    inputs.data_hash += (inputs.data_hash.empty() ? "" : " ") + digits.sha256;
    inputs.names.push_back(name);
    inputs.regimes.push_back(image_regime(std::move(digits.points)));
}

Inputs inputs(const config::Value& config) {
    Inputs result;
    for (const std::string& name : config.at("regimes").texts()) {
        if (name == "digits" || name == "mnist") {
            add_images(result, name);
        } else {
            result.names.push_back(name);
            result.regimes.push_back(regime(name, static_cast<Index>(config.at("dimension").integer())));
        }
    }
    for (const std::string& name : config.at("optional_regimes").texts()) {
        try {
            add_images(result, name);
        } catch (const datasets::DataError& error) {
            result.notes.push_back("regime '" + name + "' is left out: " + error.what());
        }
    }
    return result;
}

/// Log variances of all pairs of rows, in tiles that stay in cache.
struct PairAverages {
    statistics::RunningMoments moments;
    double zeros = 0;
};
PairAverages average(const features::Mechanism& mechanism, const PointSets& sets) {
    constexpr Index tile = 64;
    PairAverages result;
    for (Index first = 0; first < sets.x.rows(); first += tile) {
        const Index n = std::min(tile, sets.x.rows() - first);
        Points logs(n, sets.y.rows());
        mechanism.log_variances(sets.x.middleRows(first, n), sets.y, logs);
        for (const double value : logs.reshaped()) {
            // Equal points have variance zero for some mechanisms; they are counted apart.
            if (std::isinf(value) && value < 0)
                ++result.zeros;
            else
                result.moments.add(value);
        }
    }
    return result;
}

store::Dataset compute(const std::vector<MechanismChoice>& choices, const PointSets& sets, Index real_columns) {
    const std::vector<std::string> axes{"mechanism"};
    store::Variable mean{"mean_log_variance", axes, {}, "", "mean over all pairs of the log variance of the estimator"};
    store::Variable deviation{"sd_log_variance", axes, {}, "", "standard deviation over all pairs of the log variance"};
    store::Variable zeros{"zero_variance_pairs", axes, {}, "", "pairs with variance zero, left out of the mean"};
    store::Variable counts{"count", axes, {}, "", "draws M of each estimator"};
    const features::Statistics statistics = features::statistics(sets.x, sets.y);
    for (const MechanismChoice& choice : choices) {
        const auto mechanism = features::fit(*choice.info, statistics, choice.settings);
        const double count =
            static_cast<double>(choice.count.value_or(count_for_cost(*mechanism, real_columns)));
        const PairAverages averages = average(*mechanism, sets);
        mean.values.push_back(averages.moments.mean() - std::log(count));
        deviation.values.push_back(averages.moments.standard_deviation());
        zeros.values.push_back(averages.zeros);
        counts.values.push_back(count);
    }
    return {{mechanism_axis(choices)}, {mean, deviation, zeros, counts}, {}};
}

Sweep prepare(const config::Value& config) {
    const auto choices = mechanisms(config.at("mechanisms"));
    const Inputs in = inputs(config);
    const std::vector<double> gammas = config.at("gammas").numbers();
    std::vector<double> repeats;
    for (std::int64_t r = 0; r < config.at("repeats").integer(); ++r) repeats.push_back(static_cast<double>(r));
    const Index rows = static_cast<Index>(config.at("rows").integer());
    const Index columns = static_cast<Index>(config.at("real_columns").integer());
    const Stream seed = Stream(static_cast<std::uint64_t>(config.at("seed").integer())).child("variance/regimes");

    Sweep sweep;
    sweep.axes = {{"regime", in.names, "", "where the points come from"},
                  {"gamma", gammas, "", "scale of the points"},
                  {"repeat", repeats, "", "independent pair of sets"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.data_hash = in.data_hash;
    sweep.notes = in.notes;
    sweep.compute = [=](const engine::Cell& cell) {
        const std::size_t which = cell.coordinates[0];
        // The sets of one repeat are the same for every gamma, up to scale.
        PointSets sets = in.regimes[which]->draw(seed.child(in.names[which]).child(cell.coordinates[2]), rows);
        sets.x *= gammas[cell.coordinates[1]];
        sets.y *= gammas[cell.coordinates[1]];
        return compute(choices, sets, columns);
    };
    return sweep;
}
