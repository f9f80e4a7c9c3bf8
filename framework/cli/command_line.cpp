#include "command_line.hpp"

#include <algorithm>

#include "rfbench/text/nearest.hpp"

namespace rfbench::cli {
namespace {

std::vector<std::string> verbs_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
    return names;
}

std::vector<std::string> options_of(const CLI::App& verb) {
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string refusal(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
    const std::vector<std::string> verbs = verbs_of(app);
    if (argc < 2) return "a verb is needed; 'rfbench --help' shows them all";
    const std::string verb = argv[1];
    if (!has(verbs, verb))
        return (verb.starts_with('-') ? "there is no option '" + verb + "' before a verb."
                                      : "there is no verb '" + verb + "'.") +
               did_you_mean(verb, verbs) + " 'rfbench --help' shows them all.";
    const std::vector<std::string> options = options_of(*app.get_subcommand(verb));
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i];
        const std::string option = given.substr(0, given.find('='));
        if (option.size() > 2 && option.starts_with("--") && !has(options, option))
            return verb + ": there is no option '" + option + "'." + did_you_mean(option, options) + " 'rfbench " +
                   verb + " --help' shows them all.";
    }
    return verb + ": " + error.what() + "; 'rfbench " + verb + " --help' shows what it takes";
}

}  // namespace rfbench::cli
