// A causal Transformer trained to copy, 0 v 0 v, by each method: accuracy against steps at several lengths (the first
// panel of Figure 5.6 of the thesis, in small), and the memory that attention takes there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/networks/drawn_sequences.hpp"
#include "sources/least_margins.hpp"
#include "training/baselines.hpp"
#include "training/drawn_tasks.hpp"
#include "training/network_report.hpp"
#include "training/training_memory.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = network_keys();
    for (KeyRule& rule : std::vector<KeyRule>{
             required("lengths", integers(4, 100'000), "tokens of 0 v 0 v, even numbers"),
             defaulted("vocabulary", integer(3, 1'000'000), "64", "tokens there are: 0, and what is copied"),
             defaulted("convolution", integer(0, 64), "0",
                       "tokens that a causal convolution after the embedding sees; 0: there is none"),
             defaulted("gain", real(above(0).at_most(10)), "1", "of the matrices that training begins with"),
             defaulted("validation", integer(1, 1'000'000), "16", "sequences that rates are chosen by"),
             defaulted("test", integer(1, 1'000'000), "32", "sequences to test")})
        all.push_back(std::move(rule));
    return all;
}

struct Setting {
    NetworkSetting network;
    Axis<Index> lengths;
    Index vocabulary, convolution, validation, test;
    Stream stream;

    networks::TransformerShape shape(Index length) const {
        return drawn_task_shape(network, vocabulary, length, convolution);
    }
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const Index length = at[setting.lengths];
    const networks::Copying task{length, setting.vocabulary};
    const auto draw = [&task](Index, const Stream& stream) { return networks::drawn_sequence(task, stream); };
    const networks::TransformerShape shape = setting.shape(length);
    // A training that diverges is never tested, and keeps these.
    double tested = std::nan(""), nonpositive = std::nan("");
    const TrainedNetwork trained = train_on_drawn(
        setting.network, shape, at[setting.network.methods], setting.stream.child(static_cast<std::uint64_t>(length)),
        at[setting.network.seeds], setting.validation, at.checkpoint(), draw, [&](networks::Trainer<float>& trainer) {
            // Keyed by the length alone: all methods, rates and seeds are tested on the same sequences.
            const Stream drawn = setting.stream.child(static_cast<std::uint64_t>(length)).child("test");
            const auto outcome = trainer.evaluate(drawn_sequences(draw, setting.test, drawn));
            tested = outcome.loss.accuracy();
            nonpositive = static_cast<double>(outcome.rows.nonpositive) /
                          static_cast<double>(setting.test * length * shape.layers * shape.heads);
        });
    // One L x L matrix for each head and layer of a sequence, which softmax attention has where it is not tiled.
    const double matrices = sizeof(float) * static_cast<double>(shape.layers * shape.heads * length * length);
    const Index batch = setting.network.descent.batch;
    store::Dataset data{
        {},
        {{"accuracy", {}, {tested}, "", "share of the second half's tokens that are told, in sequences never seen"},
         {"nonpositive", {}, {nonpositive}, "", "share of denominators that are not positive, on those sequences"},
         {"matrix_bytes",
          {},
          {static_cast<double>(batch) * matrices},
          "byte",
          "of the L x L attention matrices of a mini-batch, in single precision"},
         {"gradient_bytes",
          {},
          {gradient_bytes(shape, part_rows(length, batch))},
          "byte",
          "about what the gradient of a mini-batch takes here, a thread, by any method, parameters aside"}},
        {}};
    trained.add(data, setting.network);
    return data;
}

Sweep prepare(const config::Value& config) {
    NetworkSetting network(config);
    network.initialization.gain = config.at("gain").number();
    const Setting setting{network,
                          whole_axis("length", Key{config, "lengths"}, "tokens of a sequence"),
                          whole(config, "vocabulary"),
                          whole(config, "convolution"),
                          whole(config, "validation"),
                          whole(config, "test"),
                          study_stream(config, "training/copying")};
    Sweep sweep = Sweep::over(network.methods, setting.lengths, network.seeds);
    // Any token but 0 may be the one that is copied.
    sweep.attributes = {{"guess", fmt::format("{}", 1 / static_cast<double>(setting.vocabulary - 1))}};
    note_softmax(sweep, network);
    for (const Index length : setting.lengths) {
        try {
            networks::check(networks::Copying{length, setting.vocabulary});
        } catch (const std::invalid_argument& error) {
            config.at("lengths").refuse(error.what());
        }
        sweep.bytes = std::max(sweep.bytes, training_bytes(setting.shape(length), network.methods, network.columns));
    }
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// Number labels of a sweep's axis, ascending.
std::vector<double> lengths_of(const store::Dataset& data) {
    std::vector<double> all = report::numbers(data, "length");
    std::sort(all.begin(), all.end());
    return all;
}

Baseline guess(const store::Dataset& data) {
    const auto found = data.attributes.find("guess");
    return {"guessing", found == data.attributes.end() ? std::nan("") : std::stod(found->second)};
}

/// At each length.
std::string margin(const store::Dataset& data) {
    std::string all;
    for (const double length : lengths_of(data))
        all += fmt::format("{}{} tokens: {}", all.empty() ? "" : " ", length,
                           margin_words(data, {"accuracy", false, least_margin::recall, 100, "percentage points"},
                                        guess(data), {{"length", length}}));
    return all;
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "copying",
                          .title = "Copying",
                          .caption =
                              "Share of the second half's tokens that are told rightly, in validation sequences, "
                              "against steps, by length; means over seeds. What diverged ends where it did. Dashed: "
                              "guessing. " +
                              margin(data),
                          .interval = "Bands: " + report::interval_words("seeds")};
    const std::vector<double> lengths = lengths_of(data);
    result.columns = lengths.size() == 4 ? 2 : static_cast<int>(std::min<std::size_t>(lengths.size(), 3));
    for (const double length : lengths) {
        result.panels.push_back(curves(data, "validation_accuracy", {{"length", length}}));
        result.panels.back().title = fmt::format("{} tokens", length);
        result.panels.back().y = {.label = "accuracy", .range = {{0, 1.05}}};
        add_lines(result.panels.back(), {guess(data)});
    }
    return result;
}

std::vector<TrainedRow> rows(const store::Dataset& data) {
    std::vector<TrainedRow> all;
    for (const double length : lengths_of(data))
        for (const std::string& method : report::words(data, "method"))
            all.push_back({{method, {{"length", length}}},
                           {length, method},
                           // A line stands before each length but the first.
                           method == report::words(data, "method").front() && !all.empty()});
    return all;
}

report::Table table(const store::Dataset& data) {
    std::vector<OutcomeColumn> shown{mean_of(data, "accuracy", share_column("accuracy")),
                                     median_of(data, "accuracy", share_column("median"))};
    for (OutcomeColumn& one : solved_of(data)) shown.push_back(std::move(one));
    shown.push_back(nonpositive_of(data));
    report::Table result = outcome_table(
        data, "copying",
        fmt::format("Share of the second half's tokens that are told rightly in sequences never seen, after the last "
                    "step: mean over seeds ± half its 95 % interval, and median; share of seeds that solved the task, "
                    "which is {:g} % of validation targets right, and the median of their steps to it; share of "
                    "denominators that are not positive; and what diverged, then and while rates were on trial.",
                    100 * solved_share),
        {{"length"}, report::word_column("method")}, rows(data), shown);
    add_rows(result, {guess(data)}, {report::Missing{}});
    result.notes.push_back(margin(data));
    return result;
}

report::Table memory(const store::Dataset& data) {
    report::Table result{
        .name = "copying-memory",
        .caption =
            "Memory of the gradient of a mini-batch in single precision: the L x L matrices that softmax "
            "attention has where they are kept, as torch keeps them, one for each sequence, head and layer; and "
            "about all that it takes here, a thread, parameters aside, since sequences so long go one after the other. "
            "That is the same for any method: linear "
            "attention never forms these matrices, and softmax attention of ours forms them in tiles.",
        .columns = {{"length"}, {"matrices", "MB"}, {"here", "MB"}, {"matrices / here"}}};
    for (const double length : lengths_of(data)) {
        const auto bytes = [&](const char* variable) {
            return report::slice(data, variable, {{"length", length}}).values.front();
        };
        result.rows.push_back({{length, bytes("matrix_bytes") / 1e6, bytes("gradient_bytes") / 1e6,
                                bytes("matrix_bytes") / bytes("gradient_bytes")}});
    }
    return result;
}

report::Table rates(const store::Dataset& data) {
    return rates_table(data, "copying-rates", {{"length"}, report::word_column("method")}, rows(data));
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data), memory(data), rates(data)}}; }

}  // namespace

Study copying_study() {
    return {"training",
            "copying",
            "a causal Transformer trained to copy 0 v 0 v at several lengths, by each method",
            "Likhosherstov 2022, Figure 5.6",
            2,
            network_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
