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

/// Of the catalogue, in its order.
std::vector<std::string> mechanism_names();

config::Schema mechanisms_schema();

/// What a study needs of its mechanisms: features alone, an estimate of the kernel, or the moments of one feature too.
enum class Need { features, kernel, moments };
/// Throws config::Error at the entry where the mechanism does not have it.
void require(Need, const config::Value& entry, const features::MechanismInfo&);

/// Throws config::Error, at the entry's place, for an unknown parameter, a value it does not take, a repeated label, or
/// a mechanism without what is needed.
std::vector<MechanismChoice> mechanisms(const config::Value&, Need = Need::features);
/// The same in a study whose key `sweep` says how many draws there are; throws too for an entry that has a count.
std::vector<MechanismChoice> mechanisms(const config::Value&, Need, const std::string& sweep);
/// Of the result files that the configuration names under `from`, at whatever depth, for the data hash of its results;
/// empty when there are none.
std::string mechanism_files_hash(const config::Value& configuration);
store::Axis mechanism_axis(const std::vector<MechanismChoice>&);

/// The keys `set` and `from` of an entry that names a mechanism.
std::vector<config::KeyRule> parameter_keys();
/// What they say. Throws config::Error at the place of a parameter or value that there is not, and of a `from` whose
/// file cannot be read or is damaged, or has no such parameters there, or not all of them finite.
features::Settings mechanism_settings(const features::MechanismInfo&, const config::Value& entry);

/// The mechanism where training has left its parameters, which nothing is fitted for; null for others.
std::unique_ptr<features::Mechanism> trained_mechanism(const features::MechanismInfo&, const features::Settings&);

/// Throws config::Error at the entry where the mechanism's parameters were trained for rows of another dimension.
void require_dimension(const config::Value& entry, const features::MechanismInfo&, const features::Settings&,
                       Index dimension);
/// The same for all of a list, which mechanisms() gave the choices for.
void require_dimension(const config::Value& list, const std::vector<MechanismChoice>&, Index dimension);

config::Schema samplings_schema();
std::vector<const sampling::Scheme*> samplings(const config::Value&);
store::Axis sampling_axis(const std::vector<const sampling::Scheme*>&);

/// A discrete law needs a scheme that gives uniforms; every other law is drawn by every scheme.
bool drawable(const features::MechanismInfo&, const sampling::Scheme&);

/// Draws of this mechanism that cost at most `real_columns` (at least one): equal cost for all.
Index count_for_cost(const features::Mechanism&, Index real_columns);

}  // namespace rfbench::experiments
