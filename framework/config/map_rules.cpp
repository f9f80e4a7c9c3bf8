#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rfbench/config/rule.hpp"
#include "rfbench/config/value_content.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {
namespace {

[[noreturn]] void refuse_key(const Key& key, const std::string& path, const std::vector<std::string>& names) {
    throw Error(key.place, joined(path, key.name),
                fmt::format("there is no such key.{} Allowed: {}.", did_you_mean(key.name, names),
                            names.empty() ? "none" : listed(names)));
}

class ObjectRule : public Rule {
public:
    explicit ObjectRule(std::vector<KeyRule> keys) : keys_(std::move(keys)) {
        for (const KeyRule& key : keys_) {
            if (rule_of(key.name) != &key)
                throw std::logic_error("object: the key '" + key.name + "' is declared twice.");
            if (key.need != KeyRule::Need::refused) names_.push_back(key.name);
            defaults_.push_back(default_of(key));
        }
    }

    std::string takes() const override {
        return keys_.empty() ? "an empty map" : "a map with the keys " + listed(names_);
    }
    bool fits(Shape shape) const override { return shape == Shape::map; }

    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::map) refuse_node(node, path, *this);
        Mistakes mistakes;
        std::vector<std::string> meant;
        for (const Key& key : node.keys) {
            const KeyRule* rule = rule_of(key.name);
            if (rule != nullptr && rule->need != KeyRule::Need::refused) continue;
            mistakes.in([&] {
                if (rule == nullptr) refuse_key(key, path, names_);
                throw Error(key.place, joined(path, key.name), rule->description + ".");
            });
            if (rule == nullptr) meant.push_back(nearest(key.name, names_));
        }
        // In the schema's order, whatever that of the file is: the canonical text does not depend on it.
        Fields fields;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            // A misspelt key is one mistake, and not a missing one as well.
            const bool misspelt = std::find(meant.begin(), meant.end(), keys_[i].name) != meant.end();
            if (misspelt && find(node, keys_[i].name) == nullptr) continue;
            mistakes.in([&] { fields.fields.push_back({keys_[i].name, field(node, path, i)}); });
        }
        mistakes.tell();
        return make_value(std::move(fields), node.place, path);
    }

    void help(const std::string& path, std::vector<KeyHelp>& lines) const override {
        for (const KeyRule& key : keys_) {
            if (key.need == KeyRule::Need::refused) continue;
            const std::string here = joined_help(path, key.name);
            const bool defaulted = key.need == KeyRule::Need::defaulted;
            lines.push_back({here, key.schema.rule().takes(),
                             defaulted                             ? "default " + key.default_yaml
                             : key.need == KeyRule::Need::required ? "required"
                                                                   : "optional",
                             key.description});
            key.schema.rule().help(here, lines);
        }
    }

    static std::string joined_help(const std::string& path, const std::string& name) {
        return path.empty() ? name : path + "." + name;
    }

private:
    /// The first rule of that name; null where there is none.
    const KeyRule* rule_of(const std::string& name) const {
        const auto found =
            std::find_if(keys_.begin(), keys_.end(), [&](const KeyRule& key) { return key.name == name; });
        return found == keys_.end() ? nullptr : &*found;
    }

    // A default is read and checked with the schema: a wrong one is the program's mistake, and no file's.
    static Node default_of(const KeyRule& key) {
        if (key.need != KeyRule::Need::defaulted) return {};
        const auto source = std::make_shared<const Source>(Source{"default of '" + key.name + "'", false, ""});
        try {
            Node node = parse_document(key.default_yaml, source);
            key.schema.rule().check(node, key.name);
            return node;
        } catch (const Error& error) {
            throw std::logic_error(error.what());
        }
    }

    std::optional<Value> field(const Node& map, const std::string& path, std::size_t i) const {
        const KeyRule& key = keys_[i];
        const std::string here = joined(path, key.name);
        if (const Node* node = find(map, key.name)) return key.schema.rule().check(*node, here);
        if (key.need == KeyRule::Need::defaulted) {
            Node node = defaults_[i];
            place_all(node, map.place);
            return key.schema.rule().check(node, here);
        }
        if (key.need != KeyRule::Need::required) return std::nullopt;
        throw Error(
            map.place, here,
            fmt::format("this key is missing ({}); it must be {}.", key.description, key.schema.rule().takes()));
    }

    // All parts of a default have the place of the map.
    static void place_all(Node& node, const Place& place) {
        node.place = place;
        for (Key& key : node.keys) key.place = place;
        for (Node& item : node.items) place_all(item, place);
    }

    std::vector<KeyRule> keys_;
    std::vector<std::string> names_;
    std::vector<Node> defaults_;
};

class FreeMapRule : public Rule {
public:
    FreeMapRule(Schema element, std::vector<std::string> names)
        : element_(std::move(element)), names_(std::move(names)) {}

    std::string takes() const override {
        return (names_.empty() ? "a map from names, each to " : "a map from " + listed(names_) + ", each to ") +
               element_.rule().takes();
    }
    bool fits(Shape shape) const override { return shape == Shape::map; }

    Value check(const Node& node, const std::string& path) const override {
        if (node.shape != Shape::map) refuse_node(node, path, *this);
        Fields fields;
        // Which names there are is the file's choice: whoever reads the value may ask for any.
        fields.free = true;
        Mistakes mistakes;
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            const Key& key = node.keys[i];
            const bool known = names_.empty() || std::find(names_.begin(), names_.end(), key.name) != names_.end();
            mistakes.in([&] {
                if (!known) refuse_key(key, path, names_);
                if (key.name.empty()) throw Error(key.place, joined(path, key.name), "a name must not be empty.");
                fields.fields.push_back({key.name, element_.rule().check(node.items[i], joined(path, key.name))});
            });
        }
        mistakes.tell();
        return make_value(std::move(fields), node.place, path);
    }

    void help(const std::string& path, std::vector<KeyHelp>& lines) const override {
        const std::string here = ObjectRule::joined_help(path, "*");
        lines.push_back({here, element_.rule().takes(), "optional", names_.empty() ? "any name" : listed(names_)});
        element_.rule().help(here, lines);
    }

private:
    Schema element_;
    std::vector<std::string> names_;
};

}  // namespace

KeyRule required(std::string name, Schema schema, std::string description) {
    return {std::move(name), std::move(schema), KeyRule::Need::required, {}, std::move(description)};
}
KeyRule optional(std::string name, Schema schema, std::string description) {
    return {std::move(name), std::move(schema), KeyRule::Need::optional, {}, std::move(description)};
}
KeyRule defaulted(std::string name, Schema schema, std::string yaml, std::string description) {
    return {std::move(name), std::move(schema), KeyRule::Need::defaulted, std::move(yaml), std::move(description)};
}

KeyRule refused_key(std::string name, std::string reason) {
    return {std::move(name), text(), KeyRule::Need::refused, {}, std::move(reason)};
}

Schema object(std::vector<KeyRule> keys) { return Schema(std::make_shared<ObjectRule>(std::move(keys))); }
Schema map_of(Schema element, std::vector<std::string> names) {
    return Schema(std::make_shared<FreeMapRule>(std::move(element), std::move(names)));
}

std::vector<KeyHelp> keys_of(const Schema& schema) {
    std::vector<KeyHelp> lines;
    schema.rule().help("", lines);
    return lines;
}

}  // namespace rfbench::config
