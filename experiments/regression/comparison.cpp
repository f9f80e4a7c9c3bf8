#include "regression/comparison.hpp"

namespace rfbench::experiments {

std::unique_ptr<features::Mechanism> Drawing::fit(const Points& rows) const {
    const auto statistics = features::statistics(rows, rows, choice.info->poisson_moments);
    return features::fit(*choice.info, statistics, choice.settings);
}

std::unique_ptr<features::FeatureMap> Drawing::map(const features::Mechanism& mechanism, const Stream& stream) const {
    const Index count = choice.count.value_or(count_for_cost(mechanism, real_columns));
    return mechanism.map(features::draw(mechanism, dimension, count, *scheme, stream));
}

Comparison::Comparison(const config::Value& config, std::vector<std::string> references)
    : choices_(mechanisms(config.at("mechanisms"))),
      references_(std::move(references)),
      schemes_(samplings(config.at("samplings"))),
      counts_(as_labels(config.at("real_columns").integers())),
      splits_(numbered(config.at("splits").integer())) {}

std::vector<store::Axis> Comparison::axes(const std::vector<Task>& tasks, const std::string& about) const {
    std::vector<std::string> names, methods;
    for (const Task& task : tasks) names.push_back(task.name);
    for (const MechanismChoice& choice : choices_) methods.push_back(choice.label);
    methods.insert(methods.end(), references_.begin(), references_.end());
    return {{"dataset", names, "", "data set"},
            {"mechanism", methods, "", "features; " + about},
            sampling_axis(schemes_),
            {"real_columns", counts_, "", "features in all"},
            {"split", splits_, "", "random split of the rows"}};
}

void Comparison::require_dimensions(const config::Value& mechanisms, const std::vector<Task>& tasks) const {
    for (const Task& task : tasks) require_dimension(mechanisms, choices_, task.points.cols());
}

bool Comparison::measured(const std::vector<std::size_t>& at) const {
    if (reference(at)) return at[2] == 0 && at[3] == 0;
    return drawable(*choices_[at[1]].info, *schemes_[at[2]]);
}

std::optional<std::string> Comparison::reference(const std::vector<std::size_t>& at) const {
    if (at[1] < choices_.size()) return {};
    return references_[at[1] - choices_.size()];
}

Drawing Comparison::drawing(const std::vector<std::size_t>& at, Index dimension) const {
    return {choices_[at[1]], schemes_[at[2]], static_cast<Index>(counts_[at[3]]), dimension};
}

}  // namespace rfbench::experiments
