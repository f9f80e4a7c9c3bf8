// Time and peak memory of one gradient slice by slice against the tokens of a slice (Figures 5.3 and 5.4 and Table 5.2
// of the thesis), beside the counts of its section 5.5. Its results are times and differ from run to run, as those of
// cost/attention do.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cost/low_memory_counts.hpp"
#include "cost/low_memory_report.hpp"
#include "cost/low_memory_runs.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "study/measured_runs.hpp"
#include "training/orthogonal_heads.hpp"
#include "training/sliced_networks.hpp"

namespace rfbench::experiments {
namespace {

/// A network, by its label, and the slices it is measured with.
struct MeasuredNetwork {
    std::string label;
    SlicedSize size;
    std::vector<std::int64_t> slices;
    std::size_t repeats;
};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("networks",
                 list_of(object({required("label", text(), "what results call it"),
                                 required("length", integer(2, 100'000'000), "tokens"),
                                 required("layers", integer(1, 100), "of the Transformer"),
                                 required("width", integer(1, 16384), "of a token, a multiple of 'dimension'"),
                                 required("slices", integers(1, 100'000'000), "tokens of a slice, at most 'length'"),
                                 optional("repeats", integer(1, 1000), "rounds, where they are fewer than for all")})),
                 "networks of which one gradient is measured"),
        defaulted("dimension", integer(1, 1024), "64", "of the heads"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("vocabulary", integer(2, 1'000'000), "256", "symbols, drawn independently"),
        defaulted("threads", integer(1, 1024), "2", "OpenMP threads; no more than there are processors"),
        defaulted("repeats", integer(1, 1000), "3", "samples of each time, taken in rounds"),
        defaulted("max_seconds", real(above(0).at_most(1e6)), "10",
                  "of a gradient of the whole sequence: where it takes longer, there is one round"),
        defaulted("max_prefix_bytes", real(above(0)), "4e9",
                  "that prefix sums of all layers may take: what needs more is left out, with NaN for its values"),
        optional("max_state_bytes", real(above(0)),
                 "that states stored on the way may take: what needs more is refused"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<MeasuredNetwork> networks;
    Axis<Index> slices;
    std::size_t repeats;
    Index columns;
    int threads;
    double max_seconds, max_prefix_bytes;
    Stream stream;
};

struct Sample {
    double seconds, bytes;
};

/// Time of one run, and its peak memory beyond what was held before. It allocates, as the first step of training does.
template <class Run>
Sample sample(const Run& run) {
    const memory::HighWaterMark mark;
    const auto begin = std::chrono::steady_clock::now();
    run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {seconds, static_cast<double>(mark.bytes())};
}

/// Bytes of the prefix sums that a way stores, of all layers and heads: L R (e + 1) floats a head.
double prefix_bytes(const GradientRun& run, const networks::Transformer& network, Index length) {
    return static_cast<double>(stored_tokens(run, length)) * networks::state_bytes(network) / sizeof(double) *
           sizeof(float);
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const parallel::OpenMpThreads team(setting.threads);
    const MeasuredNetwork& measured = at[setting.networks];
    const SlicedSize& size = measured.size;
    const Index tokens = at[setting.slices];
    const MethodChoice& method = at[setting.methods];
    const Stream stream = setting.stream.child(method.label);
    const networks::Heads heads = orthogonal_heads(method, size.shape(), setting.columns, stream.child("heads"));
    const networks::Transformer network(size.shape(), heads), storing(size.shape(), with_prefix_sums(heads));
    const networks::Weights<float> weights(network.layout(), network.start({}, stream.child("start")).cast<float>(),
                                           networks::Passes::both);
    const auto text = random_text<float>(size, stream.child("text"));
    networks::Sequence<float> alone = text;
    alone.tokens.resize(static_cast<std::size_t>(tokens));
    alone.targets.resize(static_cast<std::size_t>(tokens));

    const std::vector<GradientRun> runs = gradient_runs(tokens, size.length);
    store::Variable seconds{"seconds", {"way", "repeat"}, {}, "s", "time of one gradient"};
    store::Variable bytes{
        "peak_bytes", {"way"}, {}, "B", "peak memory beside parameters, their packed copies and the text"};
    seconds.values.assign(runs.size() * setting.repeats, std::nan(""));
    bytes.values.assign(runs.size(), std::nan(""));
    std::vector<networks::SlicedWork> work(runs.size());
    // In turns, so that whatever disturbs the machine disturbs all alike.
    parallel::Parts rounds(static_cast<Index>(measured.repeats));
    for (std::size_t r = 0; r < measured.repeats; ++r) {
        parallel::Parts parts(static_cast<Index>(runs.size()));
        for (std::size_t i = 0; i < runs.size(); ++i) {
            // All ways have a single round if the first gradient of the whole sequence takes longer than max_seconds:
            // ratios need rounds that all ways have.
            if (r > 0 && seconds.values[0] > setting.max_seconds) continue;
            if (prefix_bytes(runs[i], network, size.length) > setting.max_prefix_bytes) continue;
            const Sample one = sample([&] {
                work[i] = gradient_of(runs[i], runs[i].prefix_sums ? storing : network, weights,
                                      runs[i].alone ? alone : text);
            });
            seconds.values[i * setting.repeats + r] = one.seconds;
            bytes.values[i] = std::fmax(bytes.values[i], one.bytes);
            parts.done();
        }
        rounds.done();
    }
    std::vector<std::string> ways;
    for (const GradientRun& run : runs) ways.push_back(run.way);
    const store::Axis repeats = repeat_axis("repeat", static_cast<std::int64_t>(setting.repeats), "round").stored();
    store::Dataset data{
        {{"way", ways, "", "how the gradient is made"}, repeats}, {seconds, bytes}, measured_attributes()};
    for (store::Variable& count : counts_of(network, size.length, work)) data.variables.push_back(std::move(count));
    return data;
}

/// The networks, and all slices that one of them has.
Setting setting_of(const config::Value& config) {
    Setting own{method_axis(methods(config, sliced_methods), "attention"),
                {"network", {}, std::vector<std::string>{}, "", "sizes"},
                {"slice", {}, std::vector<double>{}, "", "E, tokens of a slice"},
                static_cast<std::size_t>(config.at("repeats").integer()),
                whole(config, "columns"),
                static_cast<int>(std::min<std::int64_t>(config.at("threads").integer(), omp_get_num_procs())),
                config.at("max_seconds").number(),
                config.at("max_prefix_bytes").number(),
                study_stream(config, "cost/low-memory")};
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
        const auto rounds =
            entry.has("repeats") ? static_cast<std::size_t>(entry.at("repeats").integer()) : own.repeats;
        if (rounds > own.repeats)
            entry.at("repeats").refuse(fmt::format("{} are more than 'repeats' of all, {}", rounds, own.repeats));
        own.networks.values.push_back({labels.back(), size, entry.at("slices").integers(), rounds});
        // Slices are not among the contents: what is measured with one of them does not depend on the others.
        own.networks.contents.push_back(fmt::format("length: {}, layers: {}, width: {}, repeats: {}", size.length,
                                                    size.layers, size.width, rounds));
    }
    // Networks share one axis of slices, of which each has those of its own (Sweep::keep).
    std::sort(own.slices.values.begin(), own.slices.values.end());
    own.slices.values.erase(std::unique(own.slices.values.begin(), own.slices.values.end()), own.slices.values.end());
    own.slices.labels = std::vector<double>(own.slices.values.begin(), own.slices.values.end());
    own.networks.labels = std::move(labels);
    return own;
}

/// Throws config::Error where states that a way stores take more than the configuration allows.
void require_room(const config::Value& config, const Setting& setting) {
    if (!config.has("max_state_bytes")) return;
    const config::Value& most = config.at("max_state_bytes");
    const auto check = [&](const MethodChoice& method, const MeasuredNetwork& one, const GradientRun& run,
                           const networks::Transformer& network) {
        networks::Slicing slicing = run.slicing;
        slicing.bytes = most.number();
        try {
            networks::plan_within(slicing, one.size.length, network);
        } catch (const std::invalid_argument& error) {
            most.refuse(
                fmt::format("'{}' of network '{}' through '{}': {}", run.way, one.label, method.label, error.what()));
        }
    };
    for (const MethodChoice& method : setting.methods)
        for (const MeasuredNetwork& one : setting.networks) {
            const networks::Transformer network(one.size.shape(),
                                                orthogonal_heads(method, one.size.shape(), setting.columns, Stream(0)));
            for (const std::int64_t tokens : one.slices)
                for (const GradientRun& run : gradient_runs(tokens, one.size.length))
                    if (run.slicing.tokens > 0) check(method, one, run, network);
        }
}

/// Bytes of a network's cells: parameters, their packed copies and gradients; and of the way that takes most what
/// layers leave to their backward passes, some 30 numbers a token and column, and its prefix sums.
double bytes_of(const Setting& setting, const MethodChoice& method, const MeasuredNetwork& one) {
    const SlicedSize& s = one.size;
    const auto rows = static_cast<double>(s.layers * s.width);
    const double parameters =
        rows * 12 * static_cast<double>(s.width) + static_cast<double>((s.length + s.vocabulary) * s.width);
    const networks::Transformer network(s.shape(), orthogonal_heads(method, s.shape(), setting.columns, Stream(0)));
    double most = 0;
    for (const std::int64_t slice : one.slices)
        for (const GradientRun& run : gradient_runs(slice, s.length)) {
            const double sums = prefix_bytes(run, network, s.length);
            const Index tokens = run.slicing.tokens > 0 ? run.slicing.tokens : s.length;
            if (sums <= setting.max_prefix_bytes)
                most = std::max(most, sums + 30 * sizeof(float) * static_cast<double>(tokens) * rows);
        }
    return 6 * sizeof(float) * parameters + most;
}

Sweep prepare(const config::Value& config) {
    const Setting setting = setting_of(config);
    Sweep sweep = Sweep::over(setting.methods, setting.networks, setting.slices);
    for (const MethodChoice& method : setting.methods) {
        require_states(method, whole(config, "dimension"), setting.columns);
        for (const MeasuredNetwork& one : setting.networks)
            method.require_heads({one.size.layers, one.size.width / one.size.dimension});
    }
    require_room(config, setting);
    sweep.alone = true;
    sweep.keep = [setting](const Point& at) {
        const auto& own = at[setting.networks].slices;
        return std::find(own.begin(), own.end(), at[setting.slices]) != own.end();
    };
    for (const MethodChoice& method : setting.methods)
        for (const MeasuredNetwork& one : setting.networks)
            sweep.bytes = std::max(sweep.bytes, bytes_of(setting, method, one));
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study low_memory_study() {
    return {"cost",
            "low-memory",
            "time and peak memory of a gradient slice by slice, for each way to recover states",
            "Likhosherstov 2022, Figures 5.3 and 5.4, Table 5.2",
            2,
            sliced_methods,
            keys,
            prepare,
            low_memory_report};
}

}  // namespace rfbench::experiments
