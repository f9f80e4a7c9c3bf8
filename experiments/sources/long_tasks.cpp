#include "sources/long_tasks.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "rfbench/training/list_operations.hpp"
#include "sources/image_baselines.hpp"

namespace rfbench::experiments {
namespace {

using training::ListOperations;
using training::ListToken;
using Sequences = LongTask::Sequences;

Sequences lists(const ListOperations& how, Index count, const Stream& stream) {
    Sequences all;
    for (Index i = 0; i < count; ++i) {
        // A stream each: the first lists are the same however many there are, and however often one is drawn again.
        training::List list = draw_list(how, stream.child(static_cast<std::uint64_t>(i)));
        all.push_back({.tokens = std::move(list.tokens), .targets = {{0, list.value}}});
    }
    return all;
}

/// Names of operations in configurations.
const std::vector<std::string> operation_names{"max", "min", "median", "sum"};

ListOperations list_operations(const config::Value& entry) {
    ListOperations how{whole(entry, "shortest"), whole(entry, "longest"), static_cast<int>(entry.at("depth").integer()),
                       static_cast<int>(entry.at("arguments").integer()), entry.at("nested").number()};
    if (!entry.has("operations")) return how;
    how.operations.clear();
    for (const std::string& name : entry.at("operations").texts()) {
        const auto place = std::find(operation_names.begin(), operation_names.end(), name) - operation_names.begin();
        how.operations.push_back(static_cast<ListToken>(static_cast<int>(ListToken::maximum) + place));
    }
    return how;
}

LongTask pixel_task(const config::Value& entry, const std::string& name, Index batch) {
    // Held once by the three functions and by all copies of the task.
    const auto images = std::make_shared<const Images>(entry);
    return {name,
            images->data_hash,
            0,
            images->inputs(),
            images->tokens(),
            images->classes,
            batch,
            [images, batch](const Stream& of_batch) { return images->batch(static_cast<int>(batch), of_batch); },
            [images](Index most) { return images->spread(images->validation, most); },
            [images](Index most) { return images->spread(images->test, most); },
            [baselines = image_baselines_once(images)](Index most) { return baselines.get().linear(most); }};
}

}  // namespace

std::vector<config::KeyRule> list_keys() {
    using namespace config;
    return {
        defaulted("shortest", integer(4, 100'000), "16", "tokens of a sequence, at least"),
        defaulted("longest", integer(4, 100'000), "64", "tokens of a sequence, at most"),
        defaulted("depth", integer(1, 100), "4", "of lists within one another"),
        defaulted("arguments", integer(2, 1000), "5", "of a list, at most"),
        defaulted("nested", real(at_least(0).at_most(1)), "0.25", "probability that an argument is a list"),
        optional("operations", one_or_more(one_of(operation_names)), "that lists have; all unless given"),
    };
}

/// Mini-batches are drawn by the step and never come again; those held out are the same at every evaluation.
LongTask drawn_lists(const config::Value& entry, const std::string& name, Index batch, const Stream& stream) {
    const ListOperations how = list_operations(entry);
    const Stream own = stream.child(name);
    // One list is drawn for nothing: lengths that hardly a list has are refused here and not by the first cell.
    try {
        draw_list(how, own.child("trial"));
    } catch (const std::invalid_argument& error) {
        entry.refuse(error.what());
    }
    return {name,
            {},
            training::num_list_tokens,
            0,
            how.max_length,
            10,
            batch,
            [how, batch](const Stream& of_batch) { return lists(how, batch, of_batch); },
            [how, own](Index most) { return lists(how, most, own.child("validation")); },
            [how, own](Index most) { return lists(how, most, own.child("test")); }};
}

config::KeyRule long_tasks_key() {
    using namespace config;
    std::vector<KeyRule> common = source_keys();
    common.push_back(optional("batch", integer(1, 65536), "sequences a mini-batch; the study's unless given"));
    return required(
        "tasks",
        one_or_more(named("task", "use", {{"lists", list_keys()}, {"pixels", image_keys("1")}}, std::move(common))),
        "sequences to classify; lists: ListOps, the value of nested lists; pixels: images, pixel by pixel or patch by "
        "patch");
}

SourceList<LongTask> long_tasks(const config::Value& configuration, const Stream& stream) {
    const auto read = [&](const config::Value& entry, const std::string& label, const datasets::Warn&) {
        const Index batch = whole(entry.has("batch") ? entry : configuration, "batch");
        return entry.at("use").text() == "lists" ? drawn_lists(entry, label, batch, stream)
                                                 : pixel_task(entry, label, batch);
    };
    return source_list(Key{configuration, "tasks"}, Axis<LongTask>{"task", {}, {}, "", "sequences to classify"}, read,
                       [](const LongTask& task) { return task.data_hash; });
}

}  // namespace rfbench::experiments
