#include "sources/sequence_tasks.hpp"

#include <cmath>
#include <memory>
#include <numeric>

#include "project.hpp"
#include "rfbench/datasets/digits.hpp"

namespace rfbench::experiments {
namespace {

constexpr Index side = 8;

SequenceTask digit_task(const datasets::Digits& digits, double test_share) {
    auto images = std::make_shared<const datasets::Digits>(digits);
    const auto split = [images, test_share](const Stream& stream) {
        // Fisher and Yates.
        std::vector<Index> order(static_cast<std::size_t>(images->points.rows()));
        std::iota(order.begin(), order.end(), Index{0});
        Stream own = stream;
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[own.below(i)]);
        const auto test = static_cast<std::size_t>(std::lround(test_share * static_cast<double>(order.size())));
        SequenceTask::Split result;
        for (std::size_t i = 0; i < order.size(); ++i)
            (i < test ? result.test : result.training)
                .push_back({images->points.row(order[i]).reshaped<Eigen::RowMajor>(side, side),
                            images->labels[static_cast<std::size_t>(order[i])]});
        return result;
    };
    return {"digits", images->points.rows(), side, side, 10, training::Pooling::mean, split, digits.sha256};
}

SequenceTask recall_task(const config::Value& config, double test_share) {
    const auto at = [&](const char* key) { return static_cast<Index>(config.at(key).integer()); };
    const training::Recall recall{at("pairs"), at("keys"), static_cast<int>(at("values"))};
    if (recall.keys < recall.pairs) config.at("keys").refuse("there must be at least as many keys as pairs");
    const Index count = at("examples"), test = std::max<Index>(1, std::lround(test_share * static_cast<double>(count)));
    return {"recall",
            count,
            recall.tokens(),
            recall.inputs(),
            recall.values,
            training::Pooling::last,
            [recall, count, test](const Stream& stream) {
                return SequenceTask::Split{recall_examples(recall, count - test, stream.child("training")),
                                           recall_examples(recall, test, stream.child("test"))};
            },
            {}};
}

}  // namespace

std::vector<config::KeyRule> one_task_keys() {
    using namespace config;
    const Schema recall = object({
        defaulted("pairs", integer(1, 4096), "8", "keys with values in a sequence"),
        defaulted("keys", integer(1, 4096), "16", "that there are"),
        defaulted("values", integer(2, 1024), "4", "that there are: classes"),
        defaulted("examples", integer(2, 1'000'000), "6000", "sequences, to train on and to test"),
    });
    return {
        defaulted("recall", recall, "{}", "the sequences to recall"),
        defaulted("test_share", real(above(0).below(1)), "0.33", "of examples that are held out"),
    };
}

std::vector<config::KeyRule> sequence_task_keys() {
    using namespace config;
    const Schema names = list_of(one_of({"digits", "recall"}), 0);
    std::vector<KeyRule> all = {
        required("tasks", names, "digits: rows of 8 x 8 images; recall: the value of a key"),
        defaulted("optional_tasks", names, "[]", "the same, left out where their data are not on this machine"),
    };
    for (KeyRule& rule : one_task_keys()) all.push_back(std::move(rule));
    return all;
}

SequenceTask sequence_task(const std::string& name, const config::Value& config, const datasets::Warn& warn) {
    const double test_share = config.at("test_share").number();
    if (name == "recall") return recall_task(config.at("recall"), test_share);
    return digit_task(datasets::digits("optdigits", data_manifest(), data_places(), warn), test_share);
}

SequenceTasks::SequenceTasks(const config::Value& config) {
    const auto add = [&](const std::string& name) {
        all.push_back(sequence_task(name, config, [&](const std::string& sentence) { notes.push_back(sentence); }));
    };
    for (const std::string& name : config.at("tasks").texts()) add(name);
    for (const config::Value& entry : config.at("optional_tasks").items()) {
        for (const SequenceTask& task : all)
            if (task.name == entry.text()) entry.refuse("'" + entry.text() + "' is among the tasks already");
        try {
            add(entry.text());
        } catch (const datasets::DataError& error) {
            notes.push_back("task '" + entry.text() + "' is left out: " + error.what());
        }
    }
    if (all.empty()) config.at("tasks").refuse("no task is left");
}

Axis<SequenceTask> task_axis(const std::vector<SequenceTask>& tasks) {
    Axis<SequenceTask> result{"task", tasks, {}, "", "sequences to classify", {"tasks", "optional_tasks"}};
    std::vector<std::string> names;
    for (const SequenceTask& task : tasks) {
        names.push_back(task.name);
        result.data.push_back(task.data_hash);
    }
    result.labels = std::move(names);
    return result;
}

}  // namespace rfbench::experiments
