// rfbench completion bash|zsh: prints a completion script, made from the verbs and their options, with the names of
// this build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line.hpp"
#include "rfbench/claims/claim.hpp"
#include "rfbench/datasets/describe.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "study/configuration.hpp"
#include "study/project.hpp"
#include "study/study.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

template <class List>
std::string names_in(const List& list) {
    std::string names;
    for (const auto& one : list) names += (names.empty() ? "" : " ") + one.name;
    return names;
}

std::string studies() {
    std::string names;
    for (const auto& study : experiments::catalogue())
        names += (names.empty() ? "" : " ") + study.experiment + "/" + study.name;
    return names;
}

/// Experiments and their configurations, as run takes them.
std::string configurations() {
    const std::filesystem::path folder = experiments::project() / "configs";
    std::string names;
    std::string last;
    for (const auto& file : experiments::configuration_files(folder, {})) {
        const auto name = std::filesystem::relative(file, folder).replace_extension();
        const std::string experiment = name.parent_path().string();
        if (experiment != last) names += (names.empty() ? "" : " ") + experiment;
        last = experiment;
        names += " " + name.string();
    }
    return names;
}

/// Values that options take.
struct Kind {
    const char* takes;  ///< as --help calls them
    const char* words;  ///< in the shell, with its variables for the names of this build
    const char* files;  ///< flags of compgen for those that are files
};
constexpr Kind kinds[] = {
    {"CONFIGURATION", "all $configurations", "-f -X '!*.yaml'"},
    {"RESULT", "$configurations", "-f -X '!*.h5'"},
    {"RESULTS", "$configurations reference", "-f"},
    {"CLAIM", "$configurations $papers holds fails undecided", ""},
    {"NAME", "$methods $mechanisms $samplings $studies $configurations $datasets", ""},
    {"METHOD", "$methods", ""},
    {"MECHANISM", "$mechanisms", ""},
    {"SAMPLING", "$samplings", ""},
    {"DATASET", "$datasets", "-f"},
    {"PROFILE", "quick smoke full", ""},
    {"SHELL", "bash zsh", ""},
    {"FILE", "", "-f"},
    {"FOLDER", "", "-d"},
};

/// The shell's words for what an option takes, in parentheses of an array; empty where anything may stand.
std::string offered(const std::string& takes) {
    std::string words, files;
    for (const Kind& kind : kinds)
        if (takes == kind.takes) words = kind.words, files = kind.files;
    // "TEXT:{csv, npz}": one of a few words.
    if (const std::size_t brace = takes.find('{'); brace != std::string::npos)
        for (const char c : takes.substr(brace + 1, takes.rfind('}') - brace - 1))
            if (c != ',') words += c;
    std::string all;
    if (!words.empty()) all += fmt::format("$(compgen -W \"{}\" -- \"$current\")", words);
    if (!files.empty()) all += fmt::format("{}$(compgen {} -- \"$current\")", all.empty() ? "" : " ", files);
    return all;
}

/// The shell's case for a verb: what stands after an option that takes something known, and else options and what the
/// place takes.
std::string case_of(const KnownVerb& verb) {
    std::string names, values, places;
    for (const KnownOption& option : verb.options) {
        names += (names.empty() ? "" : " ") + fmt::format("{}", fmt::join(option.names, " "));
        if (const std::string words = offered(option.takes); !words.empty())
            values +=
                fmt::format("                {}) COMPREPLY=({}); return ;;\n", fmt::join(option.names, " | "), words);
    }
    for (std::size_t place = 0; place < verb.places.size(); ++place) {
        const bool is_last = place + 1 == verb.places.size();
        places += fmt::format("                {}) COMPREPLY+=({}) ;;\n", is_last ? "*" : std::to_string(place + 2),
                              offered(verb.places[place].takes));
    }
    std::string text = fmt::format("        {})\n", verb.name);
    if (!values.empty()) text += "            case \"$previous\" in\n" + values + "            esac\n";
    text += fmt::format("            COMPREPLY=($(compgen -W \"{}\" -- \"$current\"))\n", names);
    if (!places.empty()) text += "            case \"$COMP_CWORD\" in\n" + places + "            esac ;;\n";
    return text + (places.empty() ? "            ;;\n" : "");
}

/// The whole script; its variables have the names of this build.
std::string bash_script(const std::vector<KnownVerb>& verbs) {
    std::string cases;
    for (const KnownVerb& verb : verbs) cases += case_of(verb);
    const std::string variables = fmt::format(
        "configurations=\"{}\" papers=\"{}\" methods=\"{}\" mechanisms=\"{}\" samplings=\"{}\" studies=\"{}\" "
        "datasets=\"{}\"",
        configurations(), fmt::join(claims::papers(), " "), names_in(experiments::method_catalogue()),
        names_in(features::catalogue()), names_in(sampling::catalogue()), studies(),
        names_in(experiments::data_manifest().entries));
    return fmt::format(
        "# rfbench completion bash > /etc/bash_completion.d/rfbench\n"
        "_rfbench() {{\n"
        "    local {}\n"
        "    local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"${{COMP_WORDS[1]}}\" in\n{}    esac\n"
        "}}\n"
        "complete -F _rfbench rfbench\n",
        variables, names_in(verbs), cases);
}

}  // namespace

int completion(const std::string& shell, const std::vector<KnownVerb>& verbs) {
    const std::string bash = bash_script(verbs);
    if (shell == "bash") {
        fmt::print("{}", bash);
    } else if (shell == "zsh") {
        // zsh runs bash completions once it is told to; the last line answers the key that made zsh load this file.
        fmt::print(
            "#compdef rfbench\nautoload -U +X bashcompinit && bashcompinit\n{}"
            "[[ $funcstack[1] = _rfbench ]] && _bash_complete -F _rfbench\n",
            bash);
    } else {
        throw InputError("completion: '" + shell + "' is no shell it knows; there are bash and zsh");
    }
    return success;
}

}  // namespace rfbench::cli
