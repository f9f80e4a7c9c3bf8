// Heads of a GPT-2 model that reads a text.
#include <fmt/format.h>

#include <mutex>

#include "rfbench/config/file_path.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"
#include "sources/texts.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

/// The folder of a model. Throws DataError at the place of its name.
std::filesystem::path model_of(const config::Value& folder) {
    try {
        return models::find_model(config::file_path(folder), data_places());
    } catch (const datasets::DataError& error) {
        throw datasets::DataError(fmt::format("{}: {}", folder.where(), error.what()));
    }
}

/// The forward pass is done once, when the first cell asks for a head.
class ModelHeads final : public HeadSource {
public:
    explicit ModelHeads(const config::Value& entry)
        : folder_(model_of(entry.at("folder"))),
          shape_(models::read_shape(folder_)),
          layers_(chosen_numbers(entry, "layers", shape_.layers)),
          heads_(chosen_numbers(entry, "heads", shape_.heads)),
          length_(whole(entry, "length")),
          sequences_(whole(entry, "sequences")) {
        const auto [file, text] = named_text(entry.at("text"));
        if (length_ > shape_.positions)
            entry.at("length").refuse(fmt::format("{} tokens; the model takes {} at most", length_, shape_.positions));
        // Tokens are made at once: a text that is too short is refused before anything is computed.
        tokens_ = models::read_byte_pairs(folder_).encode(text, file, static_cast<std::size_t>(length_ * sequences_));
        if (static_cast<Index>(tokens_.size()) < length_ * sequences_)
            entry.at("sequences")
                .refuse(fmt::format("{} sequences of {} tokens are asked for, but {} has {} tokens", sequences_,
                                    length_, file, tokens_.size()));
        // Names, types and shapes of weights are looked at now, the weights themselves by the first cell.
        models::require_weights(folder_);
        hash_ = store::sha256(text);
        for (const auto& path : models::model_files(folder_)) hash_ = store::sha256(hash_ + store::sha256_file(path));
    }

    Index layers() const override { return static_cast<Index>(layers_.size()); }
    Index heads() const override { return static_cast<Index>(heads_.size()); }
    Index dimension() const override { return shape_.width / shape_.heads; }
    Index length() const override { return length_; }
    Index sequences() const override { return sequences_; }
    std::string label(Index layer, Index head) const override {
        return fmt::format("layer {}, head {}", layers_[static_cast<std::size_t>(layer)] + 1,
                           heads_[static_cast<std::size_t>(head)] + 1);
    }
    std::vector<std::string> listing() const override { return {"layers", "heads"}; }
    std::string layer_setting(Index layer) const override {
        return fmt::format("layer {}", layers_[static_cast<std::size_t>(layer)]);
    }
    std::string head_setting(Index head) const override {
        return fmt::format("head {}", heads_[static_cast<std::size_t>(head)]);
    }
    std::string data_hash() const override { return hash_; }
    std::vector<std::string> notes() const override { return {summary(*this, folder_.string())}; }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        // Cells of several threads may ask first: one of them computes, and the others wait.
        std::call_once(once_, [this] { compute(); });
        const models::HeadRows<float>& rows =
            of_[static_cast<std::size_t>(number)][layers_[static_cast<std::size_t>(layer)]]
               [heads_[static_cast<std::size_t>(head)]];
        return {{rows.queries.cast<double>(), rows.keys.cast<double>()}, rows.values.cast<double>()};
    }

private:
    void compute() const {
        // The weights are let go at the end: only queries, keys and values are kept.
        const auto model = models::read_gpt2<float>(folder_);
        // A failed attempt may have left heads, which would come first.
        of_.clear();
        for (Index number = 0; number < sequences_; ++number)
            of_.push_back(models::heads(model, std::span(tokens_).subspan(static_cast<std::size_t>(number * length_),
                                                                          static_cast<std::size_t>(length_))));
    }

    std::filesystem::path folder_;
    networks::TransformerShape shape_;
    std::vector<std::size_t> layers_, heads_;
    Index length_, sequences_;
    std::vector<models::Token> tokens_;
    std::string hash_;
    mutable std::once_flag once_;
    mutable std::vector<std::vector<std::vector<models::HeadRows<float>>>> of_;  // by sequence, layer, head
};

}  // namespace

std::vector<config::KeyRule> model_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("folder", text(), "of a GPT-2 model in the Hugging Face layout"),
        required("text", text(), "that the model reads: of the manifest, or a UTF-8 file"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence"),
        defaulted("sequences", integer(2, 100'000), "8", "pieces of the text"),
    };
    for (KeyRule& rule : choice_keys()) all.push_back(std::move(rule));
    return all;
}

std::shared_ptr<const HeadSource> model_heads(const config::Value& entry) {
    return std::make_shared<ModelHeads>(entry);
}

}  // namespace rfbench::experiments
