#pragma once
// Names under which people know methods: FAVOR+, RFF, ORF, Performer, ...
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/aliases.hpp"

namespace rfbench::experiments {

struct KnownName {
    config::Alias alias;    ///< the name, and the entry of a list of methods that it stands for
    std::string method;     ///< of that entry
    std::string reference;  ///< author year
};

/// All of them. They are accepted wherever a method is named in a configuration.
const std::vector<KnownName>& known_names();

/// The one of that name, in letters of either case; null where there is none.
const KnownName* known_name(std::string_view name);

}  // namespace rfbench::experiments
