// rfbench completion bash|zsh: prints a completion script with the names of this build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

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

constexpr const char* verbs =
    "list describe plan run status verify table claims recommend compare pages plot slurm collect reproduce export "
    "prune inspect-data inspect "
    "features look completion data";

std::string methods() {
    std::string names;
    for (const auto& method : experiments::method_catalogue()) names += (names.empty() ? "" : " ") + method.name;
    return names;
}

std::string mechanisms() {
    std::string names;
    for (const auto& info : features::catalogue()) names += (names.empty() ? "" : " ") + info.name;
    return names;
}

std::string schemes() {
    std::string names;
    for (const auto& scheme : sampling::catalogue()) names += (names.empty() ? "" : " ") + scheme.name;
    return names;
}

std::string dataset_names() {
    std::string names;
    for (const auto& entry : experiments::data_manifest().entries) names += (names.empty() ? "" : " ") + entry.name;
    return names;
}

/// Every study, and nothing twice.
std::string studies() {
    std::string names;
    for (const auto& study : experiments::catalogue())
        names += (names.empty() ? "" : " ") + study.experiment + "/" + study.name;
    return names;
}

// Braces are doubled where the shell has them: fmt fills in what stands in single ones.
constexpr const char* bash_script = R"(# rfbench completion bash > /etc/bash_completion.d/rfbench
_rfbench() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" verb="${{COMP_WORDS[1]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "{verbs} --help --version" -- "$current")); return; fi
    case "$previous" in
        --sampling) COMPREPLY=($(compgen -W "{schemes}" -- "$current")); return ;;
        --profile) COMPREPLY=($(compgen -W "quick smoke full" -- "$current")); return ;;
        --results | --configs | --folder) COMPREPLY=($(compgen -d -- "$current")); return ;;
        --x-file | --y-file | --out) COMPREPLY=($(compgen -f -- "$current")); return ;;
    esac
    case "$verb" in
        inspect) COMPREPLY=($(compgen -W "{mechanisms} --x --y --x-file --y-file --omega --set --count --sampling" -- "$current")) ;;
        features)
            case "$previous" in --x | --y | --map) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
            COMPREPLY=($(compgen -W "{mechanisms} --map --x --y --set --columns --sampling --seed --out" -- "$current")) ;;
        describe)
            COMPREPLY=($(compgen -W "{methods} {schemes} {studies} {configurations} {datasets}" -- "$current")) ;;
        list) COMPREPLY=($(compgen -W "experiments mechanisms samplings methods datasets" -- "$current")) ;;
        data) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "list fetch verify describe add" -- "$current"))
              else COMPREPLY=($(compgen -W "{datasets} --label --categories --ignored --name" -- "$current")
                              $(compgen -f -- "$current")); fi ;;
        completion) COMPREPLY=($(compgen -W "bash zsh" -- "$current")) ;;
        run | plan | status | slurm)
            local options="--profile --quick --set --configs"
            case "$verb" in
                run) options="$options --results --threads --fresh --keep-stale --shard --as --replace --quiet --no-figures" ;;
                plan) options="$options --results --as --threads --cells" ;;
                status) options="$options --results --as --json" ;;
                slurm) options="$options --results --as --replace --threads --tasks --time --memory --partition --folder --submit" ;;
            esac
            COMPREPLY=($(compgen -W "all {configurations} $options" -- "$current")
                       $(compgen -f -X '!*.yaml' -- "$current")) ;;
        table | plot | verify)
            COMPREPLY=($(compgen -W "{configurations} --results --profile --quick" -- "$current")) ;;
        claims)
            COMPREPLY=($(compgen -W "{configurations} {papers} holds fails undecided --reference --format --results --profile" -- "$current")) ;;
        recommend) COMPREPLY=($(compgen -W "kernel attention regression text recall --d --sd --columns --reference --results" -- "$current")) ;;
        inspect-data) COMPREPLY=($(compgen -W "--y --attention" -- "$current") $(compgen -f -- "$current")) ;;
        reproduce) COMPREPLY=($(compgen -W "--cells" -- "$current") $(compgen -f -X '!*.h5' -- "$current")) ;;
        export) COMPREPLY=($(compgen -W "--to --out --variables --folder" -- "$current")
                           $(compgen -f -X '!*.h5' -- "$current")) ;;
        pages) COMPREPLY=($(compgen -W "--check --root" -- "$current")) ;;
        compare) COMPREPLY=($(compgen -W "reference --format --rows" -- "$current") $(compgen -f -- "$current")) ;;
        collect) COMPREPLY=($(compgen -d -- "$current")) ;;
        prune) COMPREPLY=($(compgen -W "--results --dry-run" -- "$current")) ;;
    esac
}}
complete -F _rfbench rfbench
)";

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

}  // namespace

int completion(const std::string& shell) {
    const std::string bash =
        fmt::format(fmt::runtime(bash_script), fmt::arg("verbs", verbs), fmt::arg("schemes", schemes()),
                    fmt::arg("mechanisms", mechanisms()), fmt::arg("methods", methods()),
                    fmt::arg("studies", studies()), fmt::arg("papers", fmt::join(claims::papers(), " ")),
                    fmt::arg("configurations", configurations()), fmt::arg("datasets", dataset_names()));
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
