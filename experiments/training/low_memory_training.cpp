// Networks trained by gradients of whole sequences, slice by slice, and slice by slice from half of the steps on: the
// same learning curves (Figure 5.6 of the thesis); and one step of descent on the first half of a text, which is judged
// on the second (Table 5.3).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rfbench/networks/drawn_sequences.hpp"
#include "sources/source_list.hpp"
#include "sources/texts.hpp"
#include "training/drawn_tasks.hpp"
#include "training/low_memory_training_report.hpp"
#include "training/one_step.hpp"
#include "training/sliced_networks.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

using Sequences = std::vector<networks::Sequence<float>>;

/// Task that is trained on, with its label.
struct Task {
    std::string name, data_hash;
    Index vocabulary, length;
    double validation_characters, test_characters;  ///< a token of what rates are chosen by, and of what is held out
    bool tuned;                                     ///< whether one text says something about its end
    double guess;                                   ///< share of targets that a guess is right of; NaN for a text
    std::function<Sequences(int count, const Stream&)> mini_batch;
    std::function<Sequences(Index most)> validation, test;
    std::function<std::vector<double>(Index most)> counts;  ///< bits a character by those of each order; NaN: no text
};

constexpr int max_order = 2;

/// Drawn as it is needed: what is evaluated by the task's label, mini-batches by the stream that they are given.
Task copying(const config::Value& entry, const std::string& name, const Stream& stream) {
    const networks::Copying task{whole(entry, "length"), whole(entry, "vocabulary")};
    try {
        networks::check(task);
    } catch (const std::invalid_argument& error) {
        entry.refuse(error.what());
    }
    const Stream own = stream.child(name);
    const auto draw = [task](Index count, const Stream& of) {
        return drawn_sequences([&](Index, const Stream& one) { return networks::drawn_sequence(task, one); }, count,
                               of);
    };
    return {name,
            {},
            task.vocabulary,
            task.length,
            1,
            1,
            false,
            1 / static_cast<double>(task.vocabulary - 1),
            draw,
            [=](Index most) { return draw(most, own.child("validation")); },
            [=](Index most) { return draw(most, own.child("test")); },
            [](Index) { return std::vector<double>(max_order + 1, std::nan("")); }};
}

Task text(const config::Value& entry, const std::string& name) {
    const auto own = std::make_shared<const Text>(entry);
    return {name,
            own->data_hash,
            bytes_there_are,
            own->length,
            1 / bytes_per_character(own->validation),
            1 / bytes_per_character(own->test),
            true,
            std::nan(""),
            [own](int count, const Stream& stream) { return own->batch(count, stream); },
            [own](Index most) { return own->spread(own->validation, most); },
            [own](Index most) { return own->spread(own->test, most); },
            [own](Index most) { return own->counts_bits(most, max_order); }};
}

/// From which share of the steps on gradients are made slice by slice, and in slices of how many tokens.
struct Regime {
    Index tokens = 0;  ///< 0: never
    double from = 0;
};

Axis<Regime> regime_axis(const config::Value& config) {
    Axis<Regime> all{"regime", {{}}, {}, "", "what gradients are made of", {"slices"}};
    std::vector<std::string> labels{"whole sequences"};
    for (const std::int64_t tokens : config.at("slices").integers())
        for (const double from : {0.0, 0.5}) {
            all.values.push_back({static_cast<Index>(tokens), from});
            labels.push_back(fmt::format("slices of {}{}", tokens, from > 0 ? " after half" : ""));
        }
    all.labels = std::move(labels);
    return all;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = network_keys();
    std::vector<std::string> ways;
    for (const GradientWay& way : sliced_ways()) ways.push_back(way.name);
    for (KeyRule& rule : std::vector<KeyRule>{
             required("tasks",
                      one_or_more(named("task", "use",
                                        {{"copying",
                                          {defaulted("length", integer(4, 100'000), "128", "tokens of 0 v 0 v, even"),
                                           defaulted("vocabulary", integer(3, 1'000'000), "64",
                                                     "tokens there are: 0, and what is copied")}},
                                         {"text", text_keys()}},
                                        source_keys())),
                      "what is trained on: copying, 0 v 0 v; text: the next character of a text"),
             required("slices", integers(1, 1'000'000), "tokens of a slice, at most those of a sequence"),
             defaulted("recovery", one_of(ways), "subtraction", "how states before a slice are had again"),
             defaulted("pieces", integer(1, 1'000'000), "64", "sequences for validation, and held out"),
             defaulted("tuning_slice", integer(1, 1'000'000), "16",
                       "tokens of a slice of the first half of a text, for the one step that is judged on the second"),
             defaulted("tuning_rates", numbers(above(0).at_most(1e6)), "[0.01, 0.1, 1]",
                       "of that step; shown is the one that is best on validation text")})
        all.push_back(std::move(rule));
    return all;
}

struct Setting {
    NetworkSetting network;
    Axis<Task> tasks;
    Axis<Regime> regimes;
    Axis<double> tuning_rates;  ///< inside a cell
    GradientWay way;
    Index pieces, tuning_slice;
    Stream stream;
};

/// Bits per character of the second halves of texts after one step of descent on the first, rate by rate, NaN at rates
/// that are too long for one of them; without a step where there are no rates.
std::vector<double> second_halves(const networks::Transformer& network, const networks::Column<float>& values,
                                  double characters, const Sequences& pieces,
                                  const std::optional<networks::Slicing>& slicing, const std::vector<double>& rates) {
    std::vector<double> sums(std::max<std::size_t>(1, rates.size()), 0);
    networks::Workspace<float> work;
    networks::Column<float> gradient;
    const networks::Weights<float> before(network.layout(), values, networks::Passes::both);
    double targets = 0;
    for (const auto& piece : pieces) {
        // The first half ends where it does; the second keeps all tokens, as context, and its own targets alone.
        std::vector first{piece}, second{piece};
        const Index half = piece.length() / 2;
        first[0].tokens.resize(static_cast<std::size_t>(half));
        std::erase_if(first[0].targets, [&](const networks::Target& target) { return target.token >= half; });
        std::erase_if(second[0].targets, [&](const networks::Target& target) { return target.token < half; });
        targets += static_cast<double>(second[0].targets.size());
        // Without a step the network is judged as it was trained.
        if (rates.empty()) {
            sums[0] += network.evaluate<float>(before, second, work).loss.sum;
            continue;
        }
        if (slicing)
            networks::SlicedGradient<float>(network, *slicing)(before, first, gradient);
        else
            network.gradient<float>(before, first, work, gradient);
        for (std::size_t i = 0; i < rates.size(); ++i)
            sums[i] += loss_after_step(network, values, gradient, rates[i], second, work);
    }
    // From nats of all targets to bits of a character.
    for (double& sum : sums) sum /= targets * characters * M_LN2;
    return sums;
}

/// Adds the effect of one step on validation text and on held-out text: none, by the gradient of the first half as a
/// whole, and slice by slice.
void add_tuning(store::Dataset& data, const Setting& setting, const Task& task, const networks::Transformer* network,
                const networks::Column<float>& values, const Sequences& validation, const Sequences& test) {
    const std::vector<double>& rates = setting.tuning_rates.values;
    const std::vector<std::string> steps{"none", "whole", fmt::format("slices of {}", setting.tuning_slice)};
    store::Variable chosen{"validation_second_half", {"tuning", "tuning_rate"}, {}, "bit", ""};
    chosen.description = "per character of the second halves of validation texts after one step on the first";
    store::Variable judged = chosen;
    judged.name = "second_half";
    judged.description = "the same of texts held out";
    for (std::size_t step = 0; step < steps.size(); ++step)
        for (auto& [variable, pieces] : {std::pair(&chosen, &validation), {&judged, &test}}) {
            // Trainings that diverged, and tasks without a text, have NaN: cells of a sweep have the same arrays.
            std::vector<double> bits(1, std::nan(""));
            if (network != nullptr && task.tuned) {
                std::optional<networks::Slicing> slicing;
                const double characters = variable == &chosen ? task.validation_characters : task.test_characters;
                if (step == 2) slicing = sliced(setting.way, setting.tuning_slice, task.length / 2);
                bits = second_halves(*network, values, characters, *pieces, slicing,
                                     step == 0 ? std::vector<double>{} : rates);
            }
            for (std::size_t i = 0; i < rates.size(); ++i)
                // Without a step there is one number, which stands at every rate.
                variable->values.push_back(bits[std::min(i, bits.size() - 1)]);
        }
    data.axes.push_back({"tuning", steps, "", "how the gradient of the one step is made"});
    data.axes.push_back(setting.tuning_rates.stored());
    data.variables.push_back(std::move(chosen));
    data.variables.push_back(std::move(judged));
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const Task& task = at[setting.tasks];
    const Regime& regime = at[setting.regimes];
    // The same beginning and the same mini-batches for all methods, regimes and rates.
    const Stream seed = setting.stream.child(task.name).child(at[setting.network.seeds]);
    const Sequences validation = task.validation(setting.pieces), test = task.test(setting.pieces);
    const networks::TransformerShape shape = drawn_task_shape(setting.network, task.vocabulary, task.length, 0);
    NetworkSetting network = setting.network;
    if (regime.tokens > 0)
        network.slicing = [&](int step) -> std::optional<networks::Slicing> {
            // No slicing: the gradient is of whole sequences.
            if (step < regime.from * setting.network.descent.steps) return {};
            return sliced(setting.way, regime.tokens, task.length);
        };
    store::Dataset data;
    const double per_character = 1 / (task.validation_characters * M_LN2);
    double tested = std::nan(""), right = std::nan("");
    const TrainedNetwork outcome = train_network(
        network, shape, at[setting.network.methods], seed, at.checkpoint(),
        {.next = [&](const Stream& own) { return task.mini_batch(setting.network.descent.batch, own); },
         .validation = [&](networks::Trainer<float>& trainer) { return trainer.evaluate(validation).loss; },
         .keep =
             [&](const networks::Transformer& trained, networks::Trainer<float>& trainer) {
                 const networks::Loss loss = trainer.evaluate(test).loss;
                 tested = loss.mean() * (1 / (task.test_characters * M_LN2));
                 right = loss.accuracy();
                 add_tuning(data, setting, task, &trained, trainer.weights().values(), validation, test);
             }});
    // It diverged, so that nothing was finished.
    if (data.axes.empty()) add_tuning(data, setting, task, nullptr, {}, {}, {});
    data.variables.push_back({"bits_per_character", {}, {tested}, "bit", "of sequences held out"});
    data.variables.push_back({"accuracy", {}, {right}, "", "share of targets held out that are told rightly"});
    data.axes.push_back({"order", std::vector<double>{0, 1, 2}, "", "characters that counts see before one"});
    data.variables.push_back({"counts_bits",
                              {"order"},
                              task.counts(setting.pieces),
                              "bit",
                              "per character of texts held out, without attention"});
    data.variables.push_back({"guess", {}, {task.guess}, "", "share of drawn targets that a guess is right of"});
    outcome.add(data, network);
    store::Variable bits{
        "validation_bits", {"step"}, outcome.run.validation, "bit", "per character of validation sequences"};
    for (double& value : bits.values) value *= per_character;
    data.variables.push_back(std::move(bits));
    return data;
}

Sweep prepare(const config::Value& config) {
    const Stream stream = study_stream(config, "training/low-memory-training");
    const auto tasks = source_list(
        Key{config, "tasks"}, Axis<Task>{"task", {}, {}, "", "what is trained on"},
        [&](const config::Value& entry, const std::string& label, const datasets::Warn&) {
            return entry.at("use").text() == "copying" ? copying(entry, label, stream) : text(entry, label);
        },
        [](const Task& task) { return task.data_hash; });
    const auto& ways = sliced_ways();
    const Setting setting{
        NetworkSetting(config),
        tasks.axis,
        regime_axis(config),
        axis("tuning_rate", config.at("tuning_rates").numbers(), "of the one step"),
        *std::find_if(ways.begin(), ways.end(),
                      [&](const GradientWay& way) { return way.name == config.at("recovery").text(); }),
        whole(config, "pieces"),
        whole(config, "tuning_slice"),
        stream};
    const auto& sizes = setting.network.sizes;
    for (const MethodChoice& method : setting.network.methods)
        require_states(method, sizes.width / sizes.heads, setting.network.columns);
    Sweep sweep = Sweep::over(setting.network.methods, setting.tasks, setting.regimes, setting.network.seeds);
    sweep.notes = tasks.notes;
    Index longest = 0;
    for (const Regime& regime : setting.regimes) longest = std::max(longest, regime.tokens);
    for (const Task& task : setting.tasks) {
        for (const auto& [key, tokens, length] :
             {std::tuple("slices", longest, task.length),
              // Tasks without a step of tuning refuse no slice: its length is compared with itself.
              {"tuning_slice", setting.tuning_slice, task.tuned ? task.length / 2 : setting.tuning_slice}})
            if (tokens > length)
                config.at(key).refuse(
                    fmt::format("slices of {} tokens; sequences of '{}' have {}", tokens, task.name, length));
        const networks::TransformerShape shape = drawn_task_shape(setting.network, task.vocabulary, task.length, 0);
        sweep.bytes = std::max(sweep.bytes, training_bytes(shape, setting.network.methods, setting.network.columns));
    }
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study low_memory_training_study() {
    return {"training",
            "low-memory-training",
            "networks trained by gradients slice by slice, and one step on the first half of a text",
            "Likhosherstov 2022, Figure 5.6 and Table 5.3",
            1,
            network_methods,
            keys,
            prepare,
            low_memory_training_report};
}

}  // namespace rfbench::experiments
