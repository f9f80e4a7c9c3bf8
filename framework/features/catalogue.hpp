#pragma once
// The mechanisms there are. One line each in catalogue.cpp; everything else about a mechanism is in its own file.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "rfbench/features/mechanism_info.hpp"

namespace rfbench::features {

/// Every mechanism there is.
const std::vector<MechanismInfo>& catalogue();
/// Adds one to the catalogue. Call it before the catalogue is read: references to entries do not outlive it. Throws
/// InputError for a name that is taken.
void add_mechanism(MechanismInfo);

/// Whether a paper has named a mechanism: not one that is ours, or a plugin's.
bool is_named_by_a_paper(const MechanismInfo&);

/// Throws InputError when there is no mechanism of that name: with its name here if it is a paper's, else the nearest.
const MechanismInfo& find(std::string_view name);

/// fit() after checking that every setting is a parameter of this mechanism and of its type.
std::unique_ptr<Mechanism> fit(const MechanismInfo&, const Statistics&, const Settings& = {});

/// The same of a mechanism that has moments. Throws std::invalid_argument for one that has none.
std::unique_ptr<MechanismWithMoments> fit_with_moments(const MechanismInfo&, const Statistics&, const Settings& = {});

/// Parses "A=-0.06+0.12i", "lambda=0.5", "shared=false", "t=-1" for this mechanism.
/// Throws InputError with a sentence that says what the parameter takes.
std::pair<std::string, ParameterValue> parse_setting(const MechanismInfo&, std::string_view text);

}  // namespace rfbench::features
