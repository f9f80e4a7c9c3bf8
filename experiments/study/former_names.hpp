#pragma once
// Former names of studies and of configuration keys: they are refused with the present name, and result files that
// have them are read.
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/schema.hpp"

namespace rfbench::experiments {

/// Current name of a study, and of its configuration, given a former name: "cost/attention" for "attention/cost". Any
/// other name is returned unchanged.
std::string present_name(std::string_view name);

/// Refused keys, each with its present name: the former names of those among `keys` that had one.
std::vector<config::KeyRule> former_keys(const std::vector<config::KeyRule>& keys);

/// The text of a configuration that a result file keeps, canonical YAML, its top-level keys by their present names.
std::string with_present_keys(std::string_view text);

}  // namespace rfbench::experiments
