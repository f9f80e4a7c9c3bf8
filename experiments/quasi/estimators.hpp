#pragma once
// What the quasi studies compare: a mechanism together with a sampling, under one label.
#include "choices.hpp"

namespace rfbench::experiments {

struct Estimator {
    std::string label;  ///< unique; "MECHANISM, SAMPLING" unless given
    const features::MechanismInfo* info;
    const sampling::Scheme* sampling;
    features::Settings settings;
};

config::Schema estimators_schema();
/// Throws config::Error, at the entry's place, for an unknown parameter, a value it does not take, a repeated label,
/// a discrete law with a sampling of directions, or a mechanism without what is needed.
std::vector<Estimator> estimators(const config::Value&, Need = Need::features);
/// Throws config::Error at the entry of a mechanism that was trained for another dimension than one of these.
void require_dimensions(const config::Value& list, const std::vector<Estimator>&,
                        const std::vector<double>& dimensions);
store::Axis estimator_axis(const std::vector<Estimator>&);

}  // namespace rfbench::experiments
