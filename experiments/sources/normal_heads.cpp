// Drawn heads without structure: normal entries, queries and keys of several standard deviations.
#include <fmt/format.h>

#include <limits>

#include "sources/heads.hpp"
#include "sources/normal_points.hpp"

namespace rfbench::experiments {
namespace {

/// Number of sequences of a source that can draw any number of them.
constexpr Index max_sequences = 1 << 20;

/// A head for each scale, the same up to scale. Sequences are drawn as they are asked for.
class NormalHeads final : public HeadSource {
public:
    NormalHeads(const config::Value& entry, const HeadStreams& streams)
        : scales_(entry.at("scales").numbers()),
          dimension_(whole(entry, "dimension")),
          length_(whole(entry, "length")),
          key_length_(entry.has("key_length") ? whole(entry, "key_length") : length_),
          endless_(!entry.has("sequences")),
          sequences_(endless_ ? max_sequences : whole(entry, "sequences")),
          streams_(streams) {}

    Index layers() const override { return 1; }
    Index heads() const override { return static_cast<Index>(scales_.size()); }
    Index dimension() const override { return dimension_; }
    Index length() const override { return length_; }
    Index key_length() const override { return key_length_; }
    bool crosses() const override { return key_length_ != length_; }
    Index sequences() const override { return sequences_; }
    bool endless() const override { return endless_; }
    std::string label(Index, Index head) const override {
        return fmt::format("d = {}, sd {}", dimension_, scale(head));
    }
    std::vector<std::string> listing() const override { return {"scales"}; }
    std::string head_setting(Index head) const override { return fmt::format("scale {}", scale(head)); }
    HeadSequence sequence(Index, Index head, Index number) const override {
        return draw_head(length_, key_length_, dimension_, scale(head), own("head", number));
    }
    bool has_previous() const override { return true; }
    HeadSequence previous(Index, Index head, Index number) const override {
        return draw_head(length_, key_length_, dimension_, scale(head), own("previous", number));
    }

private:
    double scale(Index head) const { return scales_[static_cast<std::size_t>(head)]; }
    Stream own(const char* which, Index number) const {
        // The scale is no part of the key: heads differ by their scale and by nothing else.
        return streams_.sequence(streams_.study, which, static_cast<std::uint64_t>(number),
                                 static_cast<std::uint64_t>(dimension_));
    }

    std::vector<double> scales_;
    Index dimension_, length_, key_length_;
    bool endless_;
    Index sequences_;
    HeadStreams streams_;
};

}  // namespace

HeadSequence draw_head(Index queries, Index keys, Index dimension, double scale, const Stream& stream) {
    return {{scale * normal_points(stream.child("queries"), queries, dimension),
             scale * normal_points(stream.child("keys"), keys, dimension)},
            normal_points(stream.child("values"), keys, dimension)};
}

std::vector<config::KeyRule> normal_keys() {
    using namespace config;
    return {
        defaulted("dimension", integer(1, 1024), "16", "d"),
        defaulted("length", integer(1, 1'000'000), "1024", "L, tokens of a sequence"),
        optional("key_length", integer(1, 1'000'000),
                 "keys and values, where they are not those of the queries' tokens"),
        defaulted("scales", numbers(above(0).at_most(100)), "1",
                  "one a head: standard deviation of the entries of queries and keys"),
        optional("sequences", integer(1, max_sequences), "of each head; without it as many as are asked for"),
    };
}

std::shared_ptr<const HeadSource> normal_heads(const config::Value& entry, const HeadStreams& streams) {
    return std::make_shared<NormalHeads>(entry, streams);
}

}  // namespace rfbench::experiments
