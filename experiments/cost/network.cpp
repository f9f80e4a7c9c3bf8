// Figures 3.3 to 3.5 and 6.6 (right) of the thesis: time and peak memory of forward passes and gradients of whole
// Transformers against the length, by numbers of layers and of sequences, beside networks whose attention copies the
// values. A study whose results are times: its files differ from run to run, and say so.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>

#include "cost/network_report.hpp"
#include "rfbench/networks/transformer.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"
#include "training/orthogonal_heads.hpp"

namespace rfbench::experiments {
namespace {

using networks::Passes;
using networks::Sequence;
using networks::Transformer;

const MethodKey taken{
    .abilities = {Ability::layer, Ability::causal_layer},
    .keys = {config::optional("longest", config::integer(1, 100'000'000), "L its networks are measured up to")},
    .columns = true,
    .sampling = EntrySampling::drawn};

double bytes(Index floats) { return static_cast<double>(floats) * sizeof(float); }

struct Setting {
    Axis<MethodChoice> methods;
    Axis<Index> lengths, batches;
    Axis<std::uint64_t> repeats;  // this and the next two are inside a cell
    Axis<Index> layers;           // ascending
    Axis<std::string> passes;
    Rounds rounds;
    networks::TransformerShape sizes;
    Index columns;
    int threads;
    double max_bytes, max_run_seconds;
    Stream stream;

    networks::TransformerShape shape(Index layer_count, Index length) const {
        networks::TransformerShape own = sizes;
        own.layers = layer_count;
        own.positions = length;
        return own;
    }

    /// About what one gradient holds: of each token what layers leave to their backward passes; of each thread's
    /// sequence what is at work in one layer and the read-out; and gradients of all parameters.
    double bytes_of_gradient(Index layer_count, Index length, Index batch) const {
        const Index width = sizes.width, at_once = std::min<Index>(threads, batch);
        const Index of_layers = layer_count * (10 * width + 2 * sizes.inner + 4 * sizes.heads);
        const Index at_work = 13 * width + sizes.inner + 2 * sizes.vocabulary;
        return bytes(at_once * (length * (of_layers + at_work) + parameters(layer_count, length)) +
                     parameters(layer_count, length));
    }
    /// Bytes of the parameters of all methods, which are measured in turns, packed for both passes.
    double bytes_of_networks(Index layer_count, Index length) const {
        const Index packed = layer_count * sizes.width * (4 * sizes.width + 2 * sizes.inner) * 2;
        return bytes(static_cast<Index>(methods.size()) * (parameters(layer_count, length) + packed));
    }

private:
    Index parameters(Index layer_count, Index length) const {
        return layer_count * sizes.width * (4 * sizes.width + 2 * sizes.inner) +
               (length + sizes.vocabulary) * sizes.width;
    }
};

/// Reason for not measuring a network, which results store; LeftOut::none if it is measured.
LeftOut left_out(const Setting& setting, const MethodChoice& method, Index layer_count, Index length, Index batch,
                 double expected_seconds) {
    if (method.entry.has("longest") && length > method.entry.at("longest").integer()) return LeftOut::length;
    if (setting.bytes_of_gradient(layer_count, length, batch) > setting.max_bytes) return LeftOut::memory;
    return expected_seconds > setting.max_run_seconds ? LeftOut::time : LeftOut::none;
}

/// Memory that all networks of a shape use in turns.
struct Buffers {
    networks::Workspace<float> work;
    networks::Column<float> gradient;
};

/// A network with its parameters as training begins.
struct Network {
    Transformer transformer;
    networks::Weights<float> weights;

    Network(const Setting& setting, const networks::TransformerShape& shape, const MethodChoice& method)
        : transformer(shape, orthogonal_heads(method, shape, setting.columns, setting.stream.child("heads"))),
          weights(transformer.layout(), transformer.start({}, setting.stream.child("start")).cast<float>(),
                  Passes::both) {}
};

std::vector<Sequence<float>> random_sequences(Index vocabulary, Index length, Index batch, const Stream& stream) {
    std::vector<Sequence<float>> all(static_cast<std::size_t>(batch));
    for (std::size_t s = 0; s < all.size(); ++s) {
        Stream own = stream.child(s);
        for (Index i = 0; i < length; ++i) {
            all[s].tokens.push_back(static_cast<int>(own.below(static_cast<std::uint64_t>(vocabulary))));
            all[s].targets.push_back({i, static_cast<int>(own.below(static_cast<std::uint64_t>(vocabulary)))});
        }
    }
    return all;
}

/// Measures networks from the shallowest to the deepest: the time of each predicts that of deeper ones.
class Cell {
public:
    Cell(const Setting& setting, Index length, Index batch)
        : setting_(setting),
          length_(length),
          sequences_(random_sequences(setting.sizes.vocabulary, length, batch, setting.stream.child("tokens"))),
          per_layer_(setting.methods.size() * setting.passes.size(), 0) {
        const std::size_t all = per_layer_.size() * setting.layers.size();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        seconds_.assign(all * setting.repeats.size(), nan);
        bytes_.assign(all, nan);
        left_out_.assign(all, 0);
    }

    /// All methods and passes by networks of so many layers, the number of which is `at` in the list.
    void measure(std::size_t at) {
        const networks::TransformerShape shape = setting_.shape(setting_.layers.values[at], length_);
        const auto buffers = std::make_shared<Buffers>();
        std::vector<MeasuredRun> runs;
        std::vector<LeftOut> why;
        // First runs, then rounds of all.
        parallel::Parts halves(2);
        std::optional<parallel::Parts> parts(std::in_place, static_cast<Index>(setting_.methods.size()));
        for (std::size_t m = 0; m < setting_.methods.size(); ++m) {
            std::shared_ptr<const Network> network;
            for (std::size_t p = 0; p < setting_.passes.size(); ++p) {
                const MethodChoice& method = setting_.methods.values[m];
                double& per_layer = per_layer_[m * setting_.passes.size() + p];
                // Expected seconds, proportional to the number of layers; 0 for the shallowest network.
                why.push_back(left_out(setting_, method, shape.layers, length_, static_cast<Index>(sequences_.size()),
                                       per_layer * static_cast<double>(shape.layers)));
                // An empty run, so that the others keep their places.
                if (why.back() != LeftOut::none) {
                    runs.emplace_back();
                    continue;
                }
                // Made for the first pass that is measured, and shared by both.
                if (!network) network = std::make_shared<const Network>(setting_, shape, method);
                // The memory of a run is that of its first time, which therefore must find no buffers.
                *buffers = {};
                runs.emplace_back(run(network, buffers, setting_.passes.values[p]), setting_.rounds);
                per_layer = runs.back().first() / static_cast<double>(shape.layers);
            }
            parts->done();
        }
        parts.reset();
        halves.done();
        store(at, runs, why);
    }

    store::Dataset dataset() const {
        const std::vector<std::string> axes{"method", "layers", "pass"}, timed{"method", "layers", "pass", "repeat"};
        return {
            {setting_.methods.stored(), setting_.layers.stored(), setting_.passes.stored(), setting_.repeats.stored()},
            {{"seconds", timed, seconds_, "s", "time of one run"},
             {"peak_bytes", axes, bytes_, "B", "peak memory of a run beside parameters and tokens"},
             {"left_out", axes, left_out_, "",
              "0: measured; not measured since 1: the method's longest sequence is shorter, 2: a gradient would hold "
              "more than max_bytes, 3: a run would take longer than max_run_seconds"},
             exact_variable(setting_.methods)},
            measured_attributes()};
    }

private:
    /// Keeps the network and the buffers for as long as it may be run; the tokens are the cell's.
    std::function<void()> run(const std::shared_ptr<const Network>& network, const std::shared_ptr<Buffers>& buffers,
                              const std::string& pass) const {
        return [network, buffers, &sequences = sequences_, gradient = pass == "gradient"] {
            const std::span<const Sequence<float>> batch(sequences);
            if (gradient)
                network->transformer.gradient(network->weights, batch, buffers->work, buffers->gradient);
            else
                network->transformer.evaluate(network->weights, batch, buffers->work);
        };
    }

    void store(std::size_t at, const std::vector<MeasuredRun>& runs, const std::vector<LeftOut>& why) {
        const std::vector<double> times = seconds_in_turns(runs, setting_.rounds);
        const std::size_t passes = setting_.passes.size(), repeats = setting_.repeats.size();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            // Runs are [method][pass]; results have the layers between.
            const std::size_t to = (i / passes * setting_.layers.size() + at) * passes + i % passes;
            bytes_[to] = runs[i].bytes();
            left_out_[to] = static_cast<double>(why[i]);
            std::copy_n(times.begin() + static_cast<std::ptrdiff_t>(i * repeats), repeats,
                        seconds_.begin() + static_cast<std::ptrdiff_t>(to * repeats));
        }
    }

    const Setting& setting_;
    Index length_;
    std::vector<Sequence<float>> sequences_;
    std::vector<double> per_layer_;                   // seconds, [method][pass]; 0 where nothing is known
    std::vector<double> seconds_, bytes_, left_out_;  // [method][layers][pass], seconds [repeat] too
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const parallel::OpenMpThreads team(setting.threads);
    Cell cell(setting, at[setting.lengths], at[setting.batches]);
    parallel::Parts parts(static_cast<Index>(setting.layers.size()));
    for (std::size_t l = 0; l < setting.layers.size(); ++l) {
        cell.measure(l);
        parts.done();
    }
    return cell.dataset();
}

networks::TransformerShape sizes_of(const config::Value& config) {
    networks::TransformerShape sizes;
    sizes.vocabulary = sizes.outputs = whole(config, "vocabulary");
    sizes.heads = whole(config, "heads");
    sizes.width = whole(config, "width");
    sizes.inner = whole(config, "inner");
    sizes.visible = config.at("visible").text() == "causal" ? attention::Visible::causal : attention::Visible::all;
    if (sizes.width % sizes.heads != 0)
        config.at("width").refuse(fmt::format("{} is not a multiple of heads, {}", sizes.width, sizes.heads));
    return sizes;
}

Sweep prepare(const config::Value& config) {
    std::vector<std::int64_t> layers = config.at("layers").integers();
    std::sort(layers.begin(), layers.end());
    const int threads = static_cast<int>(std::min<std::int64_t>(config.at("threads").integer(), omp_get_num_procs()));
    const Setting own{method_axis(methods(config, taken), "attention"),
                      whole_axis("length", Key{config, "lengths"}, "L, tokens of a sequence"),
                      whole_axis("batch", Key{config, "batches"}, "sequences"),
                      repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                      whole_axis("layers", layers, "of the Transformer"),
                      axis("pass", network_passes, "what is run"),
                      Rounds(config),
                      sizes_of(config),
                      whole(config, "columns"),
                      threads,
                      config.at("max_bytes").number(),
                      config.at("max_run_seconds").number(),
                      study_stream(config, "cost/network")};
    const bool causal = own.sizes.visible == attention::Visible::causal;
    for (const MethodChoice& method : own.methods) {
        method.require_dimension(own.sizes.width / own.sizes.heads);
        if (!method->layers_seeing(own.sizes.visible))
            method.entry.refuse("'" + method.info->name + "' " +
                                missing_ability_text(causal ? Ability::causal_layer : Ability::layer));
        for (const Index depth : own.layers) method.require_heads({depth, own.sizes.heads});
        method.require_columns(own.sizes.width / own.sizes.heads, own.columns);
    }

    // Methods, layers and passes are inside a cell: methods are measured in turns, and whether a deep network is
    // measured depends on how long a shallow one took.
    Sweep sweep = Sweep::over(own.lengths, own.batches);
    sweep.alone = true;
    sweep.attributes = {{"threads", std::to_string(threads)}, {"visible", config.at("visible").text()}};
    if (threads < config.at("threads").integer())
        sweep.notes = {fmt::format("{} threads are used: there are no more processors", threads)};
    // The largest of those that will be measured: others are left out before they take anything.
    for (const Index length : own.lengths)
        for (const Index batch : own.batches)
            for (const Index count : own.layers)
                if (const double one = own.bytes_of_gradient(count, length, batch); one <= own.max_bytes)
                    sweep.bytes = std::max(sweep.bytes, one + own.bytes_of_networks(count, length));
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("lengths", integers(1, 100'000'000), "L"),
        defaulted("batches", integers(1, 65536), "[1]", "sequences of a run"),
        defaulted("layers", integers(1, 100), "[1, 5, 20]", "of the Transformer"),
        defaulted("heads", integer(1, 256), "2", "of each layer"),
        defaulted("width", integer(1, 16384), "128", "of a token, a multiple of heads"),
        defaulted("inner", integer(1, 65536), "512", "width within the feed-forward part"),
        defaulted("vocabulary", integer(2, 1'000'000), "256", "symbols that tokens are drawn from"),
        defaulted("columns", integer(1, 65536), "256", "real feature columns of a head"),
        defaulted("visible", one_of({"causal", "all"}), "causal", "the keys that a query sees"),
        defaulted("threads", integer(1, 1024), "2", "OpenMP threads; at most as many as there are processors are used"),
        defaulted("max_bytes", real(above(0)), "8e9",
                  "networks whose gradient would hold more are left out, as computed from their sizes"),
        defaulted("max_run_seconds", real(above(0)), "30",
                  "seconds; networks of which a run would take longer, as expected from that of fewer layers before "
                  "them, are left out"),
    };
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

}  // namespace

Study network_cost_study() {
    return {"cost",
            "network",
            "time and memory of whole networks against the length, by layers and batches",
            "Likhosherstov 2022, Figures 3.3 to 3.5 and 6.6",
            1,
            taken,
            keys,
            prepare,
            network_cost_report};
}

}  // namespace rfbench::experiments
