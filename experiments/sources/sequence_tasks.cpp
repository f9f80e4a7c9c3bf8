#include "sources/sequence_tasks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "rfbench/datasets/digits.hpp"
#include "rfbench/networks/recall.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

constexpr Index side = 8;

/// Examples that are held out: a share of `count`, which must leave some of both kinds.
Index held_out(const config::Value& share, Index count) {
    const Index test = std::lround(share.number() * static_cast<double>(count));
    if (test < 1 || test >= count)
        share.refuse(
            fmt::format("{} of {} examples leaves {} to test with and {} to train on; at least one of each is "
                        "needed",
                        share.number(), count, test, count - test));
    return test;
}

SequenceTask digit_task(const std::string& name, const datasets::Digits& digits, const config::Value& share) {
    auto images = std::make_shared<const datasets::Digits>(digits);
    const auto test = static_cast<std::size_t>(held_out(share, images->points.rows()));
    const auto split = [images, test](const Stream& stream) {
        // Fisher and Yates.
        std::vector<Index> order(static_cast<std::size_t>(images->points.rows()));
        std::iota(order.begin(), order.end(), Index{0});
        Stream own = stream;
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[own.below(i)]);
        SequenceTask::Split result;
        // A row of an image is a token; the first of the random order are held out.
        for (std::size_t i = 0; i < order.size(); ++i)
            (i < test ? result.test : result.training)
                .push_back({.rows = images->points.row(order[i]).reshaped<Eigen::RowMajor>(side, side),
                            .targets = {{0, images->labels[static_cast<std::size_t>(order[i])]}}});
        return result;
    };
    return {name, images->points.rows(), side, side, 10, networks::ReadOutOf::mean, split, digits.sha256};
}

SequenceTask recall_task(const std::string& name, const config::Value& config) {
    const auto at = [&](const char* key) { return static_cast<Index>(config.at(key).integer()); };
    const networks::Recall recall{at("pairs"), at("keys"), static_cast<int>(at("values"))};
    // Keys of one sequence differ: with fewer keys than pairs there is no sequence.
    if (recall.keys < recall.pairs) config.at("keys").refuse("there must be at least as many keys as pairs");
    const Index count = at("examples"), test = held_out(config.at("test_share"), count);
    return {name,
            count,
            recall.tokens(),
            recall.inputs(),
            recall.values,
            networks::ReadOutOf::last,
            [recall, count, test](const Stream& stream) {
                return SequenceTask::Split{recall_examples(recall, count - test, stream.child("training")),
                                           recall_examples(recall, test, stream.child("test"))};
            },
            {}};
}

}  // namespace

config::Schema sequence_task_schema(std::vector<config::KeyRule> common) {
    using namespace config;
    const KeyRule share = defaulted("test_share", real(above(0).below(1)), "0.33", "of examples that are held out");
    return named("task", "use",
                 {{"recall",
                   {defaulted("pairs", integer(1, 4096), "8", "keys with values in a sequence"),
                    defaulted("keys", integer(1, 4096), "16", "that there are"),
                    defaulted("values", integer(2, 1024), "4", "that there are: classes"),
                    defaulted("examples", integer(2, 1'000'000), "6000", "sequences, to train on and to test"), share}},
                  {"digits", {share}}},
                 std::move(common));
}

SequenceTask sequence_task(const config::Value& entry, const std::string& name, const datasets::Warn& warn) {
    if (entry.at("use").text() == "recall") return recall_task(name, entry);
    return digit_task(name, datasets::digits("optdigits", data_manifest(), data_places(), warn),
                      entry.at("test_share"));
}

config::KeyRule sequence_tasks_key() {
    return config::required("tasks", config::one_or_more(sequence_task_schema(source_keys())),
                            "sequences to classify; digits: rows of 8 x 8 images; recall: the value of a key");
}

SourceList<SequenceTask> sequence_tasks(const config::Value& configuration) {
    return source_list(Key{configuration, "tasks"}, Axis<SequenceTask>{"task", {}, {}, "", "sequences to classify"},
                       sequence_task, [](const SequenceTask& task) { return task.data_hash; });
}

}  // namespace rfbench::experiments
