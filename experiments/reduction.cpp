#include "reduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace rfbench::experiments {
namespace {

/// An attribute without what a study as it stands in its file has; where cells of several runs were put together, they
/// have one resolved configuration, so one of them as it stands is enough.
std::string departure(const store::Dataset& data, const char* name, const std::string& as_it_stands) {
    const std::vector<std::string> all = attribute_lines(data, name);
    const bool departs = std::find(all.begin(), all.end(), as_it_stands) == all.end();
    return departs ? fmt::format("{}", fmt::join(all, ", ")) : "";
}

}  // namespace

std::vector<std::string> attribute_lines(const store::Dataset& data, const char* name) {
    std::vector<std::string> all;
    const auto found = data.attributes.find(name);
    if (found == data.attributes.end()) return all;
    std::istringstream stream(found->second);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
}

std::string profile_of(const store::Dataset& data) {
    const std::string profile = departure(data, "profile", "full");
    return profile.empty() ? "full" : profile;
}

std::string reduction(const store::Dataset& data) {
    const std::string profile = departure(data, "profile", "full"), overrides = departure(data, "overrides", "none");
    std::string reason = profile.empty() ? "" : "profile " + profile;
    if (!overrides.empty()) reason += fmt::format("{}--set {}", reason.empty() ? "" : ", ", overrides);
    return reason;
}

}  // namespace rfbench::experiments
