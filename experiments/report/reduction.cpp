#include "report/reduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace rfbench::experiments {
std::vector<std::string> attribute_lines(const store::Dataset& data, const char* name) {
    std::vector<std::string> all;
    const auto found = data.attributes.find(name);
    if (found == data.attributes.end()) return all;
    std::istringstream stream(found->second);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
}

namespace {

std::string attribute(const store::Dataset& data, const char* name, const std::string& otherwise) {
    const auto found = data.attributes.find(name);
    return found == data.attributes.end() ? otherwise : found->second;
}

}  // namespace

std::string profile_of(const store::Dataset& data) { return attribute(data, "profile", "full"); }

bool is_of(const store::Dataset& data, const std::vector<std::string>& configurations) {
    const std::string file = attribute(data, "configuration_file", "");
    return file.empty() || std::find(configurations.begin(), configurations.end(), file) != configurations.end();
}

std::string reduction(const store::Dataset& data) {
    std::vector<std::string> reasons;
    if (const std::string profile = profile_of(data); profile != "full") reasons.push_back("profile " + profile);
    if (const std::string overrides = attribute(data, "overrides", "none"); overrides != "none")
        reasons.push_back("--set " + overrides);
    if (const std::string stale = attribute(data, "stale_cells", ""); !stale.empty())
        reasons.push_back(fmt::format("{} stale cell{}: {}", stale, stale == "1" ? "" : "s",
                                      fmt::join(attribute_lines(data, "stale_since"), ", ")));
    return fmt::format("{}", fmt::join(reasons, ", "));
}

}  // namespace rfbench::experiments
