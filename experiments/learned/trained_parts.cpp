#include "learned/trained_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t points = 60;

std::vector<double> numbered(std::size_t count) {
    std::vector<double> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<double>(i));
    return all;
}

/// NaN stands after what there is.
std::vector<double> padded(const double* first, std::size_t count, std::size_t wanted) {
    std::vector<double> all(first, first + count);
    all.resize(wanted, std::nan(""));
    return all;
}

/// Channels at the middles of equal bins over all that they were given, and the share of it in each, over the bin's
/// width.
struct ChannelCurves {
    std::vector<double> input, density;
    Points values;  ///< points x L

    ChannelCurves(const features::LearnedMap& map, const std::vector<Points>& rows) : density(points, 0.0) {
        // The range must be known before anything can be counted: what was projected is kept for a second pass.
        std::vector<Points> given;
        double low = std::numeric_limits<double>::infinity(), high = -low, count = 0;
        for (const Points& some : rows) {
            given.push_back(map.projected(some));
            low = std::min(low, given.back().minCoeff());
            high = std::max(high, given.back().maxCoeff());
            count += static_cast<double>(given.back().size());
        }
        // If all inputs are equal, a bin of any width does.
        const double width = high > low ? (high - low) / static_cast<double>(points) : 1;
        for (const Points& some : given)
            for (const double u : some.reshaped())
                // The largest lies on the end of the last bin, and is counted in it.
                density[std::min(points - 1, static_cast<std::size_t>((u - low) / width))] += 1 / (count * width);
        for (std::size_t b = 0; b < points; ++b) input.push_back(low + (static_cast<double>(b) + 0.5) * width);
        // The channels' parameters are the last of a map's.
        const auto& channels = *map.shape().channels;
        Eigen::Map<Eigen::Array<double, 1, Eigen::Dynamic>> u(input.data(), static_cast<Index>(points));
        channels.evaluate(map.parameters().tail(channels.parameters()), u, values);
        Eigen::Map<Eigen::Array<double, 1, Eigen::Dynamic>> all(values.data(), values.size());
        channels.output().apply(all, all);
    }
};

}  // namespace

TrainedParts::TrainedParts(const Layers& layers, int steps) : steps_(static_cast<std::size_t>(steps)) {
    for (const MethodChoice& choice : layers.axis())
        if (const auto map = layers.trained(choice)) {
            parameters_ = std::max(parameters_, static_cast<std::size_t>(map->parameters()));
            channels_ = std::max(channels_, static_cast<std::size_t>(map->channels->count()));
        }
}

std::string TrainedParts::sizes() const {
    return fmt::format("room for {} parameters and {} channels", parameters_, channels_);
}

void TrainedParts::add(store::Dataset& data, const std::optional<features::MapShape>& map,
                       const std::vector<double>& losses, const Vector& parameters,
                       const std::vector<Points>& inputs) const {
    data.axes.push_back({"step", numbered(steps_), "", "steps of training"});
    data.variables.push_back(
        {"loss", {"step"}, padded(losses.data(), losses.size(), steps_), "", "of each step's mini-batch"});
    // If any method of the study trains a map, all methods have these arrays: cells of a sweep have the same shape.
    if (channels_ == 0) return;
    data.axes.push_back({"parameter", numbered(parameters_), "", "of the head, as learned_map.hpp orders them"});
    data.axes.push_back({"channel", numbered(channels_), "", "of the learned map"});
    data.axes.push_back({"point", numbered(points), "", "bins of what channels are given"});
    store::Variable input{"input", {"point"}, std::vector<double>(points, std::nan("")), "", "u, the middle of a bin"};
    store::Variable density{"input_density", {"point"}, input.values, "", "density of u over queries and keys"};
    store::Variable channel{
        "channel_value", {"channel", "point"}, std::vector<double>(channels_ * points, std::nan("")), "", "psi_l(u)"};
    if (map) {
        const ChannelCurves curves(features::LearnedMap(*map, parameters), inputs);
        input.values = curves.input;
        density.values = curves.density;
        for (Index l = 0; l < curves.values.cols(); ++l)
            for (std::size_t b = 0; b < points; ++b)
                channel.values[static_cast<std::size_t>(l) * points + b] = curves.values(static_cast<Index>(b), l);
    }
    data.variables.push_back({"head_parameters",
                              {"parameter"},
                              padded(parameters.data(), static_cast<std::size_t>(parameters.size()), parameters_),
                              "",
                              "of the trained head"});
    data.variables.push_back(input);
    data.variables.push_back(density);
    data.variables.push_back(channel);
}

report::Estimate mean_over_repeats(const store::Dataset& data, const char* variable, const report::Fixed& fixed) {
    const auto all = report::average(report::slice(data, variable, fixed), "repeat");
    return {all.mean[0], report::half_width(all)};
}

report::Figure loss_figure(const store::Dataset& data, const std::string& panel_axis, const report::Fixed& fixed) {
    report::Figure figure{.name = "loss",
                          .title = "Losses in training",
                          .caption = "Means over repeats and over fiftieths of the steps of the mini-batches' losses.",
                          .columns = 2};
    const auto& labels = data.axis(panel_axis).labels;
    const bool words = std::holds_alternative<std::vector<std::string>>(labels);
    for (std::size_t p = 0; p < data.axis(panel_axis).size(); ++p) {
        const report::Label label =
            words ? report::Label(std::get<1>(labels)[p]) : report::Label(std::get<0>(labels)[p]);
        report::Panel panel{.title = words ? std::get<1>(labels)[p]
                                           : fmt::format("{} {}", panel_axis, std::get<0>(labels)[p])};
        panel.x = {.label = "step"};
        panel.y = {.label = "loss", .log = true};
        for (const std::string& method : report::words(data, "method")) {
            report::Fixed own = fixed;
            own.emplace_back(panel_axis, label);
            own.emplace_back("method", method);
            const auto losses = report::average(report::slice(data, "loss", own), "repeat");
            // Fiftieths of whole steps; what is left of them at the end is not drawn.
            const std::size_t width = std::max<std::size_t>(1, losses.mean.size() / 50);
            report::Series series{method, {}, {}};
            for (std::size_t at = 0; at + width <= losses.mean.size(); at += width) {
                double sum = 0;
                for (std::size_t s = at; s < at + width; ++s) sum += losses.mean[s];
                series.x.push_back(static_cast<double>(at) + 0.5 * static_cast<double>(width));
                series.y.push_back(sum / static_cast<double>(width));
            }
            // Methods without parameters have no losses.
            if (!std::isnan(series.y.front())) panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

std::optional<report::Figure> channel_figure(const store::Dataset& data, const std::string& name,
                                             const std::string& title, const report::Fixed& fixed) {
    if (std::none_of(data.variables.begin(), data.variables.end(),
                     [](const auto& v) { return v.name == "channel_value"; }))
        return {};
    report::Figure figure{
        .name = name,
        .title = title,
        .caption =
            "One repeat. Solid: the learned channel over what it is given, u = w.x + b of queries and keys. "
            "Grey: how often u is there, as a density brought to the channel's range.",
        .columns = 4};
    for (const std::string& method : report::words(data, "method")) {
        report::Fixed own = fixed;
        own.emplace_back("method", method);
        // Channels of different repeats are different functions: their mean would be none of them.
        own.emplace_back("repeat", 0.0);
        const auto input = report::slice(data, "input", own).values;
        if (std::isnan(input.front())) continue;
        figure.title += ", " + method;
        const auto density = report::slice(data, "input_density", own).values;
        const double most = *std::max_element(density.begin(), density.end());
        for (const double channel : report::numbers(data, "channel")) {
            report::Fixed one = own;
            one.emplace_back("channel", channel);
            const auto values = report::slice(data, "channel_value", one).values;
            if (std::isnan(values.front())) continue;
            const auto [low, high] = std::minmax_element(values.begin(), values.end());
            report::Series grey{"density of u", input, density};
            // A density has another unit than the channel: its largest value is drawn where the channel's is.
            for (double& y : grey.y) y = *low + y / most * (*high > *low ? *high - *low : 1);
            grey.style = report::Style::steps;
            report::Panel panel{.title = fmt::format("ψ{}", channel + 1)};
            panel.x = {.label = "u"};
            panel.y = {.label = "ψ(u)"};
            panel.series = {grey, {"ψ(u)", input, values}};
            figure.panels.push_back(std::move(panel));
        }
        return figure;
    }
    return {};
}

}  // namespace rfbench::experiments
