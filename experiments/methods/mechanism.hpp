#pragma once
// All mechanisms of the catalogue as methods.
#include "rfbench/features/catalogue.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {

/// Its parameters as keys of an entry. What a training leaves behind is none of them: `from` names its file.
std::vector<config::KeyRule> parameter_keys(const features::MechanismInfo&);

/// The parameters that an entry gives. Throws config::Error at the place of a value that the mechanism does not take.
features::Settings settings_of(const features::MechanismInfo&, const config::Value& entry);

std::shared_ptr<const Method> mechanism_method(const features::MechanismInfo&, features::Settings);

/// Draws that cost at most `columns` real ones, at least one: equal cost for all.
Index draws_within(const features::Mechanism&, Index columns);

}  // namespace rfbench::experiments
