#include "method_option.hpp"

#include <algorithm>
#include <memory>

#include "rfbench/config/document.hpp"
#include "rfbench/config/error.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::cli {
namespace {

using experiments::Ability;
using experiments::MethodChoice;

const experiments::MethodKey methods_taken{.abilities = {Ability::kernel, Ability::rows},
                                           .sampling = experiments::EntrySampling::drawn};

/// Message about the entry in words of the command line, on which it has neither lines nor a list around it:
/// "{use: positve}:1:17: methods.0.use: must be ..." is said of METHOD.
std::string in_words_of_the_command_line(std::string message, const std::string& entry, const MethodOption& given) {
    if (message.starts_with(entry)) message.erase(0, entry.size());
    const std::size_t place = message.find(": ");  // after ":1:17"
    if (place != std::string::npos) message.erase(0, place + 2);
    const std::string element = "methods.0";
    if (!message.starts_with(element)) message = "METHOD: " + message;
    if (message.starts_with(element)) {
        message.erase(0, element.size());
        const std::size_t colon = message.find(": ");
        const std::string key = message.starts_with('.') ? message.substr(1, colon - 1) : "";
        const bool set = std::any_of(given.settings.begin(), given.settings.end(),
                                     [&](const std::string& setting) { return setting.starts_with(key + "="); });
        const std::string what = key.empty() || key == "use"                    ? "METHOD"
                                 : key == "sampling" && !given.sampling.empty() ? "--sampling"
                                 : set                                          ? "--set " + key
                                                                                : "METHOD: " + key;
        message = what + message.substr(colon);
    }
    const auto say = [&](const std::string& said_of_studies, const std::string& here) {
        const std::size_t at = message.find(said_of_studies);
        if (at != std::string::npos) message.replace(at, said_of_studies.size(), here);
    };
    // A method that lacks all these abilities has nothing to be written.
    say(missing_ability_text(Ability::kernel) + " and " + missing_ability_text(Ability::rows),
        "has no features that could be written");
    say(", which this study needs; 'rfbench describe' of the study lists the methods that it takes",
        "; 'rfbench list mechanisms' shows what has some");
    return "features: " + message;
}

/// Throws InputError where the text is more, or less, than one value of YAML.
void require_whole_value(const std::string& setting, const std::string& value) {
    const auto source = std::make_shared<const config::Source>(config::Source{"--set " + setting, false, ""});
    const config::Shape shape = config::parse_document(value, source).shape;
    const bool whole = shape == config::Shape::scalar ? value.find_first_of(",{}[]") == std::string::npos
                                                      : value.starts_with('{') || value.starts_with('[');
    if (!whole) throw InputError("--set: '" + setting + "' has more than one value");
}

}  // namespace

std::string entry_text(const MethodOption& options) {
    const std::string& method = options.method;
    const bool map = method.starts_with('{') && method.ends_with('}');
    std::string text = map ? method.substr(1, method.size() - 2) : "use: " + method;
    for (const std::string& setting : options.settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            throw InputError("--set: '" + setting + "' is not PARAMETER=VALUE, as in A=-0.1");
        require_whole_value(setting, setting.substr(equals + 1));
        text += ", " + setting.substr(0, equals) + ": " + setting.substr(equals + 1);
    }
    if (!options.sampling.empty()) text += ", sampling: " + options.sampling;
    return "{" + text + "}";
}

MethodChoice method_of(const MethodOption& options, const std::string& entry) {
    // Read as a configuration, with the same checks and defaults.
    try {
        const auto config =
            config::parse("methods: [" + entry + "]\n", entry, config::object(experiments::method_keys(methods_taken)));
        MethodChoice choice = experiments::methods(config, methods_taken).front();
        if (!choice->mechanism())
            throw InputError("features: '" + choice.label +
                             "' is no mechanism, whose maps a file keeps; 'rfbench list mechanisms' shows these");
        return choice;
    } catch (const config::Error& error) {
        throw InputError(in_words_of_the_command_line(error.what(), entry, options));
    }
}

}  // namespace rfbench::cli
