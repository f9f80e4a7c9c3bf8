#pragma once
// Names of random features in papers that say how these are drawn: FAVOR+, RFF, ORF, Performer, ...
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::features {

/// A mechanism under a sampling, as a paper calls them together.
struct EstablishedName {
    std::string name;       ///< "FAVOR+"
    std::string mechanism;  ///< a name of catalogue(): "positive"
    std::string sampling;   ///< a name of sampling::catalogue(): "orthogonal"
    std::string reference;  ///< author year
};

/// All of them, in the order of the papers' years within a kind.
const std::vector<EstablishedName>& established_names();

/// The one of that name, in letters of either case; null where there is none.
const EstablishedName* established_name(std::string_view name);

}  // namespace rfbench::features
