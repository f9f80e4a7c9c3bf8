#pragma once
// A method of a result file by what it is: reports look nothing up by a label, which is whatever a user writes. The
// file has the configuration, and the configuration the list `methods`.
#include <optional>
#include <string>
#include <vector>

#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

struct MethodIdentity {
    std::string label;     ///< on the axis `method`
    std::string name;      ///< in the list of all methods
    std::string sampling;  ///< its own; empty: the study's
    bool plain;            ///< its entry has no parameter and no number of columns
};

/// The label of an entry that gives none: a method may stand in a list by several samplings without labels.
std::string default_label(const std::string& name, const std::string& sampling);

/// All methods of the result, in the order of its list. Those of data without a configuration, which no run collects,
/// have names for labels.
std::vector<MethodIdentity> method_identities(const store::Dataset&);

/// The method of that label. Throws std::invalid_argument where there is none.
MethodIdentity method_identity(const store::Dataset&, const std::string& label);

/// The label of the first method of that name, with whatever parameters.
std::optional<std::string> label_of(const store::Dataset&, const std::string& name);

/// The label of the method of that name as papers speak of it: no parameter is given and draws are independent.
std::optional<std::string> label_of_plain(const store::Dataset&, const std::string& name);

}  // namespace rfbench::experiments
