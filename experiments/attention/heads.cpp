#include "attention/heads.hpp"

#include <algorithm>

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
        required("length", integer(1, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        defaulted("scales", numbers(above(0).at_most(100)), "1",
                  "standard deviation of the entries of queries and keys"),
        required("columns", integers(1, 65536), "real feature columns, or what costs about as much"),
        required("repeats", integer(2, 100'000), "heads and draws of features"),
    };
}

HeadSweep::HeadSweep(const config::Value& config, const std::string& study, const MethodKey& taken)
    : dimensions(whole_axis("dimension", config.at("dimensions").integers(), "d")),
      scales(axis("scale", config.at("scales").numbers(), "standard deviation of the entries of queries and keys")),
      methods(method_axis(experiments::methods(config, taken))),
      samplings(sampling_axis(config, methods.values)),
      repeats(repeat_axis("repeat", config.at("repeats").integer(), "head and draw of features")),
      columns(whole_axis("columns", config.at("columns").integers(), "real feature columns")),
      length(whole(config, "length")),
      seed(study_stream(config, study)) {
    for (const MethodChoice& method : methods)
        for (const Index d : dimensions) method.require_dimension(d);
}

Sweep HeadSweep::sweep(store::Dataset (*compute)(const HeadSweep&, const Point&)) const {
    Sweep result = Sweep::over(dimensions, scales, methods, samplings, repeats);
    result.keep = [own = *this](const Point& at) { return drawn_there(at[own.methods], at[own.samplings]); };
    result.bytes = bytes();
    result.compute = [own = *this, compute](const Point& at) { return compute(own, at); };
    return result;
}

double HeadSweep::bytes() const {
    const auto d = static_cast<double>(*std::max_element(dimensions.begin(), dimensions.end()));
    const auto most = static_cast<double>(*std::max_element(columns.begin(), columns.end()));
    return static_cast<double>(length) * (4 * d + 2 * most) * sizeof(double);
}

HeadCell::HeadCell(const HeadSweep& sweep, const Point& at)
    : method_(at[sweep.methods]),
      scheme_(scheme_there(method_, at[sweep.samplings])),
      seed_(sweep.seed.child(at[sweep.repeats])) {
    // A head is the same for every method and sampling and, up to scale, for every scale.
    const Index dimension = at[sweep.dimensions];
    const Stream of_head = seed_.child("head").child(static_cast<std::uint64_t>(dimension));
    head_ = draw_head(sweep.length, dimension, at[sweep.scales], of_head);
    seed_ = seed_.child("features").child(method_.label).child(scheme_.name);
    if (method_.can(Ability::features)) draw_ = method_->features(head_.queries, head_.keys);
}

Stream HeadCell::stream(Index columns) const {
    return seed_.child(static_cast<std::uint64_t>(columns)).child(static_cast<std::uint64_t>(head_.queries.cols()));
}

std::shared_ptr<const features::FeatureMap> HeadCell::map(Index columns) const {
    return draw_(columns, scheme_, stream(columns));
}

std::unique_ptr<attention::Method> HeadCell::attention(Index columns) const {
    return method_->attention({head_.queries.rows(), head_.queries.cols(), columns}, scheme_, stream(columns));
}

}  // namespace rfbench::experiments
