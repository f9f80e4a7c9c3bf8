// rfbench verify: every result file against the checksum it was written with.
#include "rfbench/store/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <unordered_set>
#include <vector>

#include "drawing.hpp"
#include "rfbench/engine/journal_summary.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/needed_cells.hpp"
#include "rfbench/report/page.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/cell_store.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/pack.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

std::filesystem::path collected_of(std::filesystem::path folder) { return folder.concat(".h5"); }

/// Whether a run has been at work in a folder: what it leaves there has one of these names.
bool is_of_a_run(const std::filesystem::path& folder) {
    constexpr const char* left[] = {"lock", "journal", engine::cell_list, store::checksums_name};
    return std::any_of(std::begin(left), std::end(left),
                       [&](const char* name) { return std::filesystem::is_regular_file(folder / name); });
}

/// The folders <results>/<experiment>/<config> in which runs have been at work; those of all results' cells and of
/// scripts are none.
std::vector<std::filesystem::path> run_folders(const std::filesystem::path& results) {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::is_directory(results)) return found;
    for (const auto& experiment : std::filesystem::directory_iterator(results)) {
        if (!experiment.is_directory()) continue;
        for (const auto& config : std::filesystem::directory_iterator(experiment))
            if (config.is_directory() && is_of_a_run(config)) found.push_back(config.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// Result folders that have no collected file.
std::vector<std::filesystem::path> uncollected_folders(const std::filesystem::path& results) {
    std::vector<std::filesystem::path> found = run_folders(results);
    std::erase_if(found, [](const auto& folder) { return std::filesystem::exists(collected_of(folder)); });
    return found;
}

/// Whether a name on the command line means this folder: by its experiment, or by both.
bool named(const std::filesystem::path& folder, const std::vector<std::string>& names) {
    const std::filesystem::path experiment = folder.parent_path().filename(), config = folder.filename();
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return name == experiment || name == experiment / config;
           });
}

/// Whether a name is the path of this file, which may have been handed on without the lists of its run.
bool named_by_path(const std::filesystem::path& file, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::filesystem::path& name) {
        return name.extension() == ".h5" && std::filesystem::exists(name) && std::filesystem::equivalent(name, file);
    });
}

/// Fault of a collected file by the line with its sha256 at its end, whatever lists say; empty if there is none.
std::string broken_seal(const std::filesystem::path& collected) {
    try {
        if (std::filesystem::exists(collected)) store::read(collected);
        return {};
    } catch (const store::Error& error) {
        return error.what();
    }
}

/// Prints the findings of one folder and its collected file; true if any is harmful.
bool report(const std::filesystem::path& folder, const std::string& more) {
    const std::filesystem::path collected = collected_of(folder);
    const bool is_there = std::filesystem::exists(collected);
    std::vector<store::Finding> findings;
    if (std::filesystem::is_directory(folder))
        findings = store::verify(folder);
    else
        findings.push_back({store::Damage::missing, folder, "the folder of the list of sums is gone"});
    // The list of its cells is written with the collected file, whatever other lists say.
    if (!is_there && std::filesystem::exists(folder / engine::cell_list) && findings.empty())
        findings.push_back({store::Damage::missing, collected, "it was collected, and is not there"});
    auto bad = std::count_if(findings.begin(), findings.end(), [](const auto& f) { return f.harmful(); });
    const std::string broken = broken_seal(collected);
    // A finding of a list about the same file has been printed.
    const bool listed = std::any_of(findings.begin(), findings.end(), [](const auto& one) {
        return one.damage == store::Damage::changed && one.file.extension() == ".h5";
    });
    if (!broken.empty() && !listed) ++bad;
    fmt::print("{}: {}{}\n", folder.string(), bad == 0 ? "every file is as it was written" : fmt::format("{} bad", bad),
               more);
    for (const store::Finding& finding : findings)
        fmt::print("  {}: {}: {}\n", name(finding.damage), finding.file.string(), finding.detail);
    if (!broken.empty() && !listed) fmt::print("  damaged: {}\n", broken);
    if (bad > 0 && is_there && broken.empty())
        fmt::print("  {} itself is as it was written, by the line with its sha256 at its end\n", collected.string());
    if (bad > 0) fmt::print("  'rfbench run' makes what is damaged or missing again\n");
    return bad > 0;
}

/// Why a folder in which a run has begun has no collected file.
std::string incomplete(const std::filesystem::path& folder, bool any_cells) {
    const engine::JournalSummary past = engine::history(folder);
    if (!past.collected.event.empty())
        return "; its result file is gone, and 'rfbench run' makes it from its cells again";
    const bool stored = any_cells && !past.interrupted.empty();
    return "; " + (stored ? past.interrupted + " are there and not collected" : std::string("nothing is collected")) +
           ": the run was interrupted, and 'rfbench run' goes on with it";
}

/// Whether a result is of another tree within this one, as results/mine by `run --results results/mine`, which has
/// packs of its own.
bool is_of_another_tree(const std::filesystem::path& folder, const std::filesystem::path& results) {
    const std::filesystem::path cells = results / *folder.lexically_relative(results).begin() / "cells";
    if (!std::filesystem::is_directory(cells)) return false;
    const auto entries = store::entries_in(cells);
    return std::any_of(entries.begin(), entries.end(),
                       [](const auto& entry) { return store::has_name_of_pack(entry.path()); });
}

/// Results whose cells are not all in the store, a sentence each. Lists that are damaged are found elsewhere.
std::vector<std::string> lacking_cells(const std::filesystem::path& results, const store::CellStore& cells) {
    std::unordered_set<std::string> known;
    for (const auto& [identity, entry] : cells.cells()) known.insert(store::hex(identity));
    std::vector<std::string> sentences;
    for (const auto& folder : engine::collected_folders(results)) {
        if (is_of_another_tree(folder, results)) continue;
        try {
            const auto needed = engine::needed_cells(folder);
            const auto lacking = std::count_if(needed.begin(), needed.end(),
                                               [&](const std::string& one) { return !known.contains(one); });
            if (lacking > 0)
                sentences.push_back(fmt::format("{} of the {} cells that {} was collected from are not there", lacking,
                                                needed.size(), folder.string()));
        } catch (const store::Error&) {
        }
    }
    return sentences;
}

/// Packs without the end of their last record, a sentence each; one that a process writes to now is none.
std::vector<std::string> torn_packs(const store::CellStore& cells) {
    const auto is_written_to = [](const std::filesystem::path& pack) {
        try {
            return store::hold_pack(pack) == nullptr;
        } catch (const store::Error&) {  // a link, or a file system without locks
            return false;
        }
    };
    std::vector<std::string> sentences;
    for (const auto& pack : cells.torn())
        if (!is_written_to(pack))
            sentences.push_back(
                pack.string() +
                ": its last record has no end, and counts for nothing: a process was stopped while it wrote it, or the "
                "file was cut; 'rfbench run' or 'rfbench prune' removes it");
    return sentences;
}

/// The cells of all results, where these are: whether one of them cannot be trusted.
bool verify_cells(const std::filesystem::path& results) {
    const std::filesystem::path folder = results / "cells";
    if (!std::filesystem::is_directory(folder)) return false;
    const store::CellStore cells(folder);
    std::vector<std::string> bad = cells.damaged();
    std::vector<std::string> torn = torn_packs(cells);
    for (const auto& [identity, entry] : cells.cells()) {
        try {
            cells.read(entry);
        } catch (const store::Error& error) {
            bad.emplace_back(error.what());
        }
    }
    for (const std::string& sentence : lacking_cells(results, cells)) bad.push_back(sentence);
    fmt::print("{}: {} cell{} in {} pack{}, {}\n", folder.string(), cells.cells().size(),
               cells.cells().size() == 1 ? "" : "s", cells.packs().size(), cells.packs().size() == 1 ? "" : "s",
               bad.empty() ? "every one is as it was written" : fmt::format("{} bad", bad.size()));
    std::sort(bad.begin(), bad.end());
    for (const std::string& sentence : bad) fmt::print("  damaged: {}\n", sentence);
    for (const std::string& sentence : torn) fmt::print("  torn: {}\n", sentence);
    return !bad.empty();
}

/// Temporaries of processes that were stopped. Those below the folders of results are told with these.
void tell_of_temporaries(const std::filesystem::path& root) {
    if (!std::filesystem::is_directory(root)) return;
    for (const auto& entry : store::entries_below(root)) {
        const std::filesystem::path& file = entry.path();
        if (!store::is_temporary(file) || !store::is_left_over(file)) continue;
        bool told = false;
        for (auto at = file.parent_path(); !told && at != root && at.has_filename(); at = at.parent_path())
            told = is_of_a_run(at) || std::filesystem::exists(collected_of(at));
        if (!told) fmt::print("temporary: {}: a process that wrote it was stopped\n", file.string());
    }
}

/// Whether the page of a tree's results is damaged.
bool verify_page(const std::filesystem::path& results) {
    const std::filesystem::path page = results / results_page;
    const std::string damage = report::page_damage(page);
    if (!damage.empty())
        fmt::print("damaged: {}: {}; 'rfbench run' or 'rfbench plot' makes it again\n", page.string(), damage);
    return !damage.empty();
}

}  // namespace

namespace {

/// The folders of profiles in the root of all results: those in which runs have begun, as results/smoke/variance/gain,
/// or that have a collected file.
std::vector<std::filesystem::path> profiles(const std::filesystem::path& results) {
    std::vector<std::filesystem::path> found;
    if (!std::filesystem::is_directory(results)) return found;
    for (const auto& profile : std::filesystem::directory_iterator(results)) {
        const bool any = profile.is_directory() && profile.path().filename() != engine::reference_folder &&
                         !(run_folders(profile).empty() && collected_files(profile, {}).empty());
        if (any) found.push_back(profile.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// Results that come with the project have no lists: each file has the line with its sha256 at its end. Whether one is
/// damaged.
bool verify_reference(const std::filesystem::path& results) {
    const std::filesystem::path folder = results / engine::reference_folder;
    const std::vector<std::filesystem::path> files = collected_files(folder, {});
    std::vector<std::string> bad;
    for (const auto& file : files)
        if (std::string broken = broken_seal(file); !broken.empty()) bad.push_back(std::move(broken));
    if (!files.empty())
        fmt::print("{}: {} file{}, {}\n", folder.string(), files.size(), files.size() == 1 ? "" : "s",
                   bad.empty() ? "every one is as it was written" : fmt::format("{} bad", bad.size()));
    for (const std::string& sentence : bad) fmt::print("  damaged: {}\n", sentence);
    if (!bad.empty()) fmt::print("  these come with the project; 'git checkout' brings them back\n");
    return !bad.empty();
}

/// Verifies a file that has no folder of a run beside it; true if it is damaged.
bool report_alone(const std::filesystem::path& file) {
    const std::string broken = broken_seal(file);
    if (broken.empty())
        fmt::print(
            "{}: as it was written, by the line with its sha256 at its end; figures and tables, which a run "
            "lists, are not beside it\n",
            file.string());
    else
        fmt::print("{}: 1 bad\n  damaged: {}\n", file.string(), broken);
    return !broken.empty();
}

int verify_tree(const std::filesystem::path& root, const std::filesystem::path& results,
                const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> begun = uncollected_folders(results);
    std::erase_if(begun, [&](const auto& folder) { return !named(folder, names); });
    // A name that means a run that was interrupted need not mean a collected result as well.
    std::vector<std::filesystem::path> collected = collected_files(results, {});
    std::vector<std::string> known = names;
    std::erase_if(known, [&](const std::string& name) {
        const auto means = [&](std::filesystem::path file) { return named(file.replace_extension(), {name}); };
        return std::any_of(begun.begin(), begun.end(), means) &&
               std::none_of(collected.begin(), collected.end(), means);
    });
    if (!names.empty()) collected.clear();
    if (!known.empty()) collected = collected_files(results, known);
    if (collected.empty() && begun.empty()) return nothing_selected;
    bool harmful = false;
    for (const std::filesystem::path& file : collected) {
        const std::filesystem::path folder = file.parent_path() / file.stem();
        const bool alone = !std::filesystem::is_directory(folder) && named_by_path(file, names);
        harmful = (alone ? report_alone(file) : report(folder, "")) || harmful;
    }
    const bool any_cells = !begun.empty() && !store::CellStore(root / "cells").cells().empty();
    for (const auto& folder : begun) harmful = report(folder, incomplete(folder, any_cells)) || harmful;
    return harmful ? verification_failed : success;
}

}  // namespace

int verify(const std::filesystem::path& results, const std::filesystem::path& root,
           const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> trees;
    if (names.empty()) trees = profiles(results);
    trees.push_back(results);
    std::vector<int> codes;
    for (const auto& tree : trees) {
        codes.push_back(verify_tree(root, tree, names));
        if (names.empty() && verify_page(tree)) codes.push_back(verification_failed);
    }
    const bool any = std::any_of(codes.begin(), codes.end(), [](int code) { return code != nothing_selected; });
    const bool with_reference = names.empty() && std::filesystem::is_directory(root / engine::reference_folder);
    if (!any && !with_reference && !std::filesystem::exists(root / "cells")) {
        std::cerr << "rfbench: there are no results in " << results.string() << '\n';
        return nothing_selected;
    }
    if (names.empty()) tell_of_temporaries(results);
    const bool reference = names.empty() && verify_reference(root);
    // The cells are those of all results, of profiles too.
    const bool harmful =
        verify_cells(root) || reference || std::count(codes.begin(), codes.end(), verification_failed) > 0;
    return harmful ? verification_failed : success;
}

}  // namespace rfbench::cli
