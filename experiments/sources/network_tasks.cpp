#include "sources/network_tasks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "rfbench/networks/drawn_sequences.hpp"
#include "rfbench/statistics/context_counts.hpp"
#include "sources/image_baselines.hpp"
#include "sources/least_margins.hpp"
#include "sources/long_tasks.hpp"
#include "sources/masked_texts.hpp"
#include "sources/model_task.hpp"

namespace rfbench::experiments {
namespace {

using networks::ReadOutOf;

/// Keys that the entries of all kinds share.
NetworkTask begun(const config::Value& entry) {
    return {.kind = entry.at("use").text(),
            .data_hash = {},
            .shape = {},
            .initialization = {.gain = entry.at("gain").number(),
                               .embedding = entry.at("embedding").number(),
                               .positions = initial_positions_of(entry)},
            .steps = static_cast<int>(entry.at("steps").integer()),
            .rate = entry.at("rate").number(),
            .bits = std::nan(""),
            .mini_batch = {},
            .validation = {},
            .held_out = {}};
}

int batch_of(const config::Value& entry) { return static_cast<int>(entry.at("batch").integer()); }

NetworkTask text_task(const config::Value& entry) {
    const auto text = std::make_shared<const Text>(entry);
    NetworkTask task = begun(entry);
    task.margin = least_margin::text;
    task.data_hash = text->data_hash;
    // GPT-2's form, so that what is trained can be written in its layout.
    task.shape.vocabulary = task.shape.outputs = bytes_there_are;
    task.shape.positions = text->length;
    task.bits = bytes_per_character(text->test) / M_LN2;
    task.mini_batch = [text, batch = batch_of(entry)](const Stream& stream) { return text->batch(batch, stream); };
    task.validation = [text](Index most) { return text->spread(text->validation, most); };
    task.held_out = [text](Index most) { return text->spread(text->test, most); };
    task.num_held_out = text->num_pieces(text->test);
    task.without_attention = [text](Index most) { return text->counts_bits(most, 2).back(); };
    return task;
}

NetworkTask masked_text_task(const config::Value& entry, const Stream& stream) {
    const auto text = std::make_shared<const Text>(entry);
    const double share = entry.at("hidden").number();
    NetworkTask task = begun(entry);
    task.margin = least_margin::text;
    task.data_hash = text->data_hash;
    task.shape.vocabulary = task.shape.outputs = bytes_there_are + 1;
    task.shape.positions = text->length;
    task.shape.visible = attention::Visible::all;
    task.bits = bytes_per_character(text->test) / M_LN2;
    task.mini_batch = [text, share, batch = batch_of(entry)](const Stream& of_batch) {
        return hide(text->batch(batch, of_batch), share, of_batch.child("hidden"));
    };
    task.validation = [text, share, stream](Index most) {
        return hide(text->spread(text->validation, most), share, stream.child("validation"));
    };
    task.held_out = [text, share, stream](Index most) {
        return hide(text->spread(text->test, most), share, stream.child("test"));
    };
    task.num_held_out = text->num_pieces(text->test);
    task.without_attention = [text, share, stream](Index most) {
        return bytes_per_character(text->test) *
               statistics::context_bits(
                   text->training, told_pieces(*text, text->validation, most, share, stream.child("validation")),
                   told_pieces(*text, text->test, most, share, stream.child("test")), {{}, {-1, 1}, {-2, -1, 1, 2}})
                   .back();
    };
    return task;
}

NetworkTask image_task(const config::Value& entry) {
    const auto images = std::make_shared<const Images>(entry);
    NetworkTask task = begun(entry);
    task.margin = least_margin::images;
    task.data_hash = images->data_hash;
    task.shape.inputs = images->inputs();
    task.shape.positions = images->tokens();
    task.shape.class_token = true;
    task.shape.visible = attention::Visible::all;
    task.shape.read_out = ReadOutOf::class_token;
    task.shape.outputs = images->classes;
    task.mini_batch = [images, batch = batch_of(entry)](const Stream& stream) { return images->batch(batch, stream); };
    task.validation = [images](Index most) { return images->spread(images->validation, most); };
    task.held_out = [images](Index most) { return images->spread(images->test, most); };
    task.num_held_out = images->test.count();
    task.without_attention = [baselines = image_baselines_once(images)](Index most) {
        return baselines.get().linear(most);
    };
    return task;
}

NetworkTask recall_task(const config::Value& entry, const Stream& stream) {
    const networks::PairRecall how{whole(entry, "length"), whole(entry, "vocabulary"), whole(entry, "pairs")};
    try {
        networks::check(how);
    } catch (const std::invalid_argument& error) {
        entry.refuse(error.what());
    }
    NetworkTask task = begun(entry);
    task.margin = least_margin::recall;
    task.shape.vocabulary = task.shape.outputs = how.vocabulary;
    task.shape.positions = how.length;
    task.shape.convolution = whole(entry, "convolution");
    const auto drawn = [how](Index count, const Stream& of) {
        NetworkTask::Sequences all;
        for (Index i = 0; i < count; ++i)
            all.push_back(networks::drawn_sequence(how, of.child(static_cast<std::uint64_t>(i))));
        return all;
    };
    task.mini_batch = [drawn, batch = batch_of(entry)](const Stream& of_batch) { return drawn(batch, of_batch); };
    task.validation = [drawn, stream](Index most) { return drawn(most, stream.child("validation")); };
    task.held_out = [drawn, stream](Index most) { return drawn(most, stream.child("test")); };
    return task;
}

NetworkTask list_task(const config::Value& entry, const Stream& stream) {
    const LongTask lists = drawn_lists(entry, "lists", batch_of(entry), stream);
    NetworkTask task = begun(entry);
    task.margin = least_margin::lists;
    task.shape.vocabulary = lists.vocabulary;
    task.shape.positions = lists.longest;
    task.shape.visible = attention::Visible::all;
    task.shape.read_out = ReadOutOf::mean;
    task.shape.outputs = lists.classes;
    task.mini_batch = lists.mini_batch;
    task.validation = lists.validation;
    task.held_out = lists.test;
    return task;
}

/// Keys that all kinds have, with a default of its own for how each kind begins.
std::vector<config::KeyRule> with_training(std::vector<config::KeyRule> own, const char* batch, const char* gain,
                                           const char* embedding) {
    using namespace config;
    own.push_back(required("steps", integer(0, 1'000'000), "mini-batches of Adam; 0: as training begins"));
    own.push_back(defaulted("batch", integer(1, 65536), batch, "sequences a mini-batch"));
    own.push_back(defaulted("rate", real(above(0).at_most(10)), "0.003", "of Adam, at its largest"));
    own.push_back(defaulted("gain", real(above(0).at_most(10)), gain, "of the matrices that training begins with"));
    own.push_back(defaulted("embedding", real(above(0)), embedding,
                            "standard deviation of tables, positions and the read-out as training begins"));
    own.push_back(initial_positions_key());
    return own;
}

std::vector<config::KeyRule> masked_text_keys() {
    std::vector<config::KeyRule> all = text_keys();
    all.push_back(hidden_key());
    return all;
}

std::vector<config::KeyRule> recall_keys() {
    using namespace config;
    return {
        defaulted("length", integer(4, 100'000), "32", "tokens of a sequence"),
        defaulted("vocabulary", integer(4, 1'000'000), "64", "tokens there are: a blank, keys, as many values"),
        defaulted("pairs", integer(1, 10'000), "8", "of a key and its value, in a sequence"),
        defaulted("convolution", integer(0, 64), "3",
                  "tokens that a causal convolution after the embedding sees; 0: there is none"),
    };
}

}  // namespace

config::KeyRule initial_positions_key() {
    return config::optional("initial_positions", config::one_of({"drawn", "sinusoids"}),
                            "positions as training begins: drawn, as unless given, or sines and cosines");
}

networks::InitialPositions initial_positions_of(const config::Value& value) {
    return value.has("initial_positions") && value.at("initial_positions").text() == "sinusoids"
               ? networks::InitialPositions::sinusoids
               : networks::InitialPositions::drawn;
}

void require_held_out(const config::Value& wanted, const Axis<NetworkTask>& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (wanted.integer() > tasks.values[i].num_held_out)
            wanted.refuse(fmt::format("{} sequences are asked for, and '{}' has {} held out", wanted.integer(),
                                      std::get<std::vector<std::string>>(tasks.labels)[i],
                                      tasks.values[i].num_held_out));
}

config::KeyRule network_tasks_key() {
    using namespace config;
    return required(
        "sources",
        one_or_more(named("source", "use",
                          {{"text", with_training(text_keys(), "16", "1", "0.02")},
                           {"masked-text", with_training(masked_text_keys(), "16", "1", "0.02")},
                           {"images", with_training(image_keys("4"), "32", "1", "0.02")},
                           {"recall", with_training(recall_keys(), "32", "0.5", "0.02")},
                           {"lists", with_training(list_keys(), "32", "1", "0.2")},
                           {"model", with_training(model_task_keys(), "8", "1", "0.02")}},
                          source_keys())),
        "what networks are trained on; text: the next byte; masked-text: bytes that are hidden; images: the "
        "class of patches; recall: the values of keys; lists: the value of nested lists; model: the next token, by a "
        "GPT-2 that is given");
}

SourceList<NetworkTask> network_tasks(const config::Value& configuration, const Stream& stream) {
    const auto read = [&](const config::Value& entry, const std::string&, const datasets::Warn&) {
        const std::string& kind = entry.at("use").text();
        if (kind == "text") return text_task(entry);
        if (kind == "masked-text") return masked_text_task(entry, stream.child(kind));
        if (kind == "images") return image_task(entry);
        if (kind == "model") return model_task(entry);
        return kind == "recall" ? recall_task(entry, stream.child(kind)) : list_task(entry, stream);
    };
    return source_list(Key{configuration, "sources"}, Axis<NetworkTask>{"source", {}, {}, "", "what is trained on"},
                       read, [](const NetworkTask& task) { return task.data_hash; });
}

}  // namespace rfbench::experiments
