// Heads of a network that another configuration has trained (training/teachers), on sequences held out of its training.
#include <fmt/format.h>

#include <mutex>
#include <stdexcept>

#include "sources/heads.hpp"
#include "sources/stored_network.hpp"
#include "study/foundation.hpp"

namespace rfbench::experiments {
namespace {

StoredNetwork network_of(const config::Value& entry) {
    const store::Dataset data = foundation(entry.at("from"));
    try {
        return read_network(data, entry.at("source").text(), static_cast<double>(entry.at("seed").integer()));
    } catch (const std::invalid_argument& error) {
        entry.refuse(fmt::format("{}: {}", entry.at("from").text(), error.what()));
    }
}

/// The forward pass is done once, when the first cell asks for a head.
class NetworkHeads final : public HeadSource {
public:
    explicit NetworkHeads(const config::Value& entry)
        : stored_(network_of(entry)),
          shape_(stored_.network.shape()),
          layers_(chosen_numbers(entry, "layers", shape_.layers)),
          heads_(chosen_numbers(entry, "heads", shape_.heads)) {
        const std::int64_t wanted = entry.at("sequences").integer();
        if (wanted > static_cast<std::int64_t>(stored_.sequences.size()))
            entry.at("sequences")
                .refuse(fmt::format("{} sequences are asked for, and {} keeps {}; its key 'kept' says how many", wanted,
                                    entry.at("from").text(), stored_.sequences.size()));
        stored_.sequences.resize(static_cast<std::size_t>(wanted));
        if (entry.has("length")) shorten(entry.at("length"));
        hash_ = stored_.hash();
    }

    Index layers() const override { return static_cast<Index>(layers_.size()); }
    Index heads() const override { return static_cast<Index>(heads_.size()); }
    Index dimension() const override { return shape_.width / shape_.heads; }
    Index length() const override {
        Index most = 0;
        for (Index number = 0; number < sequences(); ++number) most = std::max(most, tokens(number));
        return most;
    }
    Index sequences() const override { return static_cast<Index>(stored_.sequences.size()); }
    Index tokens(Index number) const override {
        return stored_.network.embedding().rows(stored_.sequences[static_cast<std::size_t>(number)].length());
    }
    std::string label(Index layer, Index head) const override {
        return fmt::format("layer {}, head {}", layers_[static_cast<std::size_t>(layer)] + 1,
                           heads_[static_cast<std::size_t>(head)] + 1);
    }
    // Weights and sequences count by their hash, wherever they are from.
    std::vector<std::string> listing() const override { return {"layers", "heads", "from", "source", "seed"}; }
    std::string layer_setting(Index layer) const override {
        return fmt::format("layer {}", layers_[static_cast<std::size_t>(layer)]);
    }
    std::string head_setting(Index head) const override {
        return fmt::format("head {}", heads_[static_cast<std::size_t>(head)]);
    }
    std::string data_hash() const override { return hash_; }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        // Cells of several threads may ask first: one of them computes, and the others wait.
        std::call_once(once_, [this] {
            // A failed attempt may have left heads, which would come first.
            of_.clear();
            for (const auto& one : stored_.sequences) of_.push_back(stored_.network.heads(stored_.weights, one));
        });
        const auto& rows = of_[static_cast<std::size_t>(number)][layers_[static_cast<std::size_t>(layer)]]
                              [heads_[static_cast<std::size_t>(head)]];
        return {{rows.queries.cast<double>(), rows.keys.cast<double>()}, rows.values.cast<double>()};
    }

private:
    void shorten(const config::Value& length) {
        for (networks::Sequence<float>& one : stored_.sequences) {
            if (length.integer() > one.length())
                length.refuse(fmt::format("{} tokens are asked for, and a sequence that is kept has {}",
                                          length.integer(), one.length()));
            if (one.tokens.empty())
                one.rows.conservativeResize(length.integer(), Eigen::NoChange);
            else
                one.tokens.resize(static_cast<std::size_t>(length.integer()));
        }
    }

    StoredNetwork stored_;
    networks::TransformerShape shape_;
    std::vector<std::size_t> layers_, heads_;
    std::string hash_;
    mutable std::once_flag once_;
    mutable std::vector<std::vector<std::vector<networks::Transformer::HeadRows<float>>>> of_;  // sequence, layer, head
};

}  // namespace

std::vector<config::KeyRule> network_head_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("from", text(), "the configuration that trains it, as training/teachers; it is run first"),
        required("source", text(), "what it was trained on: a label of that configuration's sources"),
        defaulted("seed", integer(0), "0", "of the networks of that source"),
        defaulted("sequences", integer(2, 100'000), "8", "of those that are held out of its training"),
        optional("length", integer(2, 100'000), "tokens of a sequence, its first ones; all, unless given"),
    };
    for (KeyRule& rule : choice_keys()) all.push_back(std::move(rule));
    return all;
}

std::shared_ptr<const HeadSource> network_heads(const config::Value& entry) {
    return std::make_shared<NetworkHeads>(entry);
}

}  // namespace rfbench::experiments
