#include "describe_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "rfbench/config/document.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench/errors.hpp"
#include "study/configuration.hpp"

namespace rfbench::cli {
namespace {

using Keys = std::vector<config::KeyHelp>;

/// Whether `path` is below `key`: a key of it, or of its elements.
bool is_below(const std::string& path, const std::string& key) {
    return path.starts_with(key + ".") || path.starts_with(key + "[].");
}

/// Paths of keys whose values are sources, or methods: things with names that have keys of their own.
std::set<std::string> paths_of_named(const Keys& keys) {
    std::set<std::string> paths;
    for (const config::KeyHelp& key : keys)
        for (const std::string ending : {"[].use", ".use"})
            if (key.path.ends_with(ending)) {
                paths.insert(key.path.substr(0, key.path.size() - ending.size()));
                break;
            }
    return paths;
}

std::string last_part(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string key_text(const config::KeyHelp& key, const std::string& takes) {
    return fmt::format("    {} ({}): {}\n        takes {}\n", key.path, key.need, key.description, takes);
}

/// Names of the sources of a key, in place of all their keys.
std::string takes_of_named(const Keys& keys, const config::KeyHelp& key) {
    const auto use = std::find_if(keys.begin(), keys.end(), [&](const config::KeyHelp& one) {
        return one.path == key.path + ".use" || one.path == key.path + "[].use";
    });
    if (key.path == "methods") return key.takes;
    return fmt::format("{}; 'rfbench describe {}' has what each takes", use->takes, last_part(key.path));
}

/// The keys below `root` (all of them, for none), without what is below keys that name sources.
std::string keys_text(const Keys& keys, const std::string& root, const std::set<std::string>& left_out) {
    const std::set<std::string> named = paths_of_named(keys);
    std::string text;
    for (const config::KeyHelp& key : keys) {
        if (left_out.contains(key.path) || (!root.empty() && !is_below(key.path, root))) continue;
        const bool hidden = std::any_of(named.begin(), named.end(), [&](const std::string& one) {
            return one != root && is_below(key.path, one) && !is_below(root, one);
        });
        // Keys of `methods` that entries have in this study alone.
        const bool own_of_methods =
            key.path.starts_with("methods[].") && !key.path.ends_with("].use") && !key.path.ends_with("].label");
        if (hidden && !own_of_methods) continue;
        text += key_text(key, key.path != root && named.contains(key.path) ? takes_of_named(keys, key) : key.takes);
    }
    return text;
}

/// A value as one would write it: a source without the keys that have their defaults, by its name where nothing is
/// left.
std::string written(const config::Value& value, const std::string& path, const Keys& keys) {
    if (value.kind() != config::Kind::map) return config::canonical_flow(value);
    const std::vector<std::string> given = value.keys();
    if (std::find(given.begin(), given.end(), "use") == given.end()) return config::canonical_flow(value);
    std::string text = value.at("use").text();
    bool name_alone = true;
    for (const std::string& key : given) {
        const std::string said = config::canonical_flow(value.at(key));
        const bool is_default = std::any_of(keys.begin(), keys.end(), [&](const config::KeyHelp& one) {
            return one.path == path + "." + key && one.need == "default " + said;
        });
        if (key == "use" || is_default) continue;
        text += fmt::format(", {}: {}", key, said);
        name_alone = false;
    }
    return name_alone ? text : "{use: " + text + "}";
}

bool is_control(const config::Value& entry, const std::vector<experiments::Control>& controls) {
    return std::any_of(controls.begin(), controls.end(), [&](const experiments::Control& one) {
        return config::canonical_flow(entry.at("use")) == one.name;
    });
}

/// Two elements of a longer list, since more would show nothing else, beside the controls of `methods`.
std::string shortened(const config::Value& value, const std::string& key, const Keys& keys,
                      const std::vector<experiments::Control>& controls) {
    const auto first = [](const auto& all) {
        return std::vector(all.begin(), all.begin() + std::min<long>(2, all.size()));
    };
    if (value.kind() == config::Kind::numbers) return fmt::format("[{}]", fmt::join(first(value.numbers()), ", "));
    if (value.kind() == config::Kind::integers) return fmt::format("[{}]", fmt::join(first(value.integers()), ", "));
    if (value.kind() != config::Kind::list) return written(value, key, keys);
    std::vector<std::string> elements;
    std::size_t others = 0;
    for (const config::Value& one : value.items())
        if ((key == "methods" && is_control(one, controls)) || ++others <= 2)
            elements.push_back(written(one, key + "[]", keys));
    return fmt::format("[{}]", fmt::join(elements, ", "));
}

bool says_nothing_of_values(const std::string& key) {
    return key == "profiles" || key == "description" || key == "minutes";
}

/// Whether a configuration is accepted; that its data is not on this machine does not matter.
bool is_legal(const experiments::Study& study, const std::string& yaml) {
    try {
        study.prepare(config::parse(yaml, "example", experiments::schema_of(study)));
    } catch (const config::Error&) {
        return false;
    } catch (const FileError&) {
    }
    return true;
}

/// The least that one must say, as the smoke profile of a configuration says it: keys that are required, and others of
/// its file until it is legal. Empty where there is no configuration of the study.
std::string example(const experiments::Study& study, const std::filesystem::path& configs) {
    const Keys keys = config::keys_of(experiments::schema_of(study));
    const auto is_required = [&](const std::string& key) {
        return key == "methods" || std::any_of(keys.begin(), keys.end(), [&](const config::KeyHelp& one) {
                   return one.path == key && one.need == "required";
               });
    };
    for (const auto& file : experiments::configuration_files(configs, {study.experiment})) {
        const auto configuration = experiments::load_configuration(file, {"smoke", {}});
        if (configuration.study != &study) continue;
        const auto line = [&](const std::string& key) {
            return fmt::format("{}: {}\n", key,
                               shortened(configuration.value.at(key), key, keys, study.methods.controls));
        };
        std::string yaml;
        for (const std::string& key : configuration.value.keys())
            if (is_required(key)) yaml += line(key);
        for (const config::Key& key : config::read_document(config::read_source(file.string()), file.string()).keys) {
            if (is_legal(study, yaml)) break;
            if (!says_nothing_of_values(key.name) && !is_required(key.name)) yaml += line(key.name);
        }
        std::string text =
            fmt::format("  example ({} has more):\n", file.lexically_relative(configs.parent_path()).string());
        std::istringstream lines(yaml);
        for (std::string one; std::getline(lines, one);) text += "    " + one + "\n";
        return text;
    }
    return {};
}

/// The methods that a study takes, and those that it does not, by what they lack.
std::string methods_text(const experiments::MethodKey& key) {
    std::string taken;
    std::map<std::string, std::string> refused;
    for (const experiments::MethodInfo& method : experiments::method_catalogue()) {
        std::string reason = experiments::refusal(key, method);
        // Without the name in quotes that each begins with, the reasons of methods that lack the same are the same.
        std::string& names = reason.empty() ? taken : refused[reason.substr(method.name.size() + 3)];
        names += (names.empty() ? "" : ", ") + method.name;
    }
    std::string text = fmt::format("  methods it takes: {}\n", taken);
    for (const auto& [reason, names] : refused) text += fmt::format("  not: {}\n        which {}\n", names, reason);
    return text;
}

const std::set<std::string> common_keys{"experiment", "study", "description", "seed", "minutes", "relative_to"};

}  // namespace

std::string study_text(const experiments::Study& study, const std::filesystem::path& configs) {
    std::string text = fmt::format("{}/{}: {}\n  {:<10} {}\n", study.experiment, study.name, study.summary, "reference",
                                   study.reference);
    text += example(study, configs);
    text += "  keys of its own:\n" + keys_text(config::keys_of(experiments::schema_of(study)), "", common_keys);
    text += "  keys of all studies: seed (of all random numbers, 1 unless given), description, minutes\n";
    if (study.methods.abilities.empty()) return text;
    text += "  key of all studies of methods: relative_to (figures show differences to this method's curves)\n";
    return text + methods_text(study.methods);
}

std::vector<std::string> source_keys() {
    std::set<std::string> keys;
    for (const experiments::Study& study : experiments::catalogue())
        for (const std::string& path : paths_of_named(config::keys_of(experiments::schema_of(study))))
            if (const std::string name = last_part(path); name != "methods") keys.insert(name);
    return {keys.begin(), keys.end()};
}

std::string source_key_text(const std::string& key) {
    // Studies in which the key takes the same stand together.
    std::vector<std::pair<std::string, std::vector<std::string>>> texts;
    for (const experiments::Study& study : experiments::catalogue()) {
        const Keys keys = config::keys_of(experiments::schema_of(study));
        const auto root = std::find_if(keys.begin(), keys.end(), [&](const auto& one) { return one.path == key; });
        if (root == keys.end() || !paths_of_named(keys).contains(key)) continue;
        const std::string text = key_text(*root, root->takes) + keys_text(keys, key, {});
        const auto same = std::find_if(texts.begin(), texts.end(), [&](const auto& one) { return one.first == text; });
        const std::string name = study.experiment + "/" + study.name;
        if (same == texts.end())
            texts.push_back({text, {name}});
        else
            same->second.push_back(name);
    }
    std::string all;
    for (const auto& [text, studies] : texts)
        all += fmt::format("{}: a key of {}\n{}", key, fmt::join(studies, ", "), text);
    return all;
}

}  // namespace rfbench::cli
