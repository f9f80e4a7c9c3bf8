#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "rfbench/text/nearest.hpp"

namespace rfbench::cli {

std::vector<KnownVerb> known_verbs(const CLI::App& program) {
    std::vector<KnownVerb> verbs;
    for (const CLI::App* one : program.get_subcommands({})) {
        KnownVerb verb{one->get_name(), {}, {}};
        for (const CLI::Option* option : one->get_options()) {
            KnownOption known{{}, option->get_items_expected_max() == 0 ? "" : option->get_type_name()};
            for (const std::string& name : option->get_lnames()) known.names.push_back("--" + name);
            (known.names.empty() ? verb.places : verb.options).push_back(std::move(known));
        }
        verbs.push_back(std::move(verb));
    }
    return verbs;
}

std::string refusal(const std::vector<KnownVerb>& verbs, const std::string& complaint, int argc,
                    const char* const* argv) {
    if (argc < 2) return "a verb is needed; 'rfbench --help' shows them all";
    const std::string given_verb = argv[1];
    const auto verb =
        std::find_if(verbs.begin(), verbs.end(), [&](const auto& known) { return known.name == given_verb; });
    if (verb == verbs.end()) {
        std::vector<std::string> names;
        names.reserve(verbs.size());
        for (const KnownVerb& known : verbs) names.push_back(known.name);
        return (given_verb.starts_with('-') ? "there is no option '" + given_verb + "' before a verb."
                                            : "there is no verb '" + given_verb + "'.") +
               did_you_mean(given_verb, names) + " 'rfbench --help' shows them all.";
    }
    // The parser's complaint does not say what was meant: an option that the verb does not have is looked for first.
    std::vector<std::string> options;
    for (const KnownOption& known : verb->options)
        options.insert(options.end(), known.names.begin(), known.names.end());
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i];
        // "--set=rows=128": an option ends before the first '='.
        const std::string option = given.substr(0, given.find('='));
        const bool is_known = std::find(options.begin(), options.end(), option) != options.end();
        if (option.size() > 2 && option.starts_with("--") && !is_known)
            return given_verb + ": there is no option '" + option + "'." + did_you_mean(option, options) +
                   " 'rfbench " + given_verb + " --help' shows them all.";
    }
    const bool ended = complaint.ends_with('?') || complaint.ends_with('.');
    return given_verb + ": " + complaint + (ended ? " " : "; ") + "'rfbench " + given_verb +
           " --help' shows what it takes";
}

}  // namespace rfbench::cli
