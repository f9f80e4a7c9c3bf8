#pragma once
// Trained parameters in a result file, read again: numbers over named axes, and of a map its shape.
#include <map>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// The attribute of a result file with the shapes of its trained maps, by label of `method`, as JSON.
std::string shapes_text(const std::map<std::string, features::Settings>& shapes);

/// The key `from`: a result file, and where in it.
config::KeyRule from_key(const char* example);

/// The mechanism's parameters in that file. Throws config::Error at the place of a file that cannot be read or is
/// damaged, or has no such parameters there, or not all of them finite.
features::Settings settings_from(const features::MechanismInfo&, const config::Value& from);

using Head = std::pair<Index, Index>;  ///< layer and head of a network, from 0
/// The same of every head, where `from` fixes neither layer nor head and the file has both axes; empty otherwise. The
/// file's layers and heads are those of the network in their order. Throws as settings_from() does.
std::map<Head, features::Settings> settings_by_head(const features::MechanismInfo&, const config::Value& from);

/// Hash of the files that the configuration names under `from`, at whatever depth, for the data hash of its results;
/// empty when there are none.
std::string files_hash(const config::Value& configuration);

}  // namespace rfbench::experiments
