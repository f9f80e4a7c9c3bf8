#include "rfbench/config/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "rfbench/config/one_line.hpp"

namespace rfbench::config {
namespace {

/// A range is one value: {linspace: ...} laid over {logspace: ...} must not become a map of both.
bool is_range(const Node& node) {
    if (node.shape != Shape::map || node.keys.size() != 1) return false;
    const std::string& word = node.keys.front().name;
    return word == "linspace" || word == "logspace" || word == "powers";
}

void give_source(Node& node, const std::shared_ptr<const Source>& source) {
    node.place.source = source;
    for (Key& key : node.keys) key.place.source = source;
    for (Node& item : node.items) give_source(item, source);
}

Node empty_map(const Place& place) {
    Node node;
    node.shape = Shape::map;
    node.place = place;
    return node;
}

Node& add(Node& map, const std::string& name, Node&& item, const Place& place) {
    map.keys.push_back({name, place});
    map.items.push_back(std::move(item));
    return map.items.back();
}

std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> parts(1);
    for (const char c : path) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// The element of a list that a path names.
Node& element(Node& list, const std::string& part, const std::string& path, const Place& place) {
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool whole = failure == std::errc{} && end == part.data() + part.size();
    if (!whole || index >= list.items.size()) {
        throw Error(place, joined(path, part),
                    list.items.empty() ? std::string("the list is empty.")
                                       : fmt::format("the list has the elements 0 to {}.", list.items.size() - 1));
    }
    return list.items[index];
}

}  // namespace

void overlay(Node& base, const Node& patch) {
    const bool by_key = base.shape == Shape::map && patch.shape == Shape::map && !is_range(base) && !is_range(patch);
    if (!by_key) {
        std::optional<Key> replaced;
        if (base.shape == Shape::scalar && patch.shape == Shape::map) replaced = Key{base.text, base.place};
        base = patch;
        base.replaced = replaced;
        return;
    }
    for (std::size_t i = 0; i < patch.keys.size(); ++i) {
        const Key& key = patch.keys[i];
        if (Node* item = find(base, key.name)) {
            overlay(*item, patch.items[i]);
        } else {
            add(base, key.name, Node(patch.items[i]), key.place);
        }
    }
}

std::vector<Profile> take_profiles(Node& document) {
    const auto key =
        std::find_if(document.keys.begin(), document.keys.end(), [](const Key& k) { return k.name == "profiles"; });
    if (key == document.keys.end()) return {};
    const auto index = key - document.keys.begin();
    Node bodies = std::move(document.items[static_cast<std::size_t>(index)]);
    // Taken out of the document: its schema does not know them.
    document.keys.erase(key);
    document.items.erase(document.items.begin() + index);
    if (bodies.shape != Shape::map) {
        throw Error(bodies.place, "profiles",
                    fmt::format("must be a map from profile names to maps, not {}.", given(bodies)));
    }

    if (bodies.keys.size() > max_profiles)
        throw Error(bodies.place, "profiles",
                    fmt::format("has {} profiles; a configuration has at most {}.", bodies.keys.size(), max_profiles));

    std::vector<Profile> profiles;
    for (std::size_t i = 0; i < bodies.keys.size(); ++i) {
        Node& body = bodies.items[i];
        const std::string path = joined("profiles", bodies.keys[i].name);
        if (body.shape != Shape::map) {
            throw Error(body.place, path,
                        fmt::format("must be a map of what the profile changes, not {}.", given(body)));
        }
        if (bodies.keys[i].name == "full") {
            throw Error(bodies.keys[i].place, path, "'full' is the document as written; choose another name.");
        }
        // Nodes of the body keep their lines; messages put "profiles.<name>." before their keys.
        Source source = *body.place.source;
        source.prefix = path + ".";
        give_source(body, std::make_shared<const Source>(std::move(source)));
        profiles.push_back({bodies.keys[i], std::move(body)});
    }
    return profiles;
}

void set_override(Node& document, const std::string& argument) {
    const auto source = std::make_shared<const Source>(Source{"--set " + on_one_line(argument), false, ""});
    const Place place{source};
    const std::size_t equals = argument.find('=');
    const bool colon = argument.find(':') < equals;
    if (equals == std::string::npos || colon)
        throw Error(place, "",
                    std::string("must be path=value, like rows=128 or methods.0=positive") +
                        (colon ? "; '=' stands where a file has the first colon." : "."));
    const std::vector<std::string> parts = split(argument.substr(0, equals));
    if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); })) {
        throw Error(place, "", "the path before '=' must be names or element numbers with a dot between.");
    }
    if (parts.front() == "profiles") throw Error(place, "", "profiles are selected with --profile, not set.");
    if (parts.size() > max_nesting) throw Error(place, "", "the path is nested too deep.");
    const std::string value_text = argument.substr(equals + 1);
    if (value_text.find_first_not_of(" \n") == std::string::npos) {
        throw Error(place, "", "a value is missing after '='.");
    }
    // The value is YAML of its own, so that lists, ranges and texts in quotes can be set.
    Node value = parse_document(value_text, source);

    // Walk down to the map or list that holds the last part.
    Node* node = &document;
    std::string path;
    for (const std::string& part : parts) {
        const bool is_number = part.find_first_not_of("0123456789") == std::string::npos;
        if (node->shape == Shape::map && is_number && !path.empty() && node->keys.empty())
            throw Error(
                place, joined(path, part),
                fmt::format("{} is not written in the configuration, so that it has no element {}; give it whole, "
                            "as in {}=[...].",
                            path, part, path));
        if (node->shape == Shape::list) {
            node = &element(*node, part, path, place);
        } else if (node->shape == Shape::map) {
            Node* item = find(*node, part);
            // A map that is missing is made; whether it may be there the schema says later.
            node = item != nullptr ? item : &add(*node, part, empty_map(place), place);
        } else {
            throw Error(place, joined(path, part), fmt::format("{} is {}, which has no keys.", path, given(*node)));
        }
        path = joined(path, part);
    }
    *node = std::move(value);
}

}  // namespace rfbench::config
