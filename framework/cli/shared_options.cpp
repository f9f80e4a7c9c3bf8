#include "shared_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "results_folder.hpp"
#include "rfbench/plugin/plugin.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/project.hpp"

namespace rfbench::cli {

CLI::Validator one_of(const std::vector<std::string>& words) {
    const std::string all = fmt::format("{}", fmt::join(words, ", "));
    return {[words, all](std::string& given) {
                if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
                return "'" + given + "' is none of " + all + "." + did_you_mean(given, words);
            },
            "{" + all + "}"};
}

CLI::Validator not_empty(const std::string& message) {
    return {[message](const std::string& given) { return given.empty() ? message : std::string(); }, ""};
}

CLI::Option* add_threads(CLI::App& app, RunOptions& options, const std::string& description) {
    return app.add_option("--threads", options.threads, description)->check(CLI::Range(0, 1024));
}

CLI::Option* add_plugins(CLI::App& app, std::vector<std::filesystem::path>& files) {
    return app.add_option("--plugin", "a Python file with your own mechanisms, made by rfbench.mechanism()")
        ->type_name("FILE")
        ->take_all()
        ->allow_extra_args(false)
        ->each([&files](const std::string& file) {
            files.emplace_back(file);
            const std::vector<std::string> names = plugin::add_mechanisms(file);
            std::cerr << fmt::format("note: Python computes {} of {}, which is slower than mechanisms of rfbench\n",
                                     fmt::join(names, ", "), file);
        });
}

CLI::Option* add_settings(CLI::App& app, std::vector<std::string>& settings, const std::string& description) {
    return app.add_option("--set", settings, description)->take_all()->allow_extra_args(false);
}

namespace {

CLI::Option* add_profile(CLI::App& app, std::string& profile, const std::string& description) {
    return app.add_option("--profile", profile, description)
        ->type_name("PROFILE")
        ->check(not_empty("a profile's name is needed; full is the file as it is written"));
}

}  // namespace

void add_selection(CLI::App& app, RunOptions& options) {
    Selection& selection = options.selection;
    app.add_option("names", selection.names,
                   "experiment (variance), one of its configurations (variance/regimes), a YAML file, or all")
        ->type_name("CONFIGURATION");
    app.add_option("--configs", selection.configs, "folder of the configurations, if not the project's")
        ->type_name("FOLDER");
    auto* profile = add_profile(app, selection.profile, "one of the file's profiles, e.g. smoke");
    app.add_flag("--quick", selection.quick, "the profile quick")->excludes(profile);
    add_settings(app, selection.overrides,
                 "override one value: --set gammas=0.5 --set rows=128; several values, --set seed=1,2, give one run "
                 "each, with results NAME-seed-1 and NAME-seed-2; if a key is given twice, the last counts");
    add_plugins(app, selection.plugins);
    add_results(app, options);
}

namespace {

// The profile that is chosen. Full is the document as written: it has no folder of its own.
void settle_profile(Selection& selection) {
    if (selection.quick) selection.profile = "quick";
    if (selection.profile == "full") selection.profile.clear();
}

}  // namespace

const Selection& with_configs(Selection& selection) {
    settle_profile(selection);
    if (selection.configs.empty()) selection.configs = experiments::project() / "configs";
    return selection;
}

CLI::Option* add_result_name(CLI::App& app, std::string& name, const std::string& description) {
    return app.add_option("--as", name, description)->check(not_empty("a name is needed"));
}

void add_results(CLI::App& app, RunOptions& options) {
    app.add_option("--results", options.results, "folder of all results; a profile has a subfolder")
        ->check(not_empty("a folder's name is needed"))
        ->type_name("FOLDER")
        ->capture_default_str();
}

void add_tree(CLI::App& app, RunOptions& options) {
    add_results(app, options);
    auto* profile = add_profile(app, options.selection.profile, "results of this profile");
    app.add_flag("--quick", options.selection.quick, "results of the profile quick")->excludes(profile);
}

std::filesystem::path tree_of(RunOptions& options) {
    settle_profile(options.selection);
    return tree(options);
}

void add_reference(CLI::App& app, bool& of_reference, const std::string& description,
                   const std::vector<std::string>& without_effect) {
    CLI::Option* const reference = app.add_flag("--reference", of_reference, description);
    for (const std::string& name : without_effect) reference->excludes(app.get_option(name));
}

std::filesystem::path reference_folder() { return experiments::project() / "results" / "reference"; }

}  // namespace rfbench::cli
