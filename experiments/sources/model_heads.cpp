#include <fmt/format.h>

#include <mutex>

#include "project.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t largest_text = std::size_t{1} << 30;

/// The forward pass is done once, when the first cell asks for a head.
class ModelHeads final : public HeadSource {
public:
    explicit ModelHeads(const config::Value& config)
        : folder_(models::find_model(config.at("model").text(), data_places())),
          shape_(models::read_shape(folder_)),
          length_(whole(config, "length")),
          sequences_(whole(config, "sequences")) {
        const std::string file = config.at("text").text();
        const std::string text = datasets::file_bytes(file, largest_text);
        if (length_ > shape_.positions)
            config.at("length").refuse(fmt::format("{} tokens; the model takes {} at most", length_, shape_.positions));
        tokens_ = models::read_byte_pairs(folder_).encode(text, file, static_cast<std::size_t>(length_ * sequences_));
        if (static_cast<Index>(tokens_.size()) < length_ * sequences_)
            config.at("sequences")
                .refuse(fmt::format("{} sequences of {} tokens are asked for, but {} has {} tokens", sequences_,
                                    length_, file, tokens_.size()));
        hash_ = store::sha256(text);
        for (const char* name : {"config.json", "vocab.json", "merges.txt", "model.safetensors"})
            hash_ = store::sha256(hash_ + store::sha256_file(folder_ / name));
    }

    Index layers() const override { return shape_.layers; }
    Index heads() const override { return shape_.heads; }
    Index dimension() const override { return shape_.width / shape_.heads; }
    Index length() const override { return length_; }
    Index sequences() const override { return sequences_; }
    std::string data_hash() const override { return hash_; }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        std::call_once(once_, [this] { compute(); });
        const models::HeadRows<float>& rows =
            of_[static_cast<std::size_t>(number)][static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
        return {{rows.queries.cast<double>(), rows.keys.cast<double>()}, rows.values.cast<double>()};
    }

private:
    void compute() const {
        const auto model = models::read_gpt2<float>(folder_);
        for (Index number = 0; number < sequences_; ++number)
            of_.push_back(models::heads(model, std::span(tokens_).subspan(static_cast<std::size_t>(number * length_),
                                                                          static_cast<std::size_t>(length_))));
    }

    std::filesystem::path folder_;
    models::Gpt2Shape shape_;
    Index length_, sequences_;
    std::vector<models::Token> tokens_;
    std::string hash_;
    mutable std::once_flag once_;
    mutable std::vector<std::vector<std::vector<models::HeadRows<float>>>> of_;  // by sequence, layer, head
};

}  // namespace

std::unique_ptr<HeadSource> model_heads(const config::Value& config) { return std::make_unique<ModelHeads>(config); }

}  // namespace rfbench::experiments
