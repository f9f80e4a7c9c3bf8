#include <cmath>

#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

Points normals(Index n, Index d, const Stream& stream) {
    Eigen::MatrixXd entries(d, n);
    fill_normal(stream, entries);
    return entries.transpose();
}

class DrawnHeads final : public HeadSource {
public:
    DrawnHeads(const config::Value& config, const Stream& stream)
        : scales_(config.at("scales").numbers()),
          decays_(config.at("decays").numbers()),
          dimension_(whole(config, "dimension")),
          length_(whole(config, "length")),
          sequences_(whole(config, "sequences")),
          stream_(stream.child("heads")) {}

    Index layers() const override { return static_cast<Index>(scales_.size()); }
    Index heads() const override { return static_cast<Index>(decays_.size()); }
    Index dimension() const override { return dimension_; }
    Index length() const override { return length_; }
    Index sequences() const override { return sequences_; }

    HeadSequence sequence(Index layer, Index head, Index number) const override {
        const Stream own = stream_.child(static_cast<std::uint64_t>(layer))
                               .child(static_cast<std::uint64_t>(head))
                               .child(static_cast<std::uint64_t>(number));
        Vector deviations(dimension_);
        for (Index l = 0; l < dimension_; ++l)
            deviations[l] = scales_[static_cast<std::size_t>(layer)] *
                            std::pow(static_cast<double>(l + 1), -decays_[static_cast<std::size_t>(head)]);
        return {{normals(length_, dimension_, own.child("queries")) * deviations.asDiagonal(),
                 normals(length_, dimension_, own.child("keys")) * deviations.asDiagonal()},
                normals(length_, dimension_, own.child("values"))};
    }

private:
    std::vector<double> scales_, decays_;
    Index dimension_, length_, sequences_;
    Stream stream_;
};

}  // namespace

std::unique_ptr<HeadSource> drawn_heads(const config::Value& config, const Stream& stream) {
    return std::make_unique<DrawnHeads>(config, stream);
}

}  // namespace rfbench::experiments
