#include "rfbench/config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "rfbench/config/document.hpp"
#include "rfbench/config/one_line.hpp"
#include "rfbench/config/overlay.hpp"
#include "rfbench/config/rule.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::config {
namespace {

std::vector<std::string> names_of(const std::vector<Profile>& profiles) {
    std::vector<std::string> names;
    names.reserve(profiles.size());
    for (const Profile& profile : profiles) names.push_back(profile.name.name);
    return names;
}

const Profile* selected(const std::vector<Profile>& profiles, const std::string& wanted, const std::string& file) {
    if (wanted.empty() || wanted == "full") return nullptr;
    const auto found = std::find_if(profiles.begin(), profiles.end(),
                                    [&](const Profile& profile) { return profile.name.name == wanted; });
    if (found != profiles.end()) return &*found;
    const std::vector<std::string> names = names_of(profiles);
    throw Error(fmt::format("{}: there is no profile {}.{} {}", file, in_quotes(wanted), did_you_mean(wanted, names),
                            names.empty()
                                ? "The file has none; a map 'profiles: {" + wanted + ": {...}}' in it defines one."
                                : "Profiles: " + listed(names) + ", and full for the document as written."));
}

// The document is valid as written, so what is wrong now comes of the change, wherever it shows: the message names it.
Value check_changed(const Node& document, const Schema& schema, const std::string& change) {
    const auto tell = [&](const Error& error) {
        // Errors in the change itself have their place already: --set has no lines, a profile has a prefix.
        const bool named = error.source() && (!error.source()->has_lines || !error.source()->prefix.empty());
        if (named || change.empty()) throw error;
        throw Error("with " + change + ": " + error.what());
    };
    std::vector<Error> found;
    try {
        return schema.rule().check(document, "");
    } catch (const Several& errors) {
        found = errors.all();
    } catch (const Error& error) {
        found = {error};
    }
    Mistakes mistakes;
    for (const Error& error : found) mistakes.in([&] { tell(error); });
    mistakes.tell();
    throw std::logic_error("a document that is refused has a mistake.");
}

std::string change_in_words(const Options& options, bool has_profile) {
    std::string words = has_profile ? "profile " + in_quotes(options.profile) : std::string();
    for (const std::string& argument : options.overrides)
        words += (words.empty() ? "--set " : ", --set ") + on_one_line(argument);
    return words;
}

}  // namespace

Node read_document(std::string_view text, const std::string& name) {
    const auto source = std::make_shared<const Source>(Source{name, true, ""});
    Node document = parse_document(text, source);
    if (document.shape != Shape::map) {
        // "key:value" without a space is one text to YAML.
        const bool lacks_space = document.shape == Shape::scalar && document.text.find(':') != std::string::npos;
        throw Error(document.place, "",
                    fmt::format("a configuration is a map of 'key: value' lines, not {}.{}", given(document),
                                lacks_space ? " Is a space missing after the colon?" : ""));
    }
    return document;
}

Checked check(Node document, const std::string& name, const Schema& schema, const Options& options) {
    const std::vector<KeyHelp> keys = keys_of(schema);
    if (!schema.rule().fits(Shape::map) ||
        std::any_of(keys.begin(), keys.end(), [](const KeyHelp& key) { return key.path == "profiles"; })) {
        throw std::logic_error("the schema of a configuration must be an object that does not declare 'profiles'.");
    }
    const std::vector<Profile> profiles = take_profiles(document);

    // The document and every profile are checked, whichever is wanted, so that no mistake hides in the other.
    const Value as_it_stands = schema.rule().check(document, "");
    Mistakes mistakes;
    for (const Profile& profile : profiles) {
        Node changed = document;
        overlay(changed, profile.body);
        mistakes.in([&] { check_changed(changed, schema, "profile " + in_quotes(profile.name.name)); });
    }
    mistakes.tell();

    const Profile* profile = selected(profiles, options.profile, name);
    if (profile != nullptr) overlay(document, profile->body);
    for (const std::string& argument : options.overrides) set_override(document, argument);
    Value value = check_changed(document, schema, change_in_words(options, profile != nullptr));
    // A range or an alias takes few bytes in the file and many in what is stored with results.
    const std::string written = canonical(value);
    if (written.size() > max_text_bytes) {
        throw Error(fmt::format("{}: with ranges and aliases written out the configuration is longer than {} bytes.",
                                name, max_text_bytes));
    }
    std::vector<std::string> profile_keys;
    if (profile != nullptr)
        for (const Key& key : profile->body.keys) profile_keys.push_back(key.name);
    return {std::move(value), written == canonical(as_it_stands), std::move(profile_keys)};
}

Value parse(std::string_view text, const std::string& name, const Schema& schema, const Options& options) {
    return check(read_document(text, name), name, schema, options).value;
}

Value load(const std::string& path, const Schema& schema, const Options& options) {
    return parse(read_source(path), path, schema, options);
}

std::vector<std::string> profile_names(std::string_view text, const std::string& name) {
    Node document = read_document(text, name);
    return names_of(take_profiles(document));
}

}  // namespace rfbench::config
