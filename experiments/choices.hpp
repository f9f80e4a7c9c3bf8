#pragma once
// The parts of a configuration that name mechanisms and samplings, shared by all studies.
#include <optional>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// One entry of a list of mechanisms: a name, or {name, label, count, set: {PARAMETER: VALUE}, from: {file: RESULT,
/// AXIS: LABEL}}.
struct MechanismChoice {
    std::string label;  ///< unique in the list; the name unless given
    const features::MechanismInfo* info;
    features::Settings settings;
    std::optional<Index> count;  ///< draws, where the study lets it be chosen
};

/// Of the catalogue, in its order: the order of colours in figures.
std::vector<std::string> mechanism_names();

config::Schema mechanisms_schema();
/// Throws config::Error, at the entry's place, for an unknown parameter, a value it does not take, or a repeated label.
std::vector<MechanismChoice> mechanisms(const config::Value&);
/// Of the result files that the configuration's mechanisms are read from, for the data hash of its results; empty when
/// there are none.
std::string mechanism_files_hash(const config::Value& configuration);
store::Axis mechanism_axis(const std::vector<MechanismChoice>&);

/// What a map {PARAMETER: VALUE} says. Throws config::Error at the place of a parameter or value that there is not.
features::Settings mechanism_settings(const features::MechanismInfo&, const config::Value& set);

config::Schema samplings_schema();
std::vector<const sampling::Scheme*> samplings(const config::Value&);
store::Axis sampling_axis(const std::vector<const sampling::Scheme*>&);

/// A discrete law needs a scheme that gives uniforms; every other law is drawn by every scheme.
bool drawable(const features::MechanismInfo&, const sampling::Scheme&);

/// Draws of this mechanism that cost at most `real_columns` (at least one): equal cost for all.
Index count_for_cost(const features::Mechanism&, Index real_columns);

}  // namespace rfbench::experiments
