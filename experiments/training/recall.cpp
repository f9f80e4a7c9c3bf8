// A causal Transformer trained to recall values by their keys, several in a sequence, by each method: accuracy against
// the number of pairs, the width and the features (multi-query associative recall, Arora et al. 2023).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "rfbench/networks/drawn_sequences.hpp"
#include "rfbench/report/best_mark.hpp"
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
             defaulted("length", integer(4, 100'000), "64", "tokens of a sequence"),
             defaulted("vocabulary", integer(4, 1'000'000), "512", "tokens there are: a blank, keys, as many values"),
             defaulted("pairs", integers(1, 10'000), "[4, 8, 16]",
                       "pairs of a sequence, in turn within each mini-batch; each number is tested by itself"),
             defaulted("filling", one_of({"other-keys", "blank"}), "other-keys",
                       "what stands between questions: keys that have no value there, or a blank"),
             defaulted("convolution", integer(0, 64), "3",
                       "tokens that a causal convolution after the embedding sees; 0: there is none"),
             defaulted("gain", real(above(0).at_most(10)), "0.5", "of the matrices that training begins with"),
             optional("widths", integers(1, 16384), "others than `width`, for networks with `columns` columns"),
             optional("column_counts", integers(1, 65536), "others than `columns`, for networks of `width`"),
             defaulted("validation", integer(1, 1'000'000), "96", "sequences that rates are chosen by"),
             defaulted("test", integer(1, 1'000'000), "256", "sequences to test, of each number of pairs")})
        all.push_back(std::move(rule));
    return all;
}

/// Axis of the centre and the values that the key lists, ascending, each once.
Axis<Index> around(const std::string& name, Index centre, const config::Value& config, const char* key,
                   const std::string& description) {
    // A set, so that the centre is there once although the key may name it.
    std::set<std::int64_t> all{centre};
    if (config.has(key)) all.insert(config.at(key).integers().begin(), config.at(key).integers().end());
    Axis<Index> axis = whole_axis(name, std::vector<std::int64_t>(all.begin(), all.end()), description);
    // The key of the centre does not belong to the axis: it counts for every cell, since the other sweep is run at the
    // centre.
    axis.keys = {key};
    return axis;
}

struct Setting {
    NetworkSetting network;
    Axis<Index> widths, columns;
    networks::PairRecall task;
    std::vector<std::int64_t> pairs;
    Index convolution, validation, test;
    Stream stream;

    /// Network that is trained there, of this width, with `count` columns.
    NetworkSetting at(Index width, Index count) const {
        NetworkSetting own = network;
        own.sizes.width = width;
        own.columns = count;
        return own;
    }
    networks::TransformerShape shape(const NetworkSetting& own) const {
        return drawn_task_shape(own, task.vocabulary, task.length, convolution);
    }
    /// One of the sweeps through the centre goes through this point.
    bool there(const Point& at) const {
        // A cross and no grid: widths at the centre's columns, and columns at the centre's width.
        const bool own_columns = at[columns] == network.columns;
        return own_columns || (at[widths] == network.sizes.width && at[network.methods].budgeted());
    }
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const NetworkSetting own = setting.at(at[setting.widths], at[setting.columns]);
    const auto with_pairs = [&setting](std::int64_t pairs) {
        networks::PairRecall task = setting.task;
        task.pairs = pairs;
        return task;
    };
    // Numbers of pairs come in turn, so that each mini-batch has all of them.
    const auto mixed = [&](Index i, const Stream& stream) {
        const auto turn = static_cast<std::size_t>(i) % setting.pairs.size();
        return networks::drawn_sequence(with_pairs(setting.pairs[turn]), stream);
    };
    std::vector<double> accuracies(setting.pairs.size(), std::nan(""));
    double nonpositive = std::nan("");
    const TrainedNetwork trained = train_on_drawn(
        own, setting.shape(own), at[own.methods], setting.stream, at[own.seeds], setting.validation, at.checkpoint(),
        mixed, [&](networks::Trainer<float>& trainer) {
            // Each number of pairs is tested by itself; denominators count over all of them.
            networks::BatchOutcome all;
            for (std::size_t k = 0; k < setting.pairs.size(); ++k) {
                const auto alike = [&](Index, const Stream& stream) {
                    return networks::drawn_sequence(with_pairs(setting.pairs[k]), stream);
                };
                const Stream drawn = setting.stream.child("test").child(static_cast<std::uint64_t>(setting.pairs[k]));
                const auto outcome = trainer.evaluate(drawn_sequences(alike, setting.test, drawn));
                accuracies[k] = outcome.loss.accuracy();
                all.rows += outcome.rows;
            }
            const auto rows =
                static_cast<double>(setting.pairs.size()) *
                static_cast<double>(setting.test * setting.task.length * own.sizes.layers * own.sizes.heads);
            nonpositive = static_cast<double>(all.rows.nonpositive) / rows;
        });
    for (double& one : accuracies) one = trained.judged(one);
    store::Dataset data{
        {{"pairs", std::vector<double>(setting.pairs.begin(), setting.pairs.end()), "", "pairs of a sequence"}},
        {{"accuracy",
          {"pairs"},
          accuracies,
          "",
          "share of questions that are answered rightly, in sequences never seen"},
         {"nonpositive", {}, {nonpositive}, "", "share of denominators that are not positive, on those sequences"}},
        {}};
    trained.add(data, own);
    return data;
}

/// Throws config::Error at the key for what does not fit.
void require_fit(const Setting& setting, const config::Value& config) {
    for (const char* key : {"batch", "validation"})
        if (config.at(key).integer() < static_cast<std::int64_t>(setting.pairs.size()))
            config.at(key).refuse(fmt::format(
                "{} sequences; numbers of pairs come in turn, and there are {}: at least one each is needed",
                config.at(key).integer(), setting.pairs.size()));
    for (const std::int64_t pairs : setting.pairs) {
        networks::PairRecall task = setting.task;
        task.pairs = pairs;
        try {
            networks::check(task);
        } catch (const std::invalid_argument& error) {
            config.at("pairs").refuse(error.what());
        }
    }
    for (const Index width : setting.widths) {
        if (width % setting.network.sizes.heads != 0)
            config.at("widths").refuse(
                fmt::format("{} is not a multiple of heads, {}", width, setting.network.sizes.heads));
        for (const MethodChoice& choice : setting.network.methods)
            choice.require_dimension(width / setting.network.sizes.heads);
    }
    for (const Index count : setting.columns)
        for (const MethodChoice& choice : setting.network.methods)
            choice.require_columns(setting.network.sizes.width / setting.network.sizes.heads, count);
}

Sweep prepare(const config::Value& config) {
    NetworkSetting network(config);
    network.initialization.gain = config.at("gain").number();
    networks::PairRecall task{whole(config, "length"), whole(config, "vocabulary")};
    task.filling = config.at("filling").text() == "blank" ? networks::Filling::blank : networks::Filling::other_keys;
    const Setting setting{network,
                          around("width", network.sizes.width, config, "widths", "of a token"),
                          around("columns", network.columns, config, "column_counts", "real columns of a head"),
                          task,
                          config.at("pairs").integers(),
                          whole(config, "convolution"),
                          whole(config, "validation"),
                          whole(config, "test"),
                          study_stream(config, "training/recall")};
    require_fit(setting, config);
    Sweep sweep = Sweep::over(network.methods, setting.widths, setting.columns, network.seeds);
    // Axes do not say which of their values is the centre, which reports need to know.
    sweep.attributes = {{"width", std::to_string(network.sizes.width)}, {"columns", std::to_string(network.columns)}};
    note_softmax(sweep, network);
    sweep.keep = [setting](const Point& at) { return setting.there(at); };
    const auto count_bytes = [&](Index width, Index columns) {
        const networks::TransformerShape shape = setting.shape(setting.at(width, columns));
        sweep.bytes = std::max(sweep.bytes, training_bytes(shape, network.methods, columns));
    };
    for (const Index width : setting.widths) count_bytes(width, network.columns);
    for (const Index columns : setting.columns) count_bytes(network.sizes.width, columns);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

/// Facts about the sweep for the figure and tables.
struct Sizes {
    std::vector<std::string> methods;
    std::vector<double> widths, columns, pairs;
    double width, count;  ///< of the centre

    explicit Sizes(const store::Dataset& data)
        : methods(report::words(data, "method")),
          widths(report::numbers(data, "width")),
          columns(report::numbers(data, "columns")),
          pairs(report::numbers(data, "pairs")),
          width(std::stod(data.attributes.at("width"))),
          count(std::stod(data.attributes.at("columns"))) {}

    /// Place of a network in the sweep. A method without a budget was measured at the centre's columns alone.
    report::Fixed at(const store::Dataset& data, const std::string& method, double own_width, double own_count) const {
        const report::Fixed fixed{{"method", method}, {"width", own_width}, {"columns", own_count}};
        const bool measured =
            own_count == count || !report::all_missing(report::slice(data, "chosen_rate", fixed).values);
        return {{"width", own_width}, {"columns", measured ? own_count : count}};
    }
};

/// The accuracy of one method at its best rate, there.
report::Averages mean_accuracies(const store::Dataset& data, const std::string& method, const report::Fixed& where,
                                 const report::Fixed& more = {}) {
    return over_seeds(data, "accuracy", {method, where}, more);
}

/// Accuracy at the most pairs against sizes, each of which has a network of its own.
report::Series against(const store::Dataset& data, const Sizes& sizes, const std::string& method,
                       const std::vector<double>& x, const std::function<report::Fixed(double)>& where) {
    // An axis of the figure is no axis of one slice: sizes lie on a cross, and each has a best rate of its own.
    report::Averages all;
    for (const double size : x) {
        const report::Averages one = mean_accuracies(data, method, where(size), {{"pairs", sizes.pairs.back()}});
        all.mean.push_back(one.mean[0]);
        all.standard_deviation.push_back(one.standard_deviation[0]);
        all.count.push_back(one.count[0]);
        all.along = one.along;
    }
    return report::averaged_series(method, x, all, report::Style::line_points);
}

report::Axis sizes_axis(std::string label, const std::vector<double>& sizes) {
    report::Axis axis{.label = std::move(label), .log = true};
    for (const double size : sizes) axis.ticks.push_back({size, ""});
    return axis;
}

std::string margin(const store::Dataset& data, const Sizes& sizes) {
    const auto softmax = data.attributes.find("softmax");
    report::Fixed where{{"pairs", sizes.pairs.back()}};
    if (softmax != data.attributes.end())
        where = report::joined(sizes.at(data, softmax->second, sizes.width, sizes.count), where);
    return margin_words(data, {"accuracy", false, least_margin::recall, 100, "percentage points"},
                        {"a guess among the values there", 1 / sizes.pairs.back()}, where);
}

report::Figure figure(const store::Dataset& data) {
    const Sizes sizes(data);
    report::Figure result{
        .name = "recall",
        .title = "Recalling values by their keys",
        .caption = fmt::format("Share of questions answered rightly in sequences never seen, means over seeds: against "
                               "the number of pairs at width {} and {} real columns a head; and with {} pairs against "
                               "the width and the columns where these are varied, level for methods without columns. "
                               "Dashed: any value that the sequence has. {}",
                               sizes.width, sizes.count, sizes.pairs.back(), margin(data, sizes)),
        .interval = "Bands: " + report::interval_words("seeds"),
        .columns = 3};
    std::vector<double> guess;
    for (const double count : sizes.pairs) guess.push_back(1 / count);
    report::Panel by_pairs{.x = sizes_axis("pairs", sizes.pairs)}, by_width{.x = sizes_axis("width", sizes.widths)},
        by_columns{.x = sizes_axis("real columns of a head", sizes.columns)};
    // To guess any of the values that the sequence has is right once in as many times.
    by_width.horizontal = by_columns.horizontal = {{guess.back()}};
    for (const std::string& method : sizes.methods) {
        const auto at = [&](double width, double count) { return sizes.at(data, method, width, count); };
        by_pairs.series.push_back(report::averaged_series(method, sizes.pairs,
                                                          mean_accuracies(data, method, at(sizes.width, sizes.count)),
                                                          report::Style::line_points));
        by_width.series.push_back(
            against(data, sizes, method, sizes.widths, [&](double width) { return at(width, sizes.count); }));
        by_columns.series.push_back(
            against(data, sizes, method, sizes.columns, [&](double count) { return at(sizes.width, count); }));
    }
    by_pairs.series.push_back(
        {.label = "any value there", .x = sizes.pairs, .y = guess, .style = report::Style::reference});
    std::vector<report::Panel*> panels{&by_pairs};
    if (sizes.widths.size() > 1) panels.push_back(&by_width);
    if (sizes.columns.size() > 1) panels.push_back(&by_columns);
    result.columns = static_cast<int>(panels.size());
    for (report::Panel* panel : panels) {
        panel->y = {.label = "accuracy", .range = {{0, 1.05}}};
        result.panels.push_back(std::move(*panel));
    }
    return result;
}

report::Table by_pairs(const store::Dataset& data) {
    const Sizes sizes(data);
    std::vector<TrainedRow> rows;
    for (const std::string& method : sizes.methods)
        rows.push_back({{method, sizes.at(data, method, sizes.width, sizes.count)}, {method}});
    std::vector<OutcomeColumn> shown;
    for (const double count : sizes.pairs)
        shown.push_back(mean_of(data, "accuracy", share_column(fmt::format("pairs {}", count)), {{"pairs", count}}));
    shown.push_back(median_of(data, "accuracy", share_column("median"), {{"pairs", sizes.pairs.back()}}));
    for (OutcomeColumn& one : solved_of(data)) shown.push_back(std::move(one));
    shown.push_back(nonpositive_of(data));
    report::Table result =
        outcome_table(data, "recall",
                      fmt::format("Share of questions answered rightly in sequences never seen, by the number of "
                                  "pairs, at width {} and {} real columns a head: mean over seeds ± half its 95 % "
                                  "interval; with {} pairs the median over seeds, too. Share of seeds that solved "
                                  "the task, which is {:g} % of validation targets right, and the median of their "
                                  "steps to it; share of denominators that are not positive; and what diverged, "
                                  "then and while rates were on trial. Below: any value that the sequence has.",
                                  sizes.width, sizes.count, sizes.pairs.back(), 100 * solved_share),
                      {report::word_column("method")}, rows, shown);
    std::vector<std::size_t> accuracies(sizes.pairs.size());
    std::iota(accuracies.begin(), accuracies.end(), 2);
    report::mark_best(result, report::Best::greatest, accuracies, {"softmax", "exact"});
    Baseline guess{"a value there", 1 / sizes.pairs.front()};
    for (std::size_t i = 1; i < sizes.pairs.size(); ++i) guess.more.push_back(1 / sizes.pairs[i]);
    add_rows(result, {guess});
    result.notes.push_back(margin(data, sizes));
    return result;
}

report::Table by_size(const store::Dataset& data) {
    const Sizes sizes(data);
    report::Table result{.name = "recall-sizes",
                         .caption = fmt::format("The same with {} pairs, by width at {} columns a head, and by columns "
                                                "at width {}; a dash where no budget decides the columns.",
                                                sizes.pairs.back(), sizes.count, sizes.width),
                         .columns = {report::word_column("method")}};
    std::vector<std::pair<double, double>> all;
    for (const double width : sizes.widths) {
        all.emplace_back(width, sizes.count);
        result.columns.push_back(share_column(fmt::format("width {}", width)));
    }
    for (const double count : sizes.columns)
        if (count != sizes.count) {
            all.emplace_back(sizes.width, count);
            result.columns.push_back(share_column(fmt::format("columns {}", count)));
        }
    for (const std::string& method : sizes.methods) {
        report::Row row{{method}};
        for (const auto& [width, count] : all)
            row.entries.push_back(report::averaged_entry(mean_accuracies(
                data, method, {{"width", width}, {"columns", count}}, {{"pairs", sizes.pairs.back()}})));
        result.rows.push_back(std::move(row));
    }
    return result;
}

report::Table rates(const store::Dataset& data) {
    const Sizes sizes(data);
    std::vector<TrainedRow> rows;
    for (const std::string& method : sizes.methods)
        for (const double width : sizes.widths)
            for (const double count : sizes.columns) {
                const Shown trained{method, {{"width", width}, {"columns", count}}};
                const report::Fixed fixed = report::joined({{"method", method}}, trained.where);
                if (report::all_missing(report::slice(data, "chosen_rate", fixed).values)) continue;
                rows.push_back({trained, {method, width, count}});
            }
    return rates_table(data, "recall-rates", {report::word_column("method"), {"width"}, {"columns"}}, rows);
}

Report report_of(const store::Dataset& data) {
    Report report{{figure(data)}, {by_pairs(data), rates(data)}};
    const Sizes sizes(data);
    if (sizes.widths.size() > 1 || sizes.columns.size() > 1) report.tables.push_back(by_size(data));
    return report;
}

}  // namespace

Study recall_study() {
    return {"training",
            "recall",
            "a causal Transformer trained to recall values by several keys, by each method",
            "Arora et al. 2023, Figure 2",
            2,
            network_methods,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
