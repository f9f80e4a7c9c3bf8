// Figure 3.7: how the error of attention grows through the layers of a Transformer with random weights, or through
// those of a trained one whose heads are swapped.
#include <fmt/format.h>

#include "attention/head_report.hpp"
#include "attention/heads.hpp"
#include "attention/trained_layers.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/networks/random_layers.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/best_mark.hpp"
#include "sources/normal_points.hpp"
#include "study/foundation.hpp"

namespace rfbench::experiments {
namespace {

using attention::Inputs;
using attention::Outcome;
using attention::Visible;
using networks::NormPlace;
using networks::RandomLayersShape;

const MethodKey taken{.abilities = {Ability::attention}, .samplings = true, .default_samplings = "[iid, orthogonal]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("length", integer(1, 100'000), "L, tokens of a sequence"),
        optional(
            "network",
            object({required("from", text(), "the configuration that trains it, as training/teachers"),
                    required("source", text(), "what it was trained on"),
                    defaulted("seed", integer(0), "0", "of the networks of that source")}),
            "a trained network in place of random weights; layers, heads, hidden, feed_forward, norms and gain are "
            "its own then, and those given here count for nothing"),
        defaulted("layers", integer(1, 1000), "12", "of the Transformer"),
        defaulted("heads", integer(1, 1000), "8", "of each layer"),
        defaulted("hidden", integer(1, 16384), "256", "width of a token, a multiple of heads"),
        defaulted("feed_forward", integer(1, 65536), "1024", "width between the two maps of the feed-forward block"),
        defaulted("norms", one_or_more(one_of({"as-printed", "after", "before"})), "as-printed",
                  "where layer normalization stands: as (2.14) is printed, around the sum after each part, or before "
                  "each part, as in GPT-2"),
        defaulted("gain", real(above(0).at_most(100)), "1", "weights are N(0, gain^2 / columns in)"),
        required("columns", integers(1, 65536), "real feature columns of a head"),
        required("repeats", integer(2, 100'000), "sequences, weights and draws of features"),
    };
}

NormPlace place(const std::string& name) {
    return name == "before" ? NormPlace::before : name == "after" ? NormPlace::after : NormPlace::as_printed;
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<const sampling::Scheme*> samplings;
    Axis<Index> columns, layers;  ///< layers inside a cell: each is given what the one before it gives
    Axis<std::uint64_t> repeats;
    Axis<std::string> norms;
    RandomLayersShape shape;
    std::shared_ptr<const TrainedLayers> trained;  ///< none: weights are random
    Index length;
    double gain;
    Stream seed;

    Visible visible() const { return trained ? trained->shape().visible : Visible::all; }
    /// Rows of X: a class token counts.
    Index rows() const { return length + (trained && trained->shape().class_token ? 1 : 0); }
};

/// The network that the configuration asks for; none where it asks for random weights.
std::shared_ptr<const TrainedLayers> trained_layers(const config::Value& config) {
    if (!config.has("network")) return nullptr;
    const config::Value& entry = config.at("network");
    const store::Dataset data = foundation(entry.at("from"));
    try {
        auto layers = std::make_shared<TrainedLayers>(
            read_network(data, entry.at("source").text(), static_cast<double>(entry.at("seed").integer())));
        for (Index number = 0; number < layers->sequences(); ++number)
            if (whole(config, "length") > layers->tokens(number))
                config.at("length").refuse(fmt::format("{} tokens are asked for, and a sequence that {} keeps has {}",
                                                       whole(config, "length"), entry.at("from").text(),
                                                       layers->tokens(number)));
        return layers;
    } catch (const config::Error&) {
        throw;
    } catch (const std::invalid_argument& error) {
        entry.refuse(fmt::format("{}: {}", entry.at("from").text(), error.what()));
    }
}

RandomLayersShape shape_of(const config::Value& config, const TrainedLayers* trained) {
    if (trained != nullptr)
        return {trained->shape().layers, trained->shape().heads, trained->shape().width, trained->shape().inner,
                trained->shape().norm};
    RandomLayersShape shape{whole(config, "layers"), whole(config, "heads"), whole(config, "hidden"),
                            whole(config, "feed_forward")};
    if (shape.hidden % shape.heads != 0)
        config.at("hidden").refuse(fmt::format("{} is not a multiple of heads, {}", shape.hidden, shape.heads));
    return shape;
}

/// Axis of the place of layer normalization: a trained network has one.
Axis<std::string> norm_axis(const config::Value& config, bool trained) {
    if (!trained) return word_axis("norm", Key{config, "norms"}, "where layer normalization stands");
    Axis<std::string> one = axis("norm", std::vector<std::string>{"before"}, "where layer normalization stands");
    one.keys = {"norms"};
    return one;
}

/// Attention of every head by the method there.
networks::PlacedAttention estimated(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.methods];
    const sampling::Scheme& scheme = scheme_at(method, at[setting.samplings]);
    const Stream stream =
        setting.seed.child(at[setting.repeats]).child("features").child(method.label).child(scheme.name);
    return [&method, &scheme, columns = at[setting.columns], stream, visible = setting.visible()](
               Index layer, Index head, const Inputs<double>& in, Points& out) {
        // Every head of every layer has draws of its own: one draw for all would have errors that go together.
        const Stream own = stream.child(static_cast<std::uint64_t>(layer)).child(static_cast<std::uint64_t>(head));
        return method->outputs()
            ->attention({in.queries.rows(), in.queries.cols(), columns}, scheme, own)
            ->attend(in, visible, out);
    };
}

networks::PlacedAttention softmax(Visible visible) {
    return
        [visible](Index, Index, const Inputs<double>& in, Points& out) { return attention::exact(in, visible, out); };
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const Stream seed = setting.seed.child(at[setting.repeats]);
    RandomLayersShape shape = setting.shape;
    shape.norm = place(at[setting.norms]);
    std::optional<networks::RandomLayers> random;
    if (!setting.trained) random.emplace(shape, setting.gain, seed.child("weights"));
    const auto layer = [&](Index r, const Points& x, const networks::PlacedAttention& attend, Outcome& outcome) {
        return random ? random->layer(r, x, attend, outcome) : setting.trained->layer(r, x, attend, outcome);
    };
    // Two paths through the same layers: each is given what it gave itself, so that errors add up.
    Points exact = random ? normal_points(seed.child("tokens"), setting.length, setting.shape.hidden)
                          : setting.trained->start(
                                static_cast<Index>(at[setting.repeats]) % setting.trained->sequences(), setting.length);
    Points estimate = exact;
    const auto attend = estimated(setting, at), attend_exactly = softmax(setting.visible());

    store::Variable error{"relative_error", {"layer"}, {}, "", "|X^ - X| / |X|, Frobenius, of the layer's output"};
    store::Variable nonpositive{"nonpositive", {"layer"}, {}, "", "share of denominators that are not positive"};
    for (const Index r : parallel::Parts(setting.shape.layers)) {
        // Softmax has no denominator that is not positive: only that of the estimate is kept.
        Outcome of_exact, of_estimate;
        exact = layer(r, exact, attend_exactly, of_exact);
        estimate = layer(r, estimate, attend, of_estimate);
        error.values.push_back((estimate - exact).norm() / exact.norm());
        nonpositive.values.push_back(static_cast<double>(of_estimate.nonpositive) /
                                     static_cast<double>(setting.rows() * setting.shape.heads));
    }
    return {{setting.layers.stored()}, {error, nonpositive}, {}};
}

Sweep prepare(const config::Value& config) {
    const auto compared = methods(config, taken);
    const auto trained = trained_layers(config);
    const RandomLayersShape shape = shape_of(config, trained.get());
    for (const MethodChoice& method : compared) {
        method.require_dimension(shape.hidden / shape.heads);
        if (trained && trained->shape().visible == Visible::causal && !method->outputs_seeing(Visible::causal))
            method.entry.refuse("the network is causal: '" + method.info->name + "' has no causal form");
    }
    std::vector<std::int64_t> layers;
    for (Index r = 1; r <= shape.layers; ++r) layers.push_back(r);
    const Setting setting{method_axis(compared),
                          sampling_axis(config, compared),
                          whole_axis("columns", Key{config, "columns"}, "real feature columns of a head"),
                          whole_axis("layer", layers, "layers passed"),
                          repeat_axis("repeat", Key{config, "repeats"}, "sequence, weights and draw of features"),
                          norm_axis(config, trained != nullptr),
                          shape,
                          trained,
                          whole(config, "length"),
                          config.at("gain").number(),
                          study_stream(config, "attention/depth")};

    Sweep sweep = Sweep::over(setting.methods, setting.samplings, setting.columns, setting.norms, setting.repeats);
    sweep.keep = [setting](const Point& at) { return is_measured_at(at[setting.methods], at[setting.samplings]); };
    // Tokens of both paths, their queries, keys and values, what is between the feed-forward maps, and all weights.
    const auto length = static_cast<double>(setting.length);
    const Index of_token = 8 * shape.hidden + shape.feed_forward;
    const Index weights = shape.layers * shape.hidden * (4 * shape.hidden + 2 * shape.feed_forward);
    sweep.bytes = sizeof(double) * (length * static_cast<double>(of_token) + static_cast<double>(weights));
    sweep.finite_but.emplace();
    if (trained) {
        // The network counts by its weights.
        sweep.swept.emplace_back("network");
        sweep.data_hash = trained->hash();
        sweep.attributes["weights"] = "trained";
    }
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// "random" or "trained".
std::string weights_words(const store::Dataset& data) {
    const auto found = data.attributes.find("weights");
    return found == data.attributes.end() ? "random" : found->second;
}

/// Errors against layers, a panel for each cost.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "depth",
        .title = "Error through the layers of a Transformer",
        .caption = fmt::format("Relative error of the layers' outputs when each attention is replaced by its estimate, "
                               "{} weights; means over repeats.",
                               weights_words(data)),
        .interval = "Bands: " + report::interval_words("repeats"),
        .columns = 2};
    const Curve curve = mean_curve(report::numbers(data, "layer"), report::Style::line);
    const auto& norms = report::words(data, "norm");
    for (const std::string& norm : norms)
        for (const double columns : report::numbers(data, "columns"))
            for (const PanelPlan& plan : panel_plans(data)) {
                std::vector<report::Series> series =
                    curves(data, "relative_error", {{"columns", columns}, {"norm", norm}}, plan, curve);
                result.panels.push_back({.title = fmt::format("{} real columns a head{}{}", columns, plan.suffix,
                                                              norms.size() > 1 ? ", normalization " + norm : ""),
                                         .x = {.label = "layers"},
                                         .y = {.label = "relative error", .log = true},
                                         .series = std::move(series)});
            }
    return result;
}

report::Table table(const store::Dataset& data) {
    const double last = report::numbers(data, "layer").back();
    std::vector<PlacedColumn> columns;
    const auto& norms = report::words(data, "norm");
    for (const std::string& norm : norms)
        for (const double count : report::numbers(data, "columns"))
            columns.push_back({{fmt::format("{} columns{}", count, norms.size() > 1 ? ", " + norm : "")},
                               {{"columns", count}, {"layer", last}, {"norm", norm}}});
    report::Table result = table_of_methods(
        data, "depth", "Relative error of the output after the last layer, mean over repeats ± half its 95 % interval.",
        "relative_error", columns);
    report::mark_best(result, report::Best::least, report::columns_from(result, 2));
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study depth_study() {
    return {"attention",
            "depth",
            "error of linear attention through the layers of a Transformer",
            "Likhosherstov 2022, Figure 3.7",
            2,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
