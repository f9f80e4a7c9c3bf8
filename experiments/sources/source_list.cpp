#include "sources/source_list.hpp"

namespace rfbench::experiments {

std::vector<config::KeyRule> source_keys() {
    using namespace config;
    return {
        optional("label", text(), "its name in results, else what it uses; what is drawn is keyed by it"),
        defaulted("optional", boolean(), "false", "left out with a note where its data are not on this machine"),
    };
}

std::string settings_but(const config::Value& entry, const std::vector<std::string>& without) {
    std::string settings;
    // Values in their canonical form: how they are written in the file does not count.
    for (const std::string& key : entry.keys())
        if (std::find(without.begin(), without.end(), key) == without.end())
            settings += key + ": " + config::canonical_flow(entry.at(key)) + ", ";
    return settings;
}

std::string source_label(const config::Value& entry) { return entry.at(entry.has("label") ? "label" : "use").text(); }

}  // namespace rfbench::experiments
