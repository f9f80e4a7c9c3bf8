#include "dof/head_inputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace rfbench::experiments {
namespace {

Points normals(Index n, Index d, const Stream& stream) {
    Eigen::MatrixXd entries(d, n);
    fill_normal(stream, entries);
    return entries.transpose();
}

store::Axis numbered(const char* name, Index size, const char* description) {
    std::vector<double> labels(static_cast<std::size_t>(size));
    std::iota(labels.begin(), labels.end(), 1.0);
    return {name, labels, "", description};
}

}  // namespace

std::vector<config::KeyRule> HeadInputs::keys() {
    using namespace config;
    return {
        defaulted("scales", numbers(above(0).at_most(100)), "[1.5, 1.2, 1, 0.8, 0.6, 0.4]",
                  "one a layer: standard deviation of the first coordinate of queries and keys"),
        defaulted("decays", numbers(between(0, 10)), "[0.25, 0.5, 1, 2]",
                  "one a head: coordinate l has the standard deviation scale l^-decay"),
        defaulted("dimension", integer(1, 1024), "16", "d of a head"),
        defaulted("length", integer(2, 100'000), "128", "tokens of a sequence"),
        defaulted("sequences", integer(2, 100'000), "8", "of each head"),
    };
}

HeadInputs::HeadInputs(const config::Value& config, const Stream& stream)
    : scales_(config.at("scales").numbers()),
      decays_(config.at("decays").numbers()),
      dimension_(static_cast<Index>(config.at("dimension").integer())),
      length_(static_cast<Index>(config.at("length").integer())),
      sequences_(static_cast<Index>(config.at("sequences").integer())),
      stream_(stream.child("heads")) {}

store::Axis HeadInputs::layer_axis() const { return numbered("layer", layers(), "layer"); }
store::Axis HeadInputs::head_axis() const { return numbered("head", heads(), "head of the layer"); }

HeadSequence HeadInputs::sequence(Index layer, Index head, Index number) const {
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

Points HeadInputs::sample(Index layer, Index head, Index sequences, Index count, const Stream& stream) const {
    Points all(2 * length_ * sequences, dimension_);
    for (Index number = 0; number < sequences; ++number) {
        const HeadSequence one = sequence(layer, head, number);
        all.middleRows(2 * length_ * number, length_) = one.tokens.queries;
        all.middleRows(2 * length_ * number + length_, length_) = one.tokens.keys;
    }
    // The first `count` of a random order (Fisher and Yates).
    Stream own = stream;
    for (Index i = 0; i < count; ++i) {
        const auto other = i + static_cast<Index>(own.below(static_cast<std::uint64_t>(all.rows() - i)));
        all.row(i).swap(all.row(other));
    }
    return all.topRows(count);
}

}  // namespace rfbench::experiments
