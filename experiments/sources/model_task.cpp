#include "sources/model_task.hpp"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <span>

#include "rfbench/config/file_path.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/networks/carried_weights.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/utf8.hpp"
#include "sources/texts.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

using models::Token;
using Tokens = std::span<const Token>;

std::filesystem::path folder_of(const config::Value& folder) {
    try {
        auto path = models::find_model(config::file_path(folder), data_places());
        // Names, types and shapes of weights are looked at before anything is computed.
        models::require_weights(path);
        return path;
    } catch (const datasets::DataError& error) {
        folder.refuse(error.what());
    }
}

networks::Sequence<float> told(Tokens tokens) {
    // The target of a token is the one after it.
    networks::Sequence<float> one;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        one.tokens.push_back(tokens[i]);
        one.targets.push_back({static_cast<Index>(i), tokens[i + 1]});
    }
    return one;
}

/// A text as the model's tokens, in three parts as it runs.
struct ModelText {
    std::vector<Token> tokens;
    Tokens training, validation, test;
    std::size_t length;

    NetworkTask::Sequences batch(int count, Stream stream) const {
        NetworkTask::Sequences all;
        for (int i = 0; i < count; ++i)
            all.push_back(told(training.subspan(stream.below(training.size() - length), length + 1)));
        return all;
    }
    std::size_t num_pieces(Tokens part) const { return (part.size() - 1) / length; }
    NetworkTask::Sequences spread(Tokens part, Index most) const {
        const std::size_t count = std::min(static_cast<std::size_t>(most), num_pieces(part)),
                          distance = (part.size() - 1) / count;
        NetworkTask::Sequences all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(told(part.subspan(i * distance, length + 1)));
        return all;
    }
};

ModelText read_text(const config::Value& entry, const models::BytePairs& pairs, const std::string& text,
                    const std::string& file) {
    ModelText own;
    own.length = static_cast<std::size_t>(entry.at("length").integer());
    own.tokens = pairs.encode(text, file);
    const auto share = [&](const char* of) {
        return static_cast<std::size_t>(entry.at(of).number() * static_cast<double>(own.tokens.size()));
    };
    const std::size_t held_out = share("test_share"), seen = share("validation_share");
    const Tokens all(own.tokens);
    own.training = all.first(all.size() - held_out - seen);
    own.validation = all.subspan(own.training.size(), seen);
    own.test = all.last(held_out);
    for (const auto& [part, tokens] :
         {std::pair("training part", own.training), {"validation part", own.validation}, {"part held out", own.test}})
        if (tokens.size() <= own.length)
            entry.at("length").refuse(
                fmt::format("the {} of {} has {} tokens, and must have more than a sequence, {}: take a longer text or "
                            "a smaller length",
                            part, file, tokens.size(), own.length));
    return own;
}

/// The model with fewer positions.
std::shared_ptr<const StoredNetwork> read_model(const std::filesystem::path& folder,
                                                const networks::TransformerShape& shape, const std::string& hash) {
    const models::Gpt2<float> model = models::read_gpt2<float>(folder);
    networks::Transformer network(shape);
    networks::Column<float> values(network.layout().size());
    for (const networks::Parameter& one : network.layout().all()) {
        const networks::Parameter& whole = model.network.layout().find(one.name);
        networks::view(values, one) = networks::view(model.weights.values(), whole).topRows(one.rows);
    }
    networks::Weights<float> weights(network.layout(), std::move(values), networks::Passes::forward);
    return std::make_shared<const StoredNetwork>(StoredNetwork{std::move(network), std::move(weights), {}, hash});
}

}  // namespace

std::vector<config::KeyRule> model_task_keys() {
    using namespace config;
    return {
        required("folder", text(), "of a GPT-2 model in the Hugging Face layout"),
        required("text", text(), "that it goes on with: of the manifest, or a UTF-8 file"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence"),
        defaulted("validation_share", real(above(0).below(0.5)), "0.05", "of the text, before what is held out"),
        defaulted("test_share", real(above(0).below(0.5)), "0.05", "of the text, at its end, that is held out"),
    };
}

NetworkTask model_task(const config::Value& entry) {
    const std::filesystem::path folder = folder_of(entry.at("folder"));
    networks::TransformerShape shape = models::read_shape(folder);
    const Index length = whole(entry, "length");
    if (length > shape.positions)
        entry.at("length").refuse(fmt::format("{} tokens; the model takes {} at most", length, shape.positions));
    shape.positions = length;
    const auto [name, text] = named_text(entry.at("text"));
    const models::BytePairs pairs = models::read_byte_pairs(folder);
    const auto own = std::make_shared<const ModelText>(read_text(entry, pairs, text, name));
    std::string model_hash;
    for (const auto& path : models::model_files(folder))
        model_hash = store::sha256(model_hash + store::sha256_file(path));

    NetworkTask task;
    task.kind = entry.at("use").text();
    task.data_hash = store::sha256(store::sha256(text) + model_hash);
    task.shape = shape;
    task.steps = static_cast<int>(entry.at("steps").integer());
    task.rate = entry.at("rate").number();
    // Parts of a text have different shares of long tokens.
    task.bits =
        static_cast<double>(own->test.size()) / static_cast<double>(num_characters(pairs.decode(own->test))) / M_LN2;
    task.mini_batch = [own, batch = static_cast<int>(entry.at("batch").integer())](const Stream& stream) {
        return own->batch(batch, stream);
    };
    task.validation = [own](Index most) { return own->spread(own->validation, most); };
    task.held_out = [own](Index most) { return own->spread(own->test, most); };
    task.num_held_out = static_cast<Index>(own->num_pieces(own->test));
    task.network = [folder, shape, model_hash] { return read_model(folder, shape, model_hash); };
    return task;
}

}  // namespace rfbench::experiments
