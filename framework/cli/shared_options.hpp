#pragma once
// Options that several verbs share. What an option takes is named in capitals, as --help shows it; completion.cpp knows
// the words of each.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace rfbench::cli {

/// One of a few words; the refusal of another names the nearest.
CLI::Validator one_of(const std::vector<std::string>& words);
/// Refuses an empty text, such as a variable of a script that is not set, with this message.
CLI::Validator not_empty(const std::string& message);

/// --threads, so many at most.
CLI::Option* add_threads(CLI::App&, RunOptions&, const std::string& description);

/// --plugin: Python files whose mechanisms are then as those of rfbench; they are read at once.
CLI::Option* add_plugins(CLI::App&, std::vector<std::filesystem::path>& files);

/// --set KEY=VALUE into a list, one after each, since names may follow.
CLI::Option* add_settings(CLI::App&, std::vector<std::string>& settings, const std::string& description);

/// Configurations and how they are read: names, --configs, --profile, --quick, --set, --plugin; and --results.
void add_selection(CLI::App&, RunOptions&);

/// --as NAME, which may not be empty.
CLI::Option* add_result_name(CLI::App&, std::string& name, const std::string& description);

/// Fills in what --quick and no --configs stand for. The project is looked for only when a verb needs it, so that
/// --help works anywhere.
const Selection& with_configs(Selection&);

/// --results, the root of all results.
void add_results(CLI::App&, RunOptions&);

/// For what works on results alone: --results, and of which profile.
void add_tree(CLI::App&, RunOptions&);
std::filesystem::path tree_of(RunOptions&);

/// --reference: the results that come with rfbench, in place of the user's. Options `without_effect` beside it, which
/// are added before, are refused there.
void add_reference(CLI::App&, bool& of_reference, const std::string& description,
                   const std::vector<std::string>& without_effect);
std::filesystem::path reference_folder();

}  // namespace rfbench::cli
