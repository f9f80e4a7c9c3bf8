// Time and peak memory of one gradient slice by slice against the tokens of a slice (Figures 5.3 and 5.4 and Table 5.2
// of the thesis). Its results are times and differ from run to run, as those of attention/cost do.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "measured_runs.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/networks/team.hpp"
#include "rfbench/report/slice.hpp"
#include "study.hpp"
#include "training/sliced_networks.hpp"

namespace rfbench::experiments {
namespace {

constexpr double mebi = 1 << 20;
/// What is measured beside sliced_ways(): the whole sequence, and the first slice of it as a whole sequence.
const std::string whole_way = "whole sequence", bound_way = "one slice alone";

/// A network, by its label, and the slices it is measured with.
struct MeasuredNetwork {
    SlicedSize size;
    std::vector<std::int64_t> slices;
};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("networks",
                 list_of(object({required("label", text(), "what results call it"),
                                 required("length", integer(2, 100'000'000), "tokens"),
                                 required("layers", integer(1, 100), "of the Transformer"),
                                 required("width", integer(1, 16384), "of a token, a multiple of 'dimension'"),
                                 required("slices", integers(1, 100'000'000), "tokens of a slice, at most 'length'")})),
                 "networks of which one gradient is measured"),
        defaulted("dimension", integer(1, 1024), "64", "of the heads"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("vocabulary", integer(2, 1'000'000), "256", "symbols, drawn independently"),
        defaulted("threads", integer(1, 1024), "2", "OpenMP threads; no more than there are processors"),
        defaulted("repeats", integer(1, 1000), "3", "samples of each time, taken in rounds"),
        defaulted("most_seconds", real(above(0).at_most(1e6)), "10",
                  "of a gradient of the whole sequence: where it takes longer, there is one round"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<MeasuredNetwork> networks;
    Axis<Index> slices;
    std::size_t repeats;
    Index columns;
    int threads;
    double most_seconds;
    Stream stream;
};

struct Sample {
    double seconds, bytes;
};

/// Of one run: memory that it takes, beyond what there was, is new to it, as in the first step of a training.
template <class Run>
Sample sample(const Run& run) {
    const memory::HighWaterMark mark;
    const auto begin = std::chrono::steady_clock::now();
    run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {seconds, static_cast<double>(mark.bytes())};
}

std::vector<std::string> way_names() {
    std::vector<std::string> all{whole_way, bound_way};
    for (const GradientWay& way : sliced_ways()) all.push_back(way.name);
    return all;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const networks::Team team(setting.threads);
    const SlicedSize& size = at[setting.networks].size;
    const Index tokens = at[setting.slices];
    const MethodChoice& method = at[setting.methods];
    const Stream stream = setting.stream.child(method.label);
    const networks::Transformer network(size.shape(),
                                        sliced_heads(method, size, setting.columns, stream.child("heads")));
    const networks::Weights<float> weights(network.layout(), network.start({}, stream.child("start")).cast<float>(),
                                           networks::Passes::both);
    const std::vector text{random_text<float>(size, stream.child("text"))};
    std::vector alone = text;
    alone[0].tokens.resize(static_cast<std::size_t>(tokens));
    alone[0].targets.resize(static_cast<std::size_t>(tokens));

    const auto gradient = [&](const std::vector<networks::Sequence<float>>& of) {
        networks::Workspace<float> work;
        networks::Column<float> out;
        network.gradient<float>(weights, of, work, out);
    };
    // In the order of way_names().
    std::vector<std::function<void()>> runs{[&] { gradient(text); }, [&] { gradient(alone); }};
    for (const GradientWay& way : sliced_ways())
        runs.emplace_back([&] {
            networks::Column<float> out;
            networks::SlicedGradient<float>(network, sliced(way, tokens, size.length))(weights, text, out);
        });

    store::Variable seconds{"seconds", {"way", "repeat"}, {}, "s", "time of one gradient"};
    store::Variable bytes{
        "peak_bytes", {"way"}, {}, "B", "peak memory beside parameters, their packed copies and the text"};
    seconds.values.assign(runs.size() * setting.repeats, std::nan(""));
    bytes.values.assign(runs.size(), 0);
    // In turns, so that whatever disturbs the machine disturbs all alike.
    for (std::size_t r = 0; r < setting.repeats; ++r)
        for (std::size_t i = 0; i < runs.size(); ++i) {
            // The first round of the whole sequence decides for all, so that ratios are of rounds that all have.
            if (r > 0 && seconds.values[0] > setting.most_seconds) continue;
            const Sample one = sample(runs[i]);
            seconds.values[i * setting.repeats + r] = one.seconds;
            bytes.values[i] = std::max(bytes.values[i], one.bytes);
        }
    const store::Axis repeats = repeat_axis("repeat", static_cast<std::int64_t>(setting.repeats), "round").stored();
    const auto scalar = [](const char* name, double value, const char* unit, const char* description) {
        return store::Variable{name, {}, {value}, unit, description};
    };
    return {{{"way", way_names(), "", "how the gradient is made"}, repeats},
            {seconds, bytes, scalar("length", static_cast<double>(size.length), "", "tokens"),
             scalar("layers", static_cast<double>(size.layers), "", "of the network"),
             scalar("width", static_cast<double>(size.width), "", "of the network"),
             scalar("parameters", static_cast<double>(network.layout().size()), "", "of the network")},
            measured_attributes()};
}

/// The networks, and all slices that one of them has.
Setting setting_of(const config::Value& config) {
    Setting own{method_axis(methods(config, sliced_methods), "attention"),
                {"network", {}, std::vector<std::string>{}, "", "sizes"},
                {"slice", {}, std::vector<double>{}, "", "E, tokens of a slice"},
                static_cast<std::size_t>(config.at("repeats").integer()),
                whole(config, "columns"),
                static_cast<int>(std::min<std::int64_t>(config.at("threads").integer(), omp_get_num_procs())),
                config.at("most_seconds").number(),
                study_stream(config, "training/low-memory")};
    own.networks.keys = own.slices.keys = {"networks"};
    std::vector<std::string> labels;
    for (const config::Value& entry : config.at("networks").items()) {
        const SlicedSize size{whole(config, "vocabulary"), whole(entry, "length"), whole(entry, "layers"),
                              whole(entry, "width"), whole(config, "dimension")};
        if (size.width % size.dimension != 0)
            entry.at("width").refuse(
                fmt::format("{} is not a multiple of 'dimension', {}", size.width, size.dimension));
        if (std::find(labels.begin(), labels.end(), entry.at("label").text()) != labels.end())
            entry.at("label").refuse("an earlier network is called '" + entry.at("label").text() + "' too");
        labels.push_back(entry.at("label").text());
        for (const std::int64_t slice : entry.at("slices").integers()) {
            try {
                networks::plan({.tokens = slice}, size.length);
            } catch (const std::invalid_argument& error) {
                entry.at("slices").refuse(error.what());
            }
            own.slices.values.push_back(slice);
        }
        own.networks.values.push_back({size, entry.at("slices").integers()});
        // Slices are not among the contents: what is measured with one of them does not depend on the others.
        own.networks.contents.push_back(
            fmt::format("length: {}, layers: {}, width: {}", size.length, size.layers, size.width));
    }
    // Networks share one axis of slices, of which each has those of its own (Sweep::keep).
    std::sort(own.slices.values.begin(), own.slices.values.end());
    own.slices.values.erase(std::unique(own.slices.values.begin(), own.slices.values.end()), own.slices.values.end());
    own.slices.labels = std::vector<double>(own.slices.values.begin(), own.slices.values.end());
    own.networks.labels = std::move(labels);
    return own;
}

Sweep prepare(const config::Value& config) {
    const Setting setting = setting_of(config);
    Sweep sweep = Sweep::over(setting.methods, setting.networks, setting.slices);
    for (const MethodChoice& method : setting.methods)
        require_states(method, whole(config, "dimension"), setting.columns);
    sweep.alone = true;
    sweep.keep = [setting](const Point& at) {
        const auto& own = at[setting.networks].slices;
        return std::find(own.begin(), own.end(), at[setting.slices]) != own.end();
    };
    // Parameters, their packed copies and gradients; and what layers leave to their backward passes, some 30 numbers a
    // token and column of the whole sequence.
    for (const MeasuredNetwork& one : setting.networks) {
        const auto& s = one.size;
        const auto rows = static_cast<double>(s.layers * s.width);
        const double parameters =
            rows * 12 * static_cast<double>(s.width) + static_cast<double>((s.length + s.vocabulary) * s.width);
        sweep.bytes =
            std::max(sweep.bytes, sizeof(float) * (6 * parameters + 30 * static_cast<double>(s.length) * rows));
    }
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// One way of one network: what was measured, against the tokens of a slice.
struct Line {
    std::vector<double> slices, seconds, low, high, bytes;
};

Line line(const store::Dataset& data, const std::string& method, const std::string& network, const std::string& way) {
    Line result;
    for (const double slice : report::numbers(data, "slice")) {
        const report::Fixed fixed{{"method", method}, {"network", network}, {"slice", slice}, {"way", way}};
        std::vector<double> times = report::slice(data, "seconds", fixed).values;
        std::erase_if(times, [](double time) { return std::isnan(time); });
        if (times.empty()) continue;
        std::sort(times.begin(), times.end());
        const std::size_t n = times.size();
        result.slices.push_back(slice);
        result.seconds.push_back((times[(n - 1) / 2] + times[n / 2]) / 2);
        result.low.push_back(times.front());
        result.high.push_back(times.back());
        result.bytes.push_back(report::slice(data, "peak_bytes", fixed).values.front());
    }
    return result;
}

/// "I: 8192 tokens, 1 layer, width 1024".
std::string title(const store::Dataset& data, const std::string& method, const std::string& network) {
    const auto value = [&](const char* name) {
        // Every cell of the network has its sizes; NaN stands at slices that it was not measured with.
        for (const double one : report::slice(data, name, {{"method", method}, {"network", network}}).values)
            if (!std::isnan(one)) return one;
        return std::nan("");
    };
    const double layers = value("layers");
    return fmt::format("{}: {} tokens, {} layer{}, width {}", network, value("length"), layers, layers == 1 ? "" : "s",
                       value("width"));
}

std::vector<std::string> ways_of(const store::Dataset& data) { return report::words(data, "way"); }

report::Figure figure(const store::Dataset& data, bool time) {
    report::Figure result{
        .name = time ? "low-memory-time" : "low-memory-memory",
        .title = time ? "Time of a gradient slice by slice" : "Memory of a gradient slice by slice",
        .caption = time
                       ? "Time over that of the gradient of the whole sequence, measured in turns with it. Two forward "
                         "passes and one backward are 4/3 of one and one; Table 5.2 of the thesis prints 1.7 to 2.2."
                       : "The most bytes held at once beside parameters, their packed copies and the text. No "
                         "algorithm takes less than a slice alone.",
        .columns = 2};
    if (time) result.interval = "Bars: from the fastest to the slowest round, over the median of the whole sequence";
    for (const std::string& method : report::words(data, "method"))
        for (const std::string& network : report::words(data, "network")) {
            report::Panel panel{.title = title(data, method, network)};
            if (report::words(data, "method").size() > 1) panel.title += ", " + method;
            panel.x = {.label = "E, tokens of a slice", .log = true};
            panel.y = {.label = time ? "time / that of the whole" : "peak memory / MiB", .log = !time};
            const Line whole = line(data, method, network, whole_way);
            if (time) panel.horizontal = {{1, ""}, {4.0 / 3, "4/3"}, {1.7, "1.7"}, {2.2, "2.2"}};
            for (const std::string& way : ways_of(data)) {
                if (time && (way == whole_way || way == bound_way)) continue;
                const Line own = line(data, method, network, way);
                report::Series series{way, own.slices, time ? own.seconds : own.bytes};
                if (time) {
                    series.low = own.low;
                    series.high = own.high;
                    series.spread = report::Spread::bars;
                }
                const auto scale = [&](std::vector<double>& values) {
                    // All ways of a network were measured with the same slices: numbers stand at the same places.
                    for (std::size_t i = 0; i < values.size(); ++i) values[i] /= time ? whole.seconds[i] : mebi;
                };
                scale(series.y);
                scale(series.low);
                scale(series.high);
                const bool compared = way == whole_way || way == bound_way;
                series.style = compared ? report::Style::line : report::Style::line_points;
                panel.series.push_back(std::move(series));
            }
            result.panels.push_back(std::move(panel));
        }
    return result;
}

report::Table table(const store::Dataset& data) {
    report::Table result{
        .name = "low-memory",
        .caption =
            "Time and peak memory of one gradient, of the whole sequence and slice by slice; times "
            "slice by slice over that of the whole, in theory 4/3 and 1.7 to 2.2 in Table 5.2.",
        .columns = {report::word_column("network"), report::word_column("method"), {"slice"}, {"whole", "s"}}};
    const std::vector<std::string> ways = ways_of(data);
    for (const std::string& way : ways)
        if (way != whole_way && way != bound_way)
            result.columns.push_back(report::number_column(way, report::decimals(2)));
    for (const std::string& way : ways)
        result.columns.push_back({way + ", memory", "MiB", report::Alignment::right, report::decimals(1)});
    for (const std::string& network : report::words(data, "network"))
        for (const std::string& method : report::words(data, "method")) {
            const Line whole = line(data, method, network, whole_way);
            for (std::size_t i = 0; i < whole.slices.size(); ++i) {
                report::Row row{{network, method, whole.slices[i], whole.seconds[i]}, i == 0};
                std::vector<report::Entry> memory;
                for (const std::string& way : ways) {
                    const Line own = line(data, method, network, way);
                    if (way != whole_way && way != bound_way) row.entries.push_back(own.seconds[i] / whole.seconds[i]);
                    memory.push_back(own.bytes[i] / mebi);
                }
                row.entries.insert(row.entries.end(), memory.begin(), memory.end());
                result.rows.push_back(std::move(row));
            }
        }
    result.notes = {
        "Memory: the most bytes held at once beside parameters, their packed copies and the text; the gradient of all "
        "parameters is among them. one slice alone: the gradient of the first slice as a whole sequence, below which "
        "no algorithm gets. Times are medians over rounds."};
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data, true), figure(data, false)}, {table(data)}}; }

}  // namespace

Study low_memory_study() {
    return {"training",
            "low-memory",
            "time and peak memory of a gradient slice by slice, by how states are had again",
            "Likhosherstov 2022, Figures 5.3 and 5.4, Table 5.2",
            1,
            sliced_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
