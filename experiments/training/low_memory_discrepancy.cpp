// How far the gradient slice by slice is from that of the whole sequence, in float, by how states are had again and by
// mechanism (Figure 5.5 of the thesis). Unlike times (low-memory), these numbers are the same in every run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/averaged.hpp"
#include "study/study.hpp"
#include "training/orthogonal_heads.hpp"
#include "training/sliced_networks.hpp"

namespace rfbench::experiments {
namespace {

/// "all stored" has the bits of "checkpoints", which tests hold it to.
std::vector<GradientWay> shown_ways() {
    std::vector<GradientWay> all = sliced_ways();
    std::erase_if(all, [](const GradientWay& way) { return way.name == "all stored"; });
    return all;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        defaulted("length", integer(2, 1'000'000), "2048", "tokens"),
        required("slices", integers(1, 1'000'000), "tokens of a slice, at most 'length'"),
        required("gains", numbers(above(0).at_most(100)),
                 "of the matrices of a random network: with it queries and keys grow, and the range of keys' weights"),
        defaulted("layers", integer(1, 100), "2", "of the Transformer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of 'dimension'"),
        defaulted("dimension", integer(1, 1024), "64", "of the heads"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("vocabulary", integer(2, 1'000'000), "256", "symbols, drawn independently"),
        required("seeds", integer(2, 1000), "networks, draws of features and texts"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<double> gains;
    Axis<Index> slices;
    Axis<std::uint64_t> seeds;
    SlicedSize size;
    Index columns;
    Stream stream;
};

/// |a - b| / |b|, in double.
template <class Scalar>
double distance(const networks::Column<Scalar>& a, const Vector& b) {
    return (a.template cast<double>() - b).norm() / b.norm();
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const SlicedSize& size = setting.size;
    const Stream seed = setting.stream.child(at[setting.seeds]);
    const networks::Transformer network(size.shape(),
                                        orthogonal_heads(at[setting.methods], size.shape(), setting.columns,
                                                         seed.child("heads").child(at[setting.methods].label)));
    const Vector values = network.start({.gain = at[setting.gains], .shrink = false}, seed.child("start"));
    // In double the parameters are those that were drawn: rounding them is part of what float is off by.
    const auto whole = [&]<class Scalar>(Scalar) {
        networks::Workspace<Scalar> work;
        networks::Column<Scalar> gradient;
        network.gradient<Scalar>(
            networks::Weights<Scalar>(network.layout(), values.template cast<Scalar>(), networks::Passes::both),
            std::vector{random_text<Scalar>(size, seed.child("text"))}, work, gradient);
        return gradient;
    };
    const networks::Column<float> in_float = whole(0.0F);
    // The gradient of the whole sequence in float: what is left is what slices add to the rounding of float.
    const Vector expected = in_float.cast<double>();

    store::Variable discrepancy{"relative_discrepancy",
                                {"way", "slice"},
                                {},
                                "",
                                "|g - g'| / |g'| of the gradients g slice by slice and g' of the whole sequence"};
    const networks::Weights<float> weights(network.layout(), values.cast<float>(), networks::Passes::both);
    const std::vector text{random_text<float>(size, seed.child("text"))};
    std::vector<std::string> names;
    parallel::Parts parts(static_cast<Index>(shown_ways().size() * setting.slices.size()));
    for (const GradientWay& way : shown_ways()) {
        names.push_back(way.name);
        for (const Index tokens : setting.slices) {
            networks::Column<float> gradient;
            networks::SlicedGradient<float>(network, sliced(way, tokens, size.length))(weights, text, gradient);
            discrepancy.values.push_back(distance(gradient, expected));
            parts.done();
        }
    }
    return {{{"way", names, "", "how states before a slice are had again"}, setting.slices.stored()},
            {discrepancy,
             {"rounding",
              {},
              {distance(in_float, whole(0.0))},
              "",
              "the same of the whole sequence in float and in double"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{method_axis(methods(config, sliced_methods), "attention"),
                          axis("gain", Key{config, "gains"}, "of the matrices of the network"),
                          whole_axis("slice", Key{config, "slices"}, "E, tokens of a slice"),
                          repeat_axis("seed", Key{config, "seeds"}, "network, features and text"),
                          {whole(config, "vocabulary"), whole(config, "length"), whole(config, "layers"),
                           whole(config, "width"), whole(config, "dimension")},
                          whole(config, "columns"),
                          study_stream(config, "training/low-memory-discrepancy")};
    const SlicedSize& size = setting.size;
    if (size.width % size.dimension != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of 'dimension', {}", size.width, size.dimension));
    for (const MethodChoice& method : setting.methods) {
        require_states(method, size.dimension, setting.columns);
        method.require_heads({size.layers, size.width / size.dimension});
    }
    for (const Index tokens : setting.slices) {
        try {
            // For what it throws.
            networks::plan({.tokens = tokens}, size.length);
        } catch (const std::invalid_argument& error) {
            config.at("slices").refuse(error.what());
        }
    }
    Sweep sweep = Sweep::over(setting.methods, setting.gains, setting.seeds);
    // The gradient in double holds parameters, their packed copies and gradients, and what layers leave to their
    // backward passes, some 30 numbers a token and column.
    const auto columns = static_cast<double>(size.layers * size.width);
    const double parameters = columns * 12 * static_cast<double>(size.width) +
                              static_cast<double>((size.length + size.vocabulary) * size.width);
    sweep.bytes = sizeof(double) * (6 * parameters + 30 * static_cast<double>(size.length) * columns);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "low-memory-discrepancy",
        .title = "Gradients slice by slice beside that of the whole sequence",
        .caption =
            "Relative discrepancy of the gradient, all in float, against the tokens of a slice, by how states "
            "are had again: stored and computed again, by subtraction as Algorithm 6 does, and by subtraction "
            "from sums in double. The dashed line is how far float is from double in the gradient of the whole "
            "sequence; means over seeds. Zero is not drawn.",
        .interval = "Bands: " + report::interval_words("seeds"),
        .columns = 2};
    result.columns = std::min(3, static_cast<int>(report::numbers(data, "gain").size()));
    const std::vector<double>& slices = report::numbers(data, "slice");
    for (const std::string& method : report::words(data, "method"))
        for (const double gain : report::numbers(data, "gain")) {
            report::Panel panel{.title = fmt::format("{}, gain {}", method, gain)};
            panel.x = {.label = "E, tokens of a slice", .log = true};
            panel.y = {.label = "relative discrepancy", .log = true};
            panel.series = report::averaged_curves(data, "relative_discrepancy", {"way", "slice", "seed"},
                                                   {{"method", method}, {"gain", gain}});
            // The same for every way and slice: a level line.
            const double rounding =
                report::average(data, "rounding", {{"method", method}, {"gain", gain}}, "seed").mean.front();
            panel.series.push_back({.label = "float beside double",
                                    .x = slices,
                                    .y = std::vector<double>(slices.size(), rounding),
                                    .style = report::Style::reference});
            result.panels.push_back(std::move(panel));
        }
    return result;
}

report::Table table(const store::Dataset& data) {
    report::Table result{.name = "low-memory-discrepancy",
                         .caption =
                             "Relative discrepancy between the gradient slice by slice and that of the whole sequence, "
                             "in float, in slices of the smallest number of tokens; and how far float is from double "
                             "in the latter. Means over seeds ± half their 95 % intervals.",
                         .columns = {{"gain"}, report::word_column("method"), {"slice"}, {"float beside double"}}};
    for (const std::string& way : report::words(data, "way")) result.columns.push_back({way});
    const auto& slices = report::numbers(data, "slice");
    const double least = *std::min_element(slices.begin(), slices.end());
    for (const double gain : report::numbers(data, "gain"))
        for (const std::string& method : report::words(data, "method")) {
            const report::Fixed where{{"method", method}, {"gain", gain}};
            report::Row row{
                {gain, method, least, report::averaged_entry(report::average(data, "rounding", where, "seed"))}};
            for (const std::string& way : report::words(data, "way"))
                row.entries.push_back(report::averaged_entry(report::average(
                    data, "relative_discrepancy", report::joined(where, {{"way", way}, {"slice", least}}), "seed")));
            result.rows.push_back(std::move(row));
        }
    report::group_by_first(result);
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study low_memory_discrepancy_study() {
    return {"training",
            "low-memory-discrepancy",
            "the gradient slice by slice against the whole sequence's, in float, for each way to recover states",
            "Likhosherstov 2022, Figure 5.5",
            1,
            sliced_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
