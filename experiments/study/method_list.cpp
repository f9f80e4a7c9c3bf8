#include "study/method_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "methods/stored_map.hpp"
#include "study/known_names.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {
namespace {

std::vector<std::string> scheme_names() {
    std::vector<std::string> names;
    for (const sampling::Scheme& scheme : sampling::catalogue()) names.push_back(scheme.name);
    return names;
}

bool any_of(const std::vector<Ability>& wanted, const auto& can) {
    return std::any_of(wanted.begin(), wanted.end(), can);
}

std::string lacks(const std::string& name, const std::vector<Ability>& wanted) {
    std::string sentence = "'" + name + "' ";
    for (std::size_t i = 0; i < wanted.size(); ++i)
        sentence += (i == 0 ? "" : " and ") + missing_ability_text(wanted[i]);
    return sentence;
}

/// The samplings under which the exact variance of a mechanism is known.
std::string samplings_with_variance(const features::MechanismInfo& info) {
    std::string names;
    for (const sampling::Scheme& scheme : sampling::catalogue())
        if (info.has_variance_under(scheme)) names += (names.empty() ? "" : ", ") + scheme.name;
    return names;
}

/// Throws config::Error where the study cannot use the sampling that the entry names.
void require_usable(const MethodChoice& choice, const MethodKey& key) {
    const sampling::Scheme& scheme = *choice.sampling;
    const config::Value& place = choice.entry.at("sampling");
    // A map that is given takes no sampling, whatever the entry says of it.
    if (choice.method->drawn() && !choice.method->drawn_by(scheme))
        place.refuse("'" + scheme.name + "' needs directions, and omega of '" + choice.info->name + "' is discrete");
    if (entry_sampling(key) != EntrySampling::exact) return;
    const features::MechanismInfo& mechanism = choice.method->mechanism()->info;
    if (!mechanism.has_variance_under(scheme))
        place.refuse("this study takes exact variances, and that of '" + choice.info->name + "' under '" + scheme.name +
                     "' has no closed form; under these it has one: " + samplings_with_variance(mechanism));
}

MethodChoice choice(const config::Value& entry, const MethodKey& key) {
    const MethodInfo& info = find_method(entry.at("use").text());
    if (const std::string reason = refusal(key, info); !reason.empty())
        entry.refuse(reason + "; 'rfbench describe' of the study lists the methods that it takes");
    MethodChoice result{info.name, &info, info.make(entry), nullptr, {}, entry};
    // The catalogue says what a method can do with some parameters; with those of this entry it may not.
    if (!any_of(key.abilities, [&](Ability one) { return has(*result.method, one); }))
        entry.refuse(lacks(info.name, key.abilities) +
                     (entry.has("from") ? "" : " before it is trained: name the file of a training under 'from'"));
    if (info.drawn && entry.has("sampling")) {
        result.sampling = &sampling::find(entry.at("sampling").text());
        result.label = default_label(info.name, result.sampling->name);
        require_usable(result, key);
    }
    if (info.budgeted && key.columns && entry.has("columns"))
        result.columns = static_cast<Index>(entry.at("columns").integer());
    if (entry.has("label")) result.label = entry.at("label").text();
    return result;
}

config::KeyRule sampling_rule(const MethodKey& key) {
    using namespace config;
    switch (entry_sampling(key)) {
        case EntrySampling::drawn:
            return optional("sampling", one_of(scheme_names()), "how it is drawn, whatever the study draws by");
        case EntrySampling::exact:
            return optional("sampling", one_of(scheme_names()),
                            "the exact variance is that under it, where one is known; iid unless given");
        default:
            return refused_key("sampling",
                               "this study draws nothing by the sampling of an entry, so that it would "
                               "change the label and no number");
    }
}

}  // namespace

std::vector<config::KeyRule> method_keys(const MethodKey& key) {
    using namespace config;
    if (key.abilities.empty()) return {};
    std::vector<Named> all;
    for (const MethodInfo& info : method_catalogue()) {
        std::vector<KeyRule> own = info.keys;
        if (info.drawn) own.push_back(sampling_rule(key));
        if (info.budgeted && key.columns)
            own.push_back(optional("columns", integer(1, 1'000'000), "real columns, whatever the study's budget is"));
        all.push_back({info.name, std::move(own)});
    }
    std::vector<KeyRule> common{optional("label", text(), "its name in results and figures")};
    for (const KeyRule& rule : key.keys) common.push_back(rule);
    std::vector<Alias> aliases;
    for (const KnownName& known : known_names()) aliases.push_back(known.alias);
    ForeignNames samplings_by_name;
    for (const std::string& name : scheme_names())
        samplings_by_name[name] = fmt::format(" It is a sampling: {{use: positive, sampling: {}}}.", name);
    const Schema list =
        list_of(named("method", "use", std::move(all), std::move(common), aliases, std::move(samplings_by_name)));
    const char* const what = "what is compared: names, or maps with what a method takes";
    std::vector<KeyRule> keys{key.default_methods.empty() ? required("methods", list, what)
                                                          : defaulted("methods", list, key.default_methods, what)};
    const Schema samplings = one_or_more(one_of(scheme_names()));
    if (key.samplings) {
        const char* const how = "how methods are drawn that name no sampling; those that one cannot draw are left out";
        keys.push_back(key.default_samplings.empty() ? required("samplings", samplings, how)
                                                     : defaulted("samplings", samplings, key.default_samplings, how));
    }
    return keys;
}

std::string refusal(const MethodKey& key, const MethodInfo& info) {
    if (any_of(key.abilities, [&](Ability one) { return info.abilities.contains(one); })) return {};
    return lacks(info.name, key.abilities) + ", which this study needs";
}

void MethodChoice::require_dimension(Index dimension) const {
    const auto own = method->dimension();
    if (own && *own != dimension)
        entry.refuse("'" + info->name + "' was trained for rows of dimension " + std::to_string(*own) +
                     "; here they have " + std::to_string(dimension));
}

void MethodChoice::require_heads(HeadCounts network) const {
    const auto own = method->layers()->own_heads();
    if (own && (own->layers < network.layers || own->heads < network.heads))
        entry.refuse(fmt::format("'{}' was trained for {} layers of {} heads, and the network has {} of {}", info->name,
                                 own->layers, own->heads, network.layers, network.heads));
}

void MethodChoice::require_columns(Index dimension, Index budget) const {
    try {
        // For what it throws.
        method->layers()->trained_map(dimension, columns_within(budget));
    } catch (const std::invalid_argument& error) {
        entry.refuse(error.what());
    }
}

std::vector<MethodChoice> methods(const config::Value& configuration, const MethodKey& key) {
    std::vector<MethodChoice> result;
    std::set<std::string> labels;
    for (const config::Value& entry : configuration.at("methods").items()) {
        MethodChoice next = choice(entry, key);
        if (!labels.insert(next.label).second)
            entry.refuse("the label '" + next.label + "' is taken by an earlier method; give this one another");
        result.push_back(std::move(next));
    }
    for (const Control& control : key.controls)
        if (std::none_of(result.begin(), result.end(),
                         [&](const MethodChoice& one) { return one.info->name == control.name; }))
            configuration.at("methods").refuse(
                fmt::format("there is no '{}', {}: add it", control.name, control.purpose));
    return result;
}

Axis<MethodChoice> method_axis(std::vector<MethodChoice> all, std::string description) {
    Axis<MethodChoice> result{"method", std::move(all), {}, "", std::move(description), {"methods"}};
    std::vector<std::string> labels;
    for (const MethodChoice& one : result) {
        labels.push_back(one.label);
        result.contents.push_back(config::canonical_flow(one.entry));
        // A file that an entry names counts by what it holds, and the method by its code: results of the others stay.
        result.data.push_back(files_hash(one.entry));
        result.code.push_back(one.info->code);
    }
    result.labels = std::move(labels);
    return result;
}

Axis<const sampling::Scheme*> sampling_axis(const config::Value& configuration, const std::vector<MethodChoice>& all) {
    Axis<const sampling::Scheme*> result{"sampling", {}, {}, "", "how methods are drawn", {"samplings"}};
    std::vector<std::string> labels = configuration.at("samplings").texts();
    for (const std::string& name : labels) result.values.push_back(&sampling::find(name));
    // Methods that sweep no sampling are measured here, once, and not at every sampling of the others.
    if (std::any_of(all.begin(), all.end(), [](const MethodChoice& one) { return is_measured_at(one, nullptr); })) {
        result.values.push_back(nullptr);
        labels.emplace_back(own_sampling);
    }
    result.labels = labels;
    return result;
}

bool is_measured_at(const MethodChoice& choice, const sampling::Scheme* scheme) {
    // Exactly one of both holds for a method at a sampling of the sweep and at `own`: nothing is measured twice.
    const bool own = choice.sampling || !choice.method->drawn();
    return scheme ? !own && choice.method->drawn_by(*scheme) : own;
}

const sampling::Scheme& scheme_at(const MethodChoice& choice, const sampling::Scheme* scheme) {
    if (scheme) return *scheme;
    return choice.sampling ? *choice.sampling : sampling::find("orthogonal");
}

}  // namespace rfbench::experiments
