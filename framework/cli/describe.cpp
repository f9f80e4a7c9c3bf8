// rfbench describe NAME: a mechanism, a sampling, a method, an experiment, a study, a configuration or a data set.
#include "rfbench/datasets/describe.hpp"

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <stdexcept>

#include "describe_study.hpp"
#include "look.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/configuration.hpp"
#include "study/known_names.hpp"
#include "study/method_list.hpp"
#include "study/project.hpp"
#include "verbs.hpp"
#include "wrapped.hpp"

namespace rfbench::cli {
namespace {

/// Lines of at most a hundred characters.
void say(const std::string& text) { fmt::print("{}", wrapped(text)); }

void field(const char* name, const std::string& value) {
    fmt::print("{}", wrapped(fmt::format("  {:<10} {}", name, value), 11));
}

void print(const features::MechanismInfo& info) {
    say(fmt::format("{} ({}): {}", info.name, info.paper_name, info.summary));
    field("features", info.features);
    field("variance", info.variance);
    field("reference", info.reference);
    field("cost", info.cost);
    field("law", info.discrete ? "omega has independent integer coordinates" : "omega ~ N(0, I)");
    field("is",
          std::string(info.positive ? "positive" : "not positive") + ", " + (info.unbiased ? "unbiased" : "biased"));
}

void print(const sampling::Scheme& scheme) {
    say(fmt::format("{}: {}", scheme.name, scheme.summary));
    field("reference", scheme.reference);
    field("marginals",
          scheme.exact_marginals ? "exactly N(0, I): estimates are unbiased" : "approximate: estimates are biased");
    field("serves", scheme.uniforms ? "Gaussian and discrete mechanisms" : "Gaussian mechanisms");
}

/// The studies that take a method, so that nobody has to try them all.
std::string studies_taking(const experiments::MethodInfo& method) {
    std::string names;
    for (const experiments::Study& study : experiments::catalogue())
        if (!study.methods.abilities.empty() && experiments::refusal(study.methods, method).empty())
            names += (names.empty() ? "" : ", ") + study.experiment + "/" + study.name;
    return names;
}

/// Prints a method as configurations see it, after its mechanism's formulas.
void print(const experiments::MethodInfo& method, bool is_mechanism) {
    if (!is_mechanism) {
        say(fmt::format("{}: {}", method.name, method.summary));
        field("reference", method.reference);
    }
    field("studies", studies_taking(method));
    if (is_mechanism && mechanisms_without_look().contains(method.name)) field("note", without_look(method.name));
    if (method.keys.empty()) return;
    fmt::print("  keys of its entry in a list of methods{}:\n", is_mechanism ? ", and of --set in inspect" : "");
    for (const config::KeyHelp& key : config::keys_of(config::object(method.keys)))
        say(fmt::format("    {} ({}): {}\n{:8}takes {}", key.path, key.need, key.description, "", key.takes));
}

/// Prints an experiment's studies and configurations, or the studies of a configuration or of a name that they share.
bool described(const std::string& name, const std::filesystem::path& configs, std::vector<std::string>& names) {
    std::vector<const experiments::Study*> of_experiment, named;
    for (const auto& study : experiments::catalogue()) {
        const std::string full = study.experiment + "/" + study.name;
        if (study.experiment == name) of_experiment.push_back(&study);
        if (full == name) return say(study_text(study, configs)), true;
        if (study.name == name) named.push_back(&study);
        names.insert(names.end(), {full, study.name, study.experiment});
    }
    for (const auto* study : of_experiment)
        say(fmt::format("{}/{}: {}", study->experiment, study->name, study->summary));
    for (const auto& file : experiments::configuration_files(configs, {})) {
        const std::filesystem::path relative = std::filesystem::relative(file, configs).replace_extension();
        names.push_back(relative.string());
        if (relative != name && (of_experiment.empty() || relative.parent_path() != name)) continue;
        const experiments::Study& study = *experiments::load_configuration(file, {}).study;
        fmt::print("configuration {} of {}/{}: {}\n", relative.string(), study.experiment, study.name, file.string());
        if (relative == name) return say(study_text(study, configs)), true;
    }
    if (!of_experiment.empty()) return true;
    for (const auto* study : named) say(study_text(*study, configs));
    return !named.empty();
}

}  // namespace

namespace {

/// A name of the papers or of other programs: what it stands for, then that.
bool described_by_known_name(const std::string& name) {
    const auto* known = experiments::known_name(name);
    if (known != nullptr)
        say(fmt::format("{} ({}), in a list of methods, stands for\n  {}", known->alias.name, known->reference,
                        known->alias.yaml));
    for (const auto& info : features::catalogue())
        if (known != nullptr ? info.name == known->method : info.paper_name == name) {
            print(info);
            return print(experiments::find_method(info.name), true), true;
        }
    if (known != nullptr) print(experiments::find_method(known->method), false);
    return known != nullptr;
}

}  // namespace

int describe(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& info : features::catalogue()) {
        if (info.name != name) continue;
        print(info);
        return print(experiments::find_method(name), true), success;
    }
    for (const auto& scheme : sampling::catalogue()) {
        if (scheme.name == name) return print(scheme), success;
        names.push_back(scheme.name);
    }
    for (const auto& method : experiments::method_catalogue()) {
        if (method.name == name) return print(method, false), success;
        names.push_back(method.name);
    }
    if (described_by_known_name(name)) return success;
    for (const auto& known : experiments::known_names()) names.push_back(known.alias.name);
    if (const std::string text = source_key_text(name); !text.empty()) return say(text), success;
    for (const std::string& key : source_keys()) names.push_back(key);
    if (described(name, experiments::project() / "configs", names)) return success;
    const auto manifest = experiments::data_manifest();
    for (const auto& entry : manifest.entries) {
        if (entry.name == name) {
            fmt::print("{}", datasets::describe(entry, experiments::data_places()));
            return success;
        }
        names.push_back(entry.name);
    }
    throw InputError(
        "there is no mechanism, sampling, method, experiment, study, configuration or data "
        "set '" +
        name + "'." + did_you_mean(name, names) + " 'rfbench list' shows them all.");
}

}  // namespace rfbench::cli
