#include "given_name.hpp"

#include "rfbench/config/document.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::experiments {
namespace {

/// The first text of this name below a node, its place and path.
std::optional<std::string> found_below(const config::Node& node, const std::string& path, const std::string& name) {
    if (node.shape == config::Shape::scalar && node.text == name) return config::where(node.place, path);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const std::string below =
            node.shape == config::Shape::map ? config::joined(path, node.keys[i].name) : config::joined(path, i);
        if (auto found = found_below(node.items[i], below, name)) return found;
    }
    return {};
}

}  // namespace

std::optional<std::string> place_of_given_name(const store::Dataset& collected, const std::string& name) {
    const auto attribute = [&](const char* key) {
        const auto found = collected.attributes.find(key);
        return found == collected.attributes.end() ? std::string() : found->second;
    };
    const std::string file = attribute("configuration_file"), resolved = attribute("config");
    try {
        if (!file.empty())
            if (auto place = found_below(config::read_document(config::read_source(file), file), "", name))
                return place;
    } catch (const InputError&) {
        // The file may be gone, or another by now: the result has what it said.
    } catch (const FileError&) {
    }
    if (resolved.empty()) return {};
    const auto source = std::make_shared<const config::Source>(
        config::Source{(file.empty() ? "" : file + ", ") + "the configuration in the result", false, ""});
    return found_below(config::parse_document(resolved, source), "", name);
}

}  // namespace rfbench::experiments
