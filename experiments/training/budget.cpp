// Figure 3.10 (right) of the thesis: the largest network of each attention within a budget of seconds and one of bytes,
// trained on a text for these seconds. A study that measures times: its files differ from run to run, and say so.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/networks/trainer.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "sources/stored_state.hpp"
#include "sources/texts.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"
#include "training/budget_report.hpp"
#include "training/network_budget.hpp"
#include "training/network_training.hpp"
#include "training/orthogonal_heads.hpp"

namespace rfbench::experiments {
namespace {

using networks::Trainer;
using networks::Transformer;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const MethodKey taken{.abilities = {Ability::causal_layer}, .columns = true, .sampling = EntrySampling::drawn};

/// Layers and width of a network of the grid.
struct Size {
    Index layers, width;
};

struct Setting {
    Axis<MethodChoice> methods;
    Axis<double> seconds, bytes;
    Axis<std::uint64_t> seeds;
    std::vector<Size> grid;  ///< [layers][width], as results have it
    std::vector<double> layers, widths;
    std::vector<double> shares;  ///< of the steps, after which validation text is evaluated
    training::Descent descent;   ///< but for the steps
    Index head_width, columns, pieces;
    int warmup_steps, min_steps, repeats, threads;
    networks::Initialization initialization;
    std::shared_ptr<const Text> text;
    Stream stream;

    networks::TransformerShape shape(const Size& size) const {
        networks::TransformerShape own;
        own.vocabulary = bytes_there_are;
        own.positions = text->length;
        own.layers = size.layers;
        own.heads = size.width / head_width;
        own.width = size.width;
        own.inner = 4 * size.width;
        return models::gpt2_shape(own);
    }
};

/// A network, and its training by so many steps.
struct Training {
    Transformer network;
    Trainer<float> trainer;

    Training(const Setting& setting, const Size& size, const MethodChoice& method, int steps, const Stream& seed)
        : network(setting.shape(size), orthogonal_heads(method, setting.shape(size), setting.columns,
                                                        seed.child("features").child(method.label))),
          trainer(network, network.start(setting.initialization, seed.child("start")),
                  with_steps(setting.descent, steps), setting.warmup_steps) {}
    Training(const Training&) = delete;  // the trainer holds on to the network
    Training& operator=(const Training&) = delete;

private:
    static training::Descent with_steps(training::Descent descent, int steps) {
        descent.steps = steps;
        return descent;
    }
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One network of the grid: all that a training of it holds, and the median time of a step.
SizedNetwork measured(const Setting& setting, const Size& size, const MethodChoice& method) {
    const Stream stream = setting.stream.child("measured");
    const auto batch = setting.text->batch(setting.descent.batch, stream);
    SizedNetwork result{};
    std::unique_ptr<Training> training;
    {
        const memory::HighWaterMark mark;
        training = std::make_unique<Training>(setting, size, method, setting.repeats + 1, stream);
        training->trainer.step(batch);
        result.bytes = static_cast<double>(mark.bytes());
    }
    result.parameters = static_cast<double>(training->network.layout().size());
    // The median: a training takes as long as most of its steps do, and the least of them would promise too many.
    std::vector<double> seconds;
    for (int i = 0; i < setting.repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        training->trainer.step(batch);
        seconds.push_back(seconds_since(begin));
    }
    const auto middle = seconds.begin() + setting.repeats / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    result.step_seconds = *middle;
    return result;
}

/// Networks of the grid as they were measured, by method, and counts of the text: made by the first who asks.
struct Shared {
    std::vector<std::shared_future<std::vector<SizedNetwork>>> networks;
    std::shared_future<std::vector<double>> counts;  ///< bits per character by unigrams, bigrams and trigrams
};

/// Result of one training, as far as it has come.
struct Trained {
    std::vector<double> validation;  ///< bits per character, at the shares; NaN from where it diverged
    double tested = nan, seconds = 0, diverged_at = nan;
    std::size_t evaluations = 0;  ///< made so far
};

/// A checkpoint has the networks as they were measured: a later run would measure others, and choose another.
store::Dataset checkpointed(const std::vector<SizedNetwork>& networks, const Trained& trained,
                            const Trainer<float>& trainer) {
    store::Dataset data{{},
                        {{"validation", {}, trained.validation, "", ""},
                         {"seconds", {}, {trained.seconds}, "", ""},
                         {"evaluations", {}, {static_cast<double>(trained.evaluations)}, "", ""}},
                        {}};
    store::Variable grid{"networks", {}, {}, "", ""};
    for (const auto& [parameters, step_seconds, bytes] : networks)
        grid.values.insert(grid.values.end(), {parameters, step_seconds, bytes});
    data.variables.push_back(std::move(grid));
    add_state(data, trainer.state());
    return data;
}

std::vector<SizedNetwork> stored_networks(const store::Dataset& checkpoint) {
    const std::vector<double>& all = checkpoint.variable("networks").values;
    std::vector<SizedNetwork> networks;
    for (std::size_t i = 0; i + 2 < all.size(); i += 3) networks.push_back({all[i], all[i + 1], all[i + 2]});
    return networks;
}

/// Trains the network of the grid for so many steps, or for what is left of them.
Trained train(const Setting& setting, const std::vector<SizedNetwork>& networks, const Size& size,
              const MethodChoice& method, int steps, const Stream& seed, engine::Checkpoint& checkpoint) {
    const auto per_character = [](const std::string& part) { return bytes_per_character(part) / M_LN2; };
    const auto validation = setting.text->spread(setting.text->validation, setting.pieces);
    Training training(setting, size, method, steps, seed);
    Trainer<float>& trainer = training.trainer;
    Trained result{std::vector<double>(setting.shares.size(), nan)};
    if (const auto last = checkpoint.last()) {
        trainer.resume(stored_state(*last));
        result.validation = last->variable("validation").values;
        result.seconds = last->variable("seconds").values.front();
        result.evaluations = static_cast<std::size_t>(last->variable("evaluations").values.front());
    }
    try {
        for (int step = trainer.steps(); step < steps; ++step) {
            checkpoint.save_if_due([&] { return checkpointed(networks, result, trainer); });
            const auto begin = std::chrono::steady_clock::now();
            const Stream mini_batch = seed.child("batches").child(static_cast<std::uint64_t>(step));
            const double loss = trainer.step(setting.text->batch(setting.descent.batch, mini_batch)).loss.mean();
            result.seconds += seconds_since(begin);
            checkpoint.tell(static_cast<double>(step + 1) / steps,
                            fmt::format("step {} of {}, loss {:.3f}", step + 1, steps, loss));
            // Several evaluations after one step, if there are fewer steps.
            for (std::size_t& i = result.evaluations;
                 i < setting.shares.size() && step + 1 >= std::lround(setting.shares[i] * steps); ++i)
                result.validation[i] =
                    trainer.evaluate(validation).loss.mean() * per_character(setting.text->validation);
        }
        result.tested = trainer.evaluate(setting.text->spread(setting.text->test, setting.pieces)).loss.mean() *
                        per_character(setting.text->test);
    } catch (const networks::Diverged&) {
        result.diverged_at = trainer.steps();
    }
    return result;
}

store::Dataset compute(const Setting& setting, const Shared& shared, const Point& at) {
    const parallel::OpenMpThreads team(setting.threads);
    const auto last = at.checkpoint().last();
    const std::vector<SizedNetwork> networks =
        last ? stored_networks(*last) : shared.networks[at.index("method")].get();
    const NetworkBudget budget{at[setting.seconds], at[setting.bytes], setting.min_steps};
    const std::optional<std::size_t> chosen = largest_within(networks, budget);
    Trained trained{std::vector<double>(setting.shares.size(), nan)};
    double steps = nan;
    if (chosen) {
        const int count = steps_within(networks[*chosen], budget.seconds);
        trained = train(setting, networks, setting.grid[*chosen], at[setting.methods], count,
                        setting.stream.child(at[setting.seeds]), at.checkpoint());
        steps = count;
    }

    store::Dataset data{
        {{"layers", setting.layers, "", "of a network of the grid"},
         {"width", setting.widths, "", "of a network of the grid"},
         {"share", setting.shares, "", "of the training, after which validation text is evaluated"},
         {"order", std::vector<double>{0, 1, 2}, "", "characters that counts see before one"}},
        {{"bits_per_character", {}, {trained.tested}, "bit", "of the text held out, after the last step"},
         {"validation_bits", {"share"}, trained.validation, "bit", "per character of validation text"},
         {"steps", {}, {steps}, "", "that fit into the seconds, by the time of one; NaN where no network fits"},
         {"chosen_layers",
          {},
          {chosen ? static_cast<double>(setting.grid[*chosen].layers) : nan},
          "",
          "of that network"},
         {"chosen_width", {}, {chosen ? static_cast<double>(setting.grid[*chosen].width) : nan}, "", "of that network"},
         {"trained_seconds", {}, {chosen ? trained.seconds : nan}, "s", "that all its steps took"},
         {"diverged_at", {}, {trained.diverged_at}, "", "step at which training ended early"},
         {"counts_bits",
          {"order"},
          shared.counts.get(),
          "bit",
          "per character of the text held out, without attention"}},
        measured_attributes()};
    const auto over_grid = [&](const char* name, const char* unit, const char* description, auto value) {
        store::Variable variable{name, {"layers", "width"}, {}, unit, description};
        for (const SizedNetwork& network : networks) variable.values.push_back(value(network));
        data.variables.push_back(std::move(variable));
    };
    over_grid("parameters", "", "of the network", [](const SizedNetwork& one) { return one.parameters; });
    over_grid("step_seconds", "s", "the median time of a step of training",
              [](const SizedNetwork& one) { return one.step_seconds; });
    over_grid("peak_bytes", "B", "the most that a training holds at once, parameters and Adam's means included",
              [](const SizedNetwork& one) { return one.bytes; });
    over_grid("beyond", "", "0: within the budget; beyond it 1: in time, 2: in memory, 3: in both",
              [&](const SizedNetwork& one) { return static_cast<double>(beyond(one, budget)); });
    return data;
}

std::vector<Size> grid_of(const config::Value& config, const std::vector<std::int64_t>& layers,
                          const std::vector<std::int64_t>& widths) {
    const std::int64_t head = config.at("head_width").integer();
    std::vector<Size> grid;
    for (const std::int64_t count : layers)
        for (const std::int64_t width : widths) {
            if (width % head != 0)
                config.at("widths").refuse(fmt::format("{} is not a multiple of head_width, {}", width, head));
            grid.push_back({count, width});
        }
    return grid;
}

std::shared_ptr<const Shared> shared(const Setting& setting) {
    auto all = std::make_shared<Shared>();
    // Deferred: plans measure nothing.
    for (const MethodChoice& method : setting.methods)
        all->networks.push_back(std::async(std::launch::deferred, [setting, method] {
                                    std::vector<SizedNetwork> networks;
                                    for (const Size& size : setting.grid)
                                        networks.push_back(measured(setting, size, method));
                                    return networks;
                                }).share());
    all->counts = std::async(std::launch::deferred, [text = setting.text, pieces = setting.pieces] {
                      return text->counts_bits(pieces, 2);
                  }).share();
    return all;
}

/// About what the largest network of the grid holds: rows that its layers leave, and parameters, those of both passes,
/// of Adam and of the gradient.
double bytes_of_largest(const Setting& setting) {
    double most = 0;
    const Index at_once = std::min<Index>(setting.threads, setting.descent.batch);
    for (const Size& size : setting.grid) {
        const Index w = size.width, length = setting.text->length;
        const Index rows = at_once * length * (size.layers * 18 * w + 17 * w + 2 * bytes_there_are);
        const Index parameters = size.layers * 12 * w * w + (length + bytes_there_are) * w;
        most = std::max(most, static_cast<double>(rows + (6 + at_once) * parameters) * sizeof(float));
    }
    return most;
}

Sweep prepare(const config::Value& config) {
    const auto text = std::make_shared<const Text>(config);
    const int threads = static_cast<int>(std::min<std::int64_t>(config.at("threads").integer(), omp_get_num_procs()));
    std::vector<std::int64_t> layers = config.at("layers").integers(), widths = config.at("widths").integers();
    std::vector<double> shares;
    for (std::int64_t i = 1, count = config.at("evaluations").integer(); i <= count; ++i)
        shares.push_back(static_cast<double>(i) / static_cast<double>(count));
    const training::Descent descent{1, static_cast<int>(config.at("batch").integer()), config.at("rate").number(),
                                    config.at("max_gradient_norm").number()};
    const Setting setting{method_axis(methods(config, taken), "attention"),
                          axis("seconds", Key{config, "seconds"}, "of a training", "s"),
                          axis("bytes", Key{config, "bytes"}, "that a training may hold at once", "B"),
                          repeat_axis("seed", Key{config, "seeds"}, "beginning, mini-batches and draws of features"),
                          grid_of(config, layers, widths),
                          {layers.begin(), layers.end()},
                          {widths.begin(), widths.end()},
                          shares,
                          descent,
                          whole(config, "head_width"),
                          whole(config, "columns"),
                          whole(config, "pieces"),
                          static_cast<int>(config.at("warmup_steps").integer()),
                          static_cast<int>(config.at("min_steps").integer()),
                          static_cast<int>(config.at("repeats").integer()),
                          threads,
                          initialization_of(config),
                          text,
                          study_stream(config, "training/budget")};
    for (const MethodChoice& method : setting.methods) {
        method.require_dimension(setting.head_width);
        for (const Size& size : setting.grid) method.require_heads({size.layers, size.width / setting.head_width});
        method.require_columns(setting.head_width, setting.columns);
    }

    Sweep sweep = Sweep::over(setting.methods, setting.seconds, setting.bytes, setting.seeds);
    sweep.alone = true;
    sweep.data_hash = text->data_hash;
    sweep.bytes = bytes_of_largest(setting);
    sweep.attributes["threads"] = std::to_string(threads);
    for (const MethodChoice& method : setting.methods)
        if (method->exact()) {
            sweep.attributes["softmax"] = method.label;
            break;
        }
    if (threads < config.at("threads").integer())
        sweep.notes = {fmt::format("{} threads are used: there are no more processors", threads)};
    // Each time with the most memory, and each memory with the most time: the two panels of the figure.
    const double max_seconds = *std::max_element(setting.seconds.begin(), setting.seconds.end());
    const double max_bytes = *std::max_element(setting.bytes.begin(), setting.bytes.end());
    sweep.keep = [setting, max_seconds, max_bytes](const Point& at) {
        return at[setting.seconds] == max_seconds || at[setting.bytes] == max_bytes;
    };
    sweep.compute = [setting, all = shared(setting)](const Point& at) { return compute(setting, *all, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = text_keys();
    std::vector<KeyRule> own{
        required("seconds", numbers(above(0).at_most(1e6)), "budgets of time of a training, each with the most bytes"),
        required("bytes", numbers(above(0)), "budgets of memory of a training, each with the most seconds"),
        defaulted("layers", integers(1, 100), "[1, 2, 4, 8]", "of the networks to choose from"),
        defaulted("widths", integers(1, 16384), "[64, 128, 256]", "of their tokens, multiples of head_width"),
        defaulted("head_width", integer(1, 1024), "32", "of queries, keys and values of a head"),
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head"),
        defaulted("min_steps", integer(1, 1'000'000), "200", "that must fit into the seconds"),
        defaulted("batch", integer(1, 65536), "1", "sequences a mini-batch"),
        defaulted("warmup_steps", integer(0, 1'000'000), "20", "steps over which the rate rises"),
        defaulted("rate", real(above(0).at_most(10)), "0.002",
                  "of Adam; one rate serves all networks, and is not chosen for each"),
        defaulted("max_gradient_norm", real(above(0)), "1", "longer gradients are shortened to this"),
        defaulted("evaluations", integer(1, 1000), "10", "how often validation data are evaluated"),
        defaulted("pieces", integer(1, 1'000'000), "16", "of validation text, and of text held out"),
        defaulted("repeats", integer(1, 1000), "9", "steps whose median time counts, after a first one"),
        defaulted("threads", integer(1, 1024), "2", "OpenMP threads; at most as many as there are processors are used"),
        defaulted("seeds", integer(1, 1000), "2", "beginnings, orders of mini-batches and draws of features"),
    };
    for (KeyRule& rule : initialization_keys()) own.push_back(std::move(rule));
    for (KeyRule& rule : own) all.push_back(std::move(rule));
    return all;
}

}  // namespace

Study budget_study() {
    return {"training",
            "budget",
            "the largest network within a budget of time and memory, trained for that time, for each kind of attention",
            "Likhosherstov 2022, Figure 3.10 (right)",
            1,
            taken,
            keys,
            prepare,
            budget_report};
}

}  // namespace rfbench::experiments
