// Drawn heads of known spectrum.
#include <fmt/format.h>

#include <cmath>

#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

Points normals(Index n, Index d, const Stream& stream) {
    // A point is a column while it is drawn: columns are filled in order, so that the first points do not depend on n.
    Eigen::MatrixXd entries(d, n);
    fill_normal(stream, entries);
    return entries.transpose();
}

/// Coordinate l of queries and keys of head h in layer s is normal with standard deviation scales[s] l^-decays[h],
/// values are standard normal.
class DecayingHeads final : public HeadSource {
public:
    DecayingHeads(const config::Value& entry, const HeadStreams& streams)
        : scales_(entry.at("scales").numbers()),
          decays_(entry.at("decays").numbers()),
          dimension_(whole(entry, "dimension")),
          length_(whole(entry, "length")),
          key_length_(entry.has("key_length") ? whole(entry, "key_length") : length_),
          sequences_(whole(entry, "sequences")),
          stream_(streams.study.child("heads")) {}

    Index layers() const override { return static_cast<Index>(scales_.size()); }
    Index heads() const override { return static_cast<Index>(decays_.size()); }
    Index dimension() const override { return dimension_; }
    Index length() const override { return length_; }
    Index key_length() const override { return key_length_; }
    bool crosses() const override { return key_length_ != length_; }
    Index sequences() const override { return sequences_; }
    std::string label(Index layer, Index head) const override {
        return fmt::format("scale {}, decay {}", scales_[static_cast<std::size_t>(layer)],
                           decays_[static_cast<std::size_t>(head)]);
    }
    std::vector<std::string> listing() const override { return {"scales", "decays"}; }
    // They are drawn by number.
    std::string layer_setting(Index layer) const override {
        return fmt::format("layer {}: scale {}", layer, scales_[static_cast<std::size_t>(layer)]);
    }
    std::string head_setting(Index head) const override {
        return fmt::format("head {}: decay {}", head, decays_[static_cast<std::size_t>(head)]);
    }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        // Drawn anew by whoever asks, from a stream of its own: nothing is shared by threads, and no order counts.
        const Stream own = stream_.child(static_cast<std::uint64_t>(layer))
                               .child(static_cast<std::uint64_t>(head))
                               .child(static_cast<std::uint64_t>(number));
        Vector deviations(dimension_);
        for (Index l = 0; l < dimension_; ++l)
            deviations[l] = scales_[static_cast<std::size_t>(layer)] *
                            std::pow(static_cast<double>(l + 1), -decays_[static_cast<std::size_t>(head)]);
        return {{normals(length_, dimension_, own.child("queries")) * deviations.asDiagonal(),
                 normals(key_length_, dimension_, own.child("keys")) * deviations.asDiagonal()},
                normals(key_length_, dimension_, own.child("values"))};
    }

private:
    std::vector<double> scales_, decays_;
    Index dimension_, length_, key_length_, sequences_;
    Stream stream_;
};

}  // namespace

std::vector<config::KeyRule> decaying_keys() {
    using namespace config;
    return {
        defaulted("scales", numbers(above(0).at_most(100)), "[1.5, 1.2, 1, 0.8, 0.6, 0.4]",
                  "one a layer: standard deviation of the first coordinate of queries and keys"),
        defaulted("decays", numbers(between(0, 10)), "[0.25, 0.5, 1, 2]",
                  "one a head: coordinate l has the standard deviation scale l^-decay"),
        defaulted("dimension", integer(1, 1024), "16", "d"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence"),
        optional("key_length", integer(2, 100'000), "keys and values, where they are not those of the queries' tokens"),
        defaulted("sequences", integer(2, 100'000), "8", "of each head"),
    };
}

std::shared_ptr<const HeadSource> decaying_heads(const config::Value& entry, const HeadStreams& streams) {
    return std::make_shared<DecayingHeads>(entry, streams);
}

}  // namespace rfbench::experiments
