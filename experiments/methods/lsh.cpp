// Reformer: softmax over the keys that share a bucket of an angular hash with the query.
#include <algorithm>

#include "methods/baseline.hpp"
#include "rfbench/training/compressed_attention.hpp"

namespace rfbench::experiments {
namespace {

class Lsh final : public Baseline, public NetworkLayers {
public:
    Lsh(Index hashes, std::optional<Index> bucket, attention::LshKeys keys)
        : Baseline(true), hashes_(hashes), bucket_(bucket), keys_(keys) {}

    const NetworkLayers* layers() const override { return this; }
    bool attends_across() const override { return keys_ == attention::LshKeys::separate; }
    std::unique_ptr<attention::Method> attention(const AttentionSize& size, const sampling::Scheme&,
                                                 const Stream& stream) const override {
        return attention::lsh_method(hashing(size, stream));
    }
    bool redraws() const override { return true; }
    std::shared_ptr<const training::HeadAttention> layer(const AttentionSize& size, const sampling::Scheme&,
                                                         const Stream& stream) const override {
        return training::lsh_attention(hashing(size, stream));
    }

private:
    /// A query meets about `columns` keys in all its hashes.
    attention::Hashing hashing(const AttentionSize& size, const Stream& stream) const {
        const Index bucket = bucket_.value_or(std::max<Index>(1, size.columns / hashes_));
        // An even number: a bucket is that of the largest among projections and their negatives.
        const Index buckets = 2 * std::max<Index>(1, size.length / (2 * bucket));
        return attention::draw_hashing(size.dimension, buckets, hashes_, stream, keys_);
    }

    Index hashes_;
    std::optional<Index> bucket_;
    attention::LshKeys keys_;
};

}  // namespace

std::vector<MethodInfo> lsh_methods() {
    using namespace config;
    return {{.name = "lsh",
             .summary = "softmax over the keys that share a bucket with the query",
             .reference = "Kitaev et al. 2020",
             .keys = {defaulted("hashes", integer(1, 1000), "4", "rounds of hashing, whose buckets are united"),
                      optional("bucket", integer(1, 1'000'000),
                               "tokens of a bucket on the average; columns / hashes unless given"),
                      defaulted("shared", boolean(), "false",
                                "whether the queries over their lengths are the keys, as in Reformer")},
             .abilities = abilities_of(Lsh(1, {}, attention::LshKeys::separate)),
             .drawn = false,
             .budgeted = true,
             .make = [](const Value& entry) -> std::shared_ptr<const Method> {
                 std::optional<Index> bucket;
                 if (entry.has("bucket")) bucket = static_cast<Index>(entry.at("bucket").integer());
                 return std::make_shared<Lsh>(
                     static_cast<Index>(entry.at("hashes").integer()), bucket,
                     entry.at("shared").boolean() ? attention::LshKeys::queries : attention::LshKeys::separate);
             }}};
}

}  // namespace rfbench::experiments
