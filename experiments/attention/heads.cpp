#include "attention/heads.hpp"

#include "normal_points.hpp"

namespace rfbench::experiments {

Head draw_head(Index length, Index dimension, double scale, const Stream& stream) {
    return {scale * normal_points(stream.child("queries"), length, dimension),
            scale * normal_points(stream.child("keys"), length, dimension),
            normal_points(stream.child("values"), length, dimension)};
}

std::vector<config::KeyRule> head_keys() {
    using namespace config;
    return {
        required("mechanisms", mechanisms_schema(), "which features; fitted to each head's queries and keys"),
        defaulted("samplings", samplings_schema(), "[iid, orthogonal]", "how their projections are drawn"),
        required("length", integer(1, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        defaulted("scales", numbers(above(0).at_most(100)), "1",
                  "standard deviation of the entries of queries and keys"),
        required("real_columns", integers(1, 65536), "features in all; complex ones count twice"),
        required("samples", integer(2, 100'000), "heads and draws of features"),
    };
}

HeadSweep::HeadSweep(const config::Value& config, const std::string& study)
    : mechanisms(experiments::mechanisms(config.at("mechanisms"))),
      samplings(experiments::samplings(config.at("samplings"))),
      dimensions(as_labels(config.at("dimensions").integers())),
      scales(config.at("scales").numbers()),
      columns(as_labels(config.at("real_columns").integers())),
      samples(numbered(config.at("samples").integer())),
      length(static_cast<Index>(config.at("length").integer())),
      seed(study_stream(config, "attention/" + study)) {
    for (const double d : dimensions) require_dimension(config.at("mechanisms"), mechanisms, static_cast<Index>(d));
}

std::vector<store::Axis> HeadSweep::axes() const {
    return {{"dimension", dimensions, "", "d"},
            {"scale", scales, "", "standard deviation of the entries of queries and keys"},
            mechanism_axis(mechanisms),
            sampling_axis(samplings),
            {"sample", samples, "", "head and draw of features"}};
}

std::vector<engine::Cell> HeadSweep::cells() const {
    return product_cells(axes(), [&](const std::vector<std::size_t>& at) {
        return drawable(*mechanisms[at[2]].info, *samplings[at[3]]);
    });
}

HeadCell::HeadCell(const HeadSweep& sweep, const engine::Cell& cell)
    : sampling_(*sweep.samplings[cell.coordinates[3]]), seed_(sweep.seed.child(cell.coordinates[4])) {
    // A head is the same for every mechanism and sampling and, up to scale, for every scale.
    const auto dimension = static_cast<Index>(sweep.dimensions[cell.coordinates[0]]);
    const Stream of_head = seed_.child("head").child(static_cast<std::uint64_t>(dimension));
    head_ = draw_head(sweep.length, dimension, sweep.scales[cell.coordinates[1]], of_head);
    const MechanismChoice& choice = sweep.mechanisms[cell.coordinates[2]];
    mechanism_ = features::fit(*choice.info, attention::softmax_statistics(head_.queries, head_.keys), choice.settings);
    seed_ = seed_.child("features").child(choice.label).child(sampling_.name);
}

attention::SoftmaxMap HeadCell::map(Index real_columns) const {
    const Index dimension = head_.queries.cols();
    return attention::softmax_map(*mechanism_, dimension, count_for_cost(*mechanism_, real_columns), sampling_,
                                  seed_.child(static_cast<std::uint64_t>(real_columns)).child(
                                      static_cast<std::uint64_t>(dimension)));
}

}  // namespace rfbench::experiments
