// A value that is one of several named things, each with keys of its own.
#include <fmt/format.h>

#include <algorithm>

#include "rfbench/config/aliases.hpp"
#include "rfbench/config/rule.hpp"
#include "rfbench/config/value_content.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {
namespace {

std::string with_article(const std::string& noun) {
    return (std::string_view("aeiou").find(noun.front()) == std::string_view::npos ? "a " : "an ") + noun;
}

constexpr std::size_t max_shown = 24;

class NamedRule : public Rule {
public:
    NamedRule(std::string what, std::string key, std::vector<Named> all, std::vector<KeyRule> common,
              const std::vector<Alias>& aliases, ForeignNames foreign)
        : what_(std::move(what)),
          key_(std::move(key)),
          common_(std::move(common)),
          few_(all.size() <= max_shown),
          foreign_(std::move(foreign)) {
        for (Named& one : all) {
            // Each thing is an object of its own: its name, the keys common to all, and its own.
            add_help(one);
            std::vector<KeyRule> keys{required(key_, text(), "which " + what_)};
            keys.insert(keys.end(), common_.begin(), common_.end());
            for (KeyRule& own : one.keys) keys.push_back(std::move(own));
            std::vector<std::string> takes, refused;
            for (const KeyRule& known : keys)
                (known.need == KeyRule::Need::refused ? refused : takes).push_back(known.name);
            names_.push_back(one.name);
            takes_.push_back(std::move(takes));
            refused_.push_back(std::move(refused));
            schemas_.push_back(object(std::move(keys)));
        }
        known_names_ = names_;
        for (const Alias& alias : aliases) {
            const auto source = std::make_shared<const Source>(Source{"alias '" + alias.name + "'", false, ""});
            aliases_.emplace_back(alias.name, parse_document(alias.yaml, source));
            known_names_.push_back(alias.name);
        }
    }

    std::string takes() const override {
        return fmt::format("the name of {}, or a map {{{}: NAME, ...}} with what it takes", with_article(what_), key_);
    }
    bool fits(Shape shape) const override { return shape == Shape::scalar || shape == Shape::map; }

    Value check(const Node& node, const std::string& path) const override {
        if (!fits(node.shape)) refuse_node(node, path, *this);
        const Node map = as_map(node);
        const Node* name = find(map, key_);
        if (!name)
            throw Error(node.place, joined(path, key_),
                        fmt::format("this key is missing: which {} it is.{}", what_, advice_on(node.replaced)));
        if (const Node* known = alias(*name)) return check(without_alias(map, *known), path);
        const std::size_t which = named(*name, node.shape == Shape::map ? joined(path, key_) : path);
        // Before the object's own rule, which would not say that the key belongs to another thing.
        refuse_foreign_keys(map, path, which);
        return schemas_[which].rule().check(map, path);
    }

    void help(const std::string& path, std::vector<KeyHelp>& lines) const override {
        const std::string before = path.empty() ? "" : path + ".";
        const std::string name =
            few_ ? "one of " + listed(names_)
                 : fmt::format("the name of {}; 'rfbench describe NAME' says what else it takes", with_article(what_));
        lines.push_back({before + key_, name, "required", "which " + what_});
        for (KeyHelp& help : keys_of(object(common_))) {
            help.path = before + help.path;
            lines.push_back(std::move(help));
        }
        if (!few_) return;
        // A key that several things have alike is one line, with all their names.
        for (const auto& [help, names] : own_help_) {
            lines.push_back(help);
            lines.back().path = before + help.path;
            lines.back().description = fmt::format("of {}: {}", listed(names), help.description);
        }
    }

private:
    /// A sentence where a profile's map took the place of a name alone.
    std::string advice_on(const std::optional<Key>& replaced) const {
        if (!replaced) return {};
        return fmt::format(
            " The map replaces {} of line {}, which is a name alone: write {{{}: {}}} there, or a name here.",
            in_quotes(replaced->name), replaced->place.line, key_, replaced->name);
    }

    /// Adds help for the keys of `one`; keys with identical help are listed once, with all names.
    void add_help(const Named& one) {
        if (one.keys.empty()) return;
        for (KeyHelp& help : keys_of(object(one.keys))) {
            // Alike in all that is said of it, or it is another key.
            const auto same = std::find_if(own_help_.begin(), own_help_.end(), [&](const auto& known) {
                return known.first.path == help.path && known.first.takes == help.takes &&
                       known.first.need == help.need && known.first.description == help.description;
            });
            if (same == own_help_.end())
                own_help_.emplace_back(help, std::vector<std::string>{one.name});
            else
                same->second.push_back(one.name);
        }
    }

    /// A name alone is the map that has nothing but the name.
    Node as_map(const Node& node) const {
        if (node.shape == Shape::map) return node;
        Node map;
        map.shape = Shape::map;
        map.place = node.place;
        map.keys = {{key_, node.place}};
        map.items = {node};
        return map;
    }

    const Node* alias(const Node& name) const {
        for (const auto& [known, map] : aliases_)
            if (name.shape == Shape::scalar && name.text == known) return &map;
        return nullptr;
    }

    /// Whether a key beside the alias has another value than the alias gives it: what it names is another thing then.
    bool changes(const Node& given, const Node& known) const {
        for (std::size_t i = 0; i < known.keys.size(); ++i) {
            const Node* own = find(given, known.keys[i].name);
            if (known.keys[i].name != key_ && own != nullptr && own->text != known.items[i].text) return true;
        }
        return false;
    }

    /// The map that the alias stands for, in the place of the name, under the keys that are given beside it. Where
    /// these change it, the label of the alias does not hold.
    Node without_alias(const Node& given, const Node& known) const {
        Node map = given;
        const bool changed = changes(given, known);
        for (std::size_t i = 0; i < known.keys.size(); ++i) {
            Node* own = find(map, known.keys[i].name);
            if (own != nullptr && known.keys[i].name != key_) continue;
            if (changed && known.keys[i].name == "label") continue;
            Node value = known.items[i];
            value.place = find(given, key_)->place;
            if (own != nullptr) {
                *own = std::move(value);
            } else {
                map.keys.push_back({known.keys[i].name, value.place});
                map.items.push_back(std::move(value));
            }
        }
        return map;
    }

    std::size_t named(const Node& name, const std::string& path) const {
        const auto found = std::find(names_.begin(), names_.end(), name.text);
        if (name.shape == Shape::scalar && found != names_.end())
            return static_cast<std::size_t>(found - names_.begin());
        const auto foreign = foreign_.find(name.text);
        throw Error(name.place, path,
                    fmt::format("must be the name of {}, not {}.{} {}", with_article(what_), given(name),
                                foreign == foreign_.end() ? did_you_mean(name.text, known_names_) : foreign->second,
                                few_ ? fmt::format("There are: {}.", listed(names_))
                                     : fmt::format("'rfbench list {}s' shows them all.", what_)));
    }

    void refuse_foreign_keys(const Node& map, const std::string& path, std::size_t which) const {
        const std::vector<std::string>&takes = takes_[which], &refused = refused_[which];
        const auto has = [](const std::vector<std::string>& all, const std::string& name) {
            return std::find(all.begin(), all.end(), name) != all.end();
        };
        Mistakes mistakes;
        for (const Key& key : map.keys)
            // The object's own rule says why a key is refused.
            if (!has(takes, key.name) && !has(refused, key.name))
                mistakes.in([&] {
                    throw Error(key.place, joined(path, key.name),
                                fmt::format("'{}' takes no such key.{} It takes: {}.", names_[which],
                                            did_you_mean(key.name, takes), listed(takes)));
                });
        mistakes.tell();
    }

    std::string what_, key_;
    std::vector<KeyRule> common_;
    bool few_;
    ForeignNames foreign_;
    std::vector<std::pair<KeyHelp, std::vector<std::string>>> own_help_;
    std::vector<std::string> names_, known_names_;  ///< of things; these and their aliases
    std::vector<std::pair<std::string, Node>> aliases_;
    std::vector<std::vector<std::string>> takes_, refused_;
    std::vector<Schema> schemas_;
};

}  // namespace

Schema named(std::string what, std::string key, std::vector<Named> all, std::vector<KeyRule> common) {
    return named(std::move(what), std::move(key), std::move(all), std::move(common), {});
}
Schema named(std::string what, std::string key, std::vector<Named> all, std::vector<KeyRule> common,
             const std::vector<Alias>& aliases, ForeignNames foreign) {
    return Schema(std::make_shared<NamedRule>(std::move(what), std::move(key), std::move(all), std::move(common),
                                              aliases, std::move(foreign)));
}

}  // namespace rfbench::config
