#pragma once
#include <optional>
#include <string>

#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// Place at which the configuration of a result gives this name to something, as a label, a method or a source:
/// "mine.yaml:7:12: methods.1.label", with line and column while the file is there and still says so. Nothing where it
/// gives it nowhere.
std::optional<std::string> place_of_given_name(const store::Dataset& collected, const std::string& name);

}  // namespace rfbench::experiments
