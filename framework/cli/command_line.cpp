#include "command_line.hpp"

#include <algorithm>

#include "rfbench/text/nearest.hpp"

namespace rfbench::cli {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string refusal(const std::vector<Verb>& verbs, const std::string& complaint, int argc, const char* const* argv) {
    if (argc < 2) return "a verb is needed; 'rfbench --help' shows them all";
    const std::string given_verb = argv[1];
    const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return v.name == given_verb; });
    if (verb == verbs.end()) {
        std::vector<std::string> names;
        names.reserve(verbs.size());
        for (const Verb& known : verbs) names.push_back(known.name);
        return (given_verb.starts_with('-') ? "there is no option '" + given_verb + "' before a verb."
                                            : "there is no verb '" + given_verb + "'.") +
               did_you_mean(given_verb, names) + " 'rfbench --help' shows them all.";
    }
    // The parser's complaint does not say what was meant: an option that the verb does not have is looked for first.
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i];
        // "--set=rows=128": an option ends before the first '='.
        const std::string option = given.substr(0, given.find('='));
        if (option.size() > 2 && option.starts_with("--") && !has(verb->options, option))
            return given_verb + ": there is no option '" + option + "'." + did_you_mean(option, verb->options) +
                   " 'rfbench " + given_verb + " --help' shows them all.";
    }
    const bool ended = complaint.ends_with('?') || complaint.ends_with('.');
    return given_verb + ": " + complaint + (ended ? " " : "; ") + "'rfbench " + given_verb +
           " --help' shows what it takes";
}

}  // namespace rfbench::cli
