#include "attention/heads.hpp"

#include <algorithm>

namespace rfbench::experiments {

std::vector<config::KeyRule> head_keys() {
    using namespace config;
    return {
        head_list_key(),
        required("columns", integers(1, 65536), "real feature columns, or what costs about as much"),
        required("repeats", integer(2, 100'000), "sequences and draws of features"),
    };
}

HeadSweep::HeadSweep(const config::Value& config, const std::string& study, const MethodKey& taken)
    : list(config, head_streams(study_stream(config, study))),
      methods(method_axis(experiments::methods(config, taken))),
      samplings(sampling_axis(config, methods.values)),
      repeats(repeat_axis("repeat", Key{config, "repeats"}, "sequence and draw of features")),
      columns(whole_axis("columns", Key{config, "columns"}, "real feature columns")),
      seed(study_stream(config, study)) {
    list.require_dimensions(methods.values);
    list.require_crossing(methods.values);
}

Sweep HeadSweep::sweep(store::Dataset (*compute)(const HeadSweep&, const Point&)) const {
    Sweep result = Sweep::over(list.heads, methods, samplings, repeats, columns);
    result.keep = [own = *this](const Point& at) { return is_measured_at(at[own.methods], at[own.samplings]); };
    // A head's queries, keys, values and output, and the features of both sides.
    const Index most = *std::max_element(columns.begin(), columns.end());
    result.bytes = static_cast<double>(list.longest() * (4 * list.widest() + 2 * most)) * sizeof(double);
    result.notes = list.notes_of_repeats(repeats.size());
    result.finite_but.emplace();
    result.compute = [own = *this, compute](const Point& at) { return compute(own, at); };
    return result;
}

HeadCell::HeadCell(const HeadSweep& sweep, const Point& at)
    : method_(at[sweep.methods]),
      columns_(at[sweep.columns]),
      scheme_(scheme_at(method_, at[sweep.samplings])),
      // Draws are the same for every head of one dimension.
      seed_(sweep.seed.child(at[sweep.repeats]).child("features").child(method_.label).child(scheme_.name)),
      head_(at[sweep.list.heads].sequence(at[sweep.repeats])) {}

Stream HeadCell::stream() const {
    const auto d = static_cast<std::uint64_t>(head_.tokens.queries.cols());
    return seed_.child(static_cast<std::uint64_t>(columns_)).child(d);
}

std::shared_ptr<const features::FeatureMap> HeadCell::map() const {
    return method_->head_features()->features(head_.tokens.queries, head_.tokens.keys)(columns_, scheme_, stream());
}

std::unique_ptr<attention::Method> HeadCell::attention() const {
    return method_->outputs()->attention({keys(), head_.tokens.queries.cols(), columns_}, scheme_, stream());
}

}  // namespace rfbench::experiments
