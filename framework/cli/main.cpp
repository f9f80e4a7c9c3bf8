// The command line of rfbench: verbs and options in, one exit code out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <limits>

#include "command_line.hpp"
#include "failure.hpp"
#include "provenance.hpp"
#include "results_folder.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/plugin/plugin.hpp"
#include "rfbench/text/nearest.hpp"
#include "several_values.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace {

using namespace rfbench::cli;

/// One of a few words; the refusal of another names the nearest.
CLI::Validator one_of(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return {[words, all](std::string& given) {
                if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
                return "'" + given + "' is none of " + all + "." + rfbench::did_you_mean(given, words);
            },
            "{" + all + "}"};
}

constexpr const char* footer =
    "Exit codes: 0 done; 1 a file, a program or memory failed; 2 bad command line, name or configuration;\n"
    "3 some cells failed, or values differ; 4 no name to run, or nothing there; 5 verification failed; 70 a bug of "
    "rfbench;\n"
    "130 interrupted (the same command goes on).";

/// Python files whose mechanisms are then as those of rfbench; they are read at once.
CLI::Option* add_plugins(CLI::App& app, std::vector<std::filesystem::path>& files) {
    return app.add_option("--plugin", "a Python file with mechanisms of yours, made by rfbench.mechanism()")
        ->type_name("FILE")
        ->take_all()
        ->allow_extra_args(false)
        ->each([&files](const std::string& file) {
            files.emplace_back(file);
            const std::vector<std::string> names = rfbench::plugin::add_mechanisms(file);
            std::cerr << fmt::format("note: Python computes {} of {}, which is slower than mechanisms of rfbench\n",
                                     fmt::join(names, ", "), file);
        });
}

void add_selection(CLI::App& app, Selection& selection) {
    app.add_option("names", selection.names,
                   "experiment (variance), one of its configurations (variance/regimes), a YAML file, or all");
    app.add_option("--configs", selection.configs, "folder of the configurations, if not the project's");
    auto* profile = app.add_option("--profile", selection.profile, "one of the file's profiles, e.g. smoke");
    app.add_flag("--quick", selection.quick, "the profile quick")->excludes(profile);
    // One value behind each --set, since names may follow.
    app.add_option("--set", selection.overrides,
                   "override one value: --set gammas=0.5 --set rows=128; several, --set seed=1,2, are a run "
                   "each, whose results are NAME-seed-1 and NAME-seed-2")
        ->take_all()
        ->allow_extra_args(false);
    add_plugins(app, selection.plugins);
}

/// The configurations are looked for only when a verb needs them: --help works anywhere.
const Selection& with_configs(Selection& selection) {
    if (selection.quick) selection.profile = "quick";
    if (selection.configs.empty()) selection.configs = rfbench::experiments::project() / "configs";
    return selection;
}

void add_results(CLI::App& app, RunOptions& options) {
    app.add_option("--results", options.results, "folder of all results; those of a profile are in a folder in it")
        ->check([](const std::string& name) { return std::string(name.empty() ? "a folder's name is needed" : ""); })
        ->capture_default_str();
}

/// For what works on results alone: of which profile.
void add_tree(CLI::App& app, RunOptions& options) {
    add_results(app, options);
    auto* profile = app.add_option("--profile", options.selection.profile, "results of this profile");
    app.add_flag("--quick", options.selection.quick, "those of the profile quick")->excludes(profile);
}

std::filesystem::path tree_of(RunOptions& options) {
    if (options.selection.quick) options.selection.profile = "quick";
    return tree(options);
}

/// Verbs that a mistyped word is compared with.
std::vector<Verb> verbs_of(const CLI::App& app) {
    std::vector<Verb> verbs;
    for (const CLI::App* verb : app.get_subcommands({})) {
        verbs.push_back({verb->get_name(), {}});
        for (const CLI::Option* option : verb->get_options())
            for (const std::string& name : option->get_lnames()) verbs.back().options.push_back("--" + name);
    }
    return verbs;
}

int parse_and_run(int argc, char** argv) {
    CLI::App app{"rfbench: random features for the Gaussian and softmax kernels, measured.", "rfbench"};
    app.set_version_flag("--version", version_text);
    app.footer(footer);
    app.require_subcommand(1);

    // A command has one verb, so that verbs share what they set.
    RunOptions options;
    SlurmOptions batch;
    InspectOptions asked;
    FeaturesOptions wanted;
    AddOptions addition;
    RecommendOptions advice;
    ExportOptions table_out;
    std::size_t cell_count = 3;
    std::string what, name, shell, action, style, format = "table";
    std::vector<std::string> names;
    std::size_t rows = 20;
    bool check_only = false;
    bool of_heads = false;
    std::filesystem::path root;
    bool json = false;
    bool cells = false;
    bool compute_only = false;
    bool dry_run = false;
    bool untitled = false;
    bool narrow = false;
    bool partial = false;
    bool of_reference = false;
    std::vector<std::filesystem::path> trees, plugins;
    std::filesystem::path exported, target;
    int code = success;

    auto* list_verb =
        app.add_subcommand("list", "experiments, mechanisms, samplings, methods and data sets, a line each");
    list_verb->add_option("what", what, "only these")
        ->check(one_of({"experiments", "mechanisms", "samplings", "methods", "datasets"}));
    add_plugins(*list_verb, plugins);
    list_verb->callback([&] { code = list(what, with_configs(options.selection).configs); });

    auto* describe_verb =
        app.add_subcommand("describe", "all about one mechanism, sampling, method, experiment, study or data set");
    describe_verb->add_option("name", name, "what to describe")->required();
    add_plugins(*describe_verb, plugins);
    describe_verb->callback([&] { code = describe(name); });

    auto* plan_verb =
        app.add_subcommand("plan", "the cells of configurations, their time and memory, without running them");
    add_selection(*plan_verb, options.selection);
    add_results(*plan_verb, options);
    plan_verb->add_option("--as", options.as, "name of the results");
    plan_verb->add_option("--threads", options.threads, "cells at a time; 0: all processors")
        ->check(CLI::Range(0, 1024));
    plan_verb->add_flag("--cells", cells, "show every cell");
    plan_verb->callback([&] {
        with_configs(options.selection);
        code = for_each_value(options, [&](const RunOptions& one) { return show_plan(one, cells); });
    });

    auto* run_verb = app.add_subcommand("run", "computes what is missing, collects it, draws figures and tables");
    add_selection(*run_verb, options.selection);
    add_results(*run_verb, options);
    run_verb->add_option("--as", options.as, "name of the results, beside those of the file's name");
    run_verb->add_flag("--replace", options.replace, "put them in the place of another configuration's");
    run_verb->add_flag("--keep-stale", options.keep_stale, "take what other code or settings computed, and say so");
    run_verb->add_option("--shard", options.shard, "only the second of eight parts: 2/8; 'collect' or 'run' goes on");
    run_verb->add_option("--threads", options.threads, "cells at a time; 0: all processors")
        ->check(CLI::Range(0, 1024));
    run_verb->add_flag("--fresh", options.fresh, "compute every cell, whatever is there");
    run_verb->add_flag("--quiet", options.quiet, "no progress");
    run_verb->add_flag("--no-figures", compute_only, "compute only");
    run_verb->callback([&] {
        with_configs(options.selection);
        options.draw = !compute_only;
        code = for_each_value(options, run);
    });

    auto* status_verb = app.add_subcommand("status", "what is done, failed, stale or missing");
    add_selection(*status_verb, options.selection);
    add_results(*status_verb, options);
    status_verb->add_option("--as", options.as, "name of the results");
    status_verb->add_flag("--json", json, "one JSON object a line");
    status_verb->callback([&] {
        with_configs(options.selection);
        code = for_each_value(options, [&](const RunOptions& one) { return status(one, json); });
    });

    auto* verify_verb = app.add_subcommand("verify", "checks every result file against its checksum");
    verify_verb->add_option("names", names, "experiments or configurations; all if none");
    add_tree(*verify_verb, options);
    verify_verb->callback([&] { code = verify(tree_of(options), options.results, names); });

    auto* table_verb = app.add_subcommand("table", "writes and shows the tables of result files");
    table_verb->add_option("names", names, "experiments, configurations or .h5 files; all if none");
    add_tree(*table_verb, options);
    table_verb->add_flag("--reference", of_reference,
                         "those of full runs that come with rfbench, which are shown only");
    table_verb->add_option("--as", options.as, "name of the results, as it was given to run");
    table_verb->add_flag("--narrow", narrow, "LaTeX for a column of a journal in two columns (252 points)");
    auto* partial_flag =
        table_verb->add_flag("--partial", partial, "show what is done of a sweep that is not finished");
    table_verb->add_option("--set", options.selection.overrides, "KEY=VALUE, as it was given to run")
        ->needs(partial_flag)
        ->take_all()
        ->allow_extra_args(false);
    table_verb->add_option("--configs", options.selection.configs, "folder of configurations")->needs(partial_flag);
    add_plugins(*table_verb, plugins)->needs(partial_flag);
    table_verb->callback([&] {
        const auto results = tree_of(options);
        options.selection.names = names;
        if (partial) with_configs(options.selection);
        code = of_reference ? reference(rfbench::experiments::project() / "results" / "reference", names)
               : partial    ? for_each_value(options, partial_tables)
                            : table(results, names, options.as, narrow);
    });

    auto* claims_verb = app.add_subcommand("claims", "which claims of the papers hold, by result files");
    claims_verb->add_option("filters", names,
                            "an id, paper (thesis, dof, luna, dijiang), verdict, method, experiment or configuration; "
                            "ids stand side by side, others narrow each other down");
    add_tree(*claims_verb, options);
    claims_verb->add_flag("--reference", of_reference, "by the results of full runs that come with rfbench");
    claims_verb->add_option("--format", format, "table, md, tex, csv or json")
        ->check(one_of({"table", "md", "tex", "csv", "json"}))
        ->capture_default_str();
    claims_verb->callback([&] {
        code = claims(of_reference ? rfbench::experiments::project() / "results" / "reference" : tree_of(options),
                      names, format);
    });

    auto* recommend_verb = app.add_subcommand("recommend", "the best features for a use, by result files");
    recommend_verb->add_option("use", advice.use, "what they are for")->required()->check(one_of(recommended_uses()));
    recommend_verb->add_option("--d", advice.dimension, "dimension of queries and keys")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    recommend_verb->add_option("--sd", advice.scale, "standard deviation of their coordinates")
        ->check(CLI::Range(1e-6, 1e6))
        ->capture_default_str();
    recommend_verb->add_option("--columns", advice.columns, "real feature columns, at most")
        ->check(CLI::Range(1.0, 1e9))
        ->capture_default_str();
    add_tree(*recommend_verb, options);
    recommend_verb->add_flag("--reference", of_reference, "by the results of full runs that come with rfbench");
    recommend_verb->callback([&] {
        advice.results = of_reference ? rfbench::experiments::project() / "results" / "reference" : tree_of(options);
        advice.reference = of_reference;
        code = recommend(advice);
    });

    auto* compare_verb =
        app.add_subcommand("compare", "what differs between two results, and whether by more than their errors allow");
    compare_verb->add_option("a", what, "a result file, a results folder, or reference")->required();
    compare_verb->add_option("b", name, "another")->required();
    compare_verb->add_option("--format", format, "table, md, tex or csv")
        ->check(one_of({"table", "md", "tex", "csv"}))
        ->capture_default_str();
    compare_verb->add_option("--rows", rows, "of the table at most; 0: all")->capture_default_str();
    compare_verb->callback([&] { code = compare(what, name, format, rows); });

    auto* pages_verb = app.add_subcommand("pages", "fills the numbers of pages that come from reference results");
    pages_verb->add_flag("--check", check_only, "only say which no longer agree");
    pages_verb->add_option("--root", root, "of the checkout, if not the project's");
    pages_verb->callback([&] { code = pages(root.empty() ? rfbench::experiments::project() : root, check_only); });

    auto* plot_verb = app.add_subcommand("plot", "draws the figures of result files, and of all of them a page");
    plot_verb->add_option("names", names, "experiments, configurations or .h5 files; all if none");
    add_tree(*plot_verb, options);
    plot_verb->add_option("--style", style, "matplotlib settings over those of framework/drawing/rfbench.mplstyle");
    plot_verb->add_flag("--no-title", untitled, "leave titles out of pictures, for papers");
    plot_verb->add_option("--as", options.as, "name of the results, as it was given to run");
    plot_verb->callback([&] { code = plot(tree_of(options), names, options.as, style, !untitled); });

    auto* collect_verb = app.add_subcommand("collect", "unites the cells of several results folders");
    collect_verb->add_option("trees", trees, "other results folders, whose cells are taken over")->required();
    add_results(*collect_verb, options);
    collect_verb->callback([&] { code = collect(options.results, trees); });

    auto* slurm_verb =
        app.add_subcommand("slurm", "writes batch jobs that run shards side by side, and one to collect");
    add_selection(*slurm_verb, options.selection);
    add_results(*slurm_verb, options);
    slurm_verb->add_option("--as", options.as, "name of the results, beside those of the file's name");
    slurm_verb->add_flag("--replace", options.replace, "put them in the place of another configuration's");
    slurm_verb->add_option("--tasks", batch.tasks, "how many; if not given, so many that each takes half an hour")
        ->check(CLI::Range(1, 1'000'000));
    slurm_verb->add_option("--threads", options.threads, "cells at a time in a task, and its processors; 0 is 1")
        ->check(CLI::Range(0, 1024));
    slurm_verb->add_option("--time", batch.time, "a task's, as in 1:30:00; if not given, the site's");
    slurm_verb->add_option("--memory", batch.memory, "a task's, as in 4G; if not given, the site's");
    slurm_verb->add_option("--partition", batch.partition, "of the site, if not its default");
    slurm_verb->add_option("--account", batch.account, "that pays, if not the user's default");
    slurm_verb->add_option("--qos", batch.qos, "quality of service, if not the default");
    slurm_verb->add_option("--at-once", batch.at_once, "tasks of an array at a time; 0: as many as the site lets")
        ->check(CLI::Range(0, 4'000'000));
    slurm_verb
        ->add_option("--max-index", batch.max_index,
                     "the largest of an array at this site (MaxArraySize - 1); more tasks are split over several")
        ->check(CLI::Range(1, 4'000'000))
        ->capture_default_str();
    slurm_verb->add_option("--folder", batch.folder, "of the scripts and logs, if not slurm in that of the results");
    slurm_verb->add_flag("--submit", batch.submit, "submit them too");
    slurm_verb->callback([&] {
        with_configs(options.selection);
        require_one_value(options, "slurm");
        batch.run = options;
        code = slurm(batch);
    });

    auto* prune_verb = app.add_subcommand("prune", "removes cells that no result needs");
    add_results(*prune_verb, options);
    prune_verb->add_flag("--dry-run", dry_run, "only say how many and how large they are");
    prune_verb->callback([&] { code = prune(options.results, dry_run); });

    auto* reproduce_verb =
        app.add_subcommand("reproduce", "computes cells of a result file again, from what it says of itself");
    reproduce_verb->add_option("file", exported, "a result file")->required();
    reproduce_verb->add_option("--cells", cell_count, "how many, evenly over all")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    add_plugins(*reproduce_verb, plugins);
    reproduce_verb->callback([&] { code = reproduce(exported, cell_count); });

    auto* export_verb =
        app.add_subcommand("export", "a result file as a tidy table, or its networks in GPT-2's layout");
    export_verb->add_option("file", table_out.file, "a result file; for --folder one of training/teachers")->required();
    auto* folder_option = export_verb->add_option("--folder", target, "where each network gets a folder of its own");
    auto* to_option = export_verb->add_option("--to", table_out.to, "csv or npz: a table with a row a value")
                          ->check(one_of({"csv", "npz"}))
                          ->excludes(folder_option);
    export_verb->add_option("--out", table_out.out, "file of the table; CSV goes to the screen if not given")
        ->needs(to_option);
    export_verb->add_option("--variables", table_out.variables, "only these, as in accuracy,loss")
        ->delimiter(',')
        ->needs(to_option);
    export_verb->callback([&] {
        if (target.empty() && table_out.to.empty())
            throw rfbench::InputError("export: --to csv or npz for a table, or --folder for networks");
        code = target.empty() ? export_table(table_out) : export_networks(table_out.file, target);
    });

    auto* inspect_verb = app.add_subcommand("inspect", "one mechanism at one pair or two sets, as JSON");
    inspect_verb->add_option("mechanism", asked.mechanism, "its name")->required();
    inspect_verb->add_option("--x", asked.x, "x, as in 0.5,-0.25");
    inspect_verb->add_option("--y", asked.y, "y");
    inspect_verb->add_option("--x-file", asked.x_file, "points, CSV, .npy or HDF5 (file.h5:/dataset)");
    inspect_verb->add_option("--y-file", asked.y_file, "points");
    inspect_verb->add_option("--omega", asked.omega, "one omega: its feature values are shown");
    inspect_verb->add_option("--set", asked.settings, "PARAMETER=VALUE instead of the optimum")
        ->take_all()
        ->allow_extra_args(false);
    inspect_verb->add_option("--count", asked.count, "draws M of the estimator");
    inspect_verb->add_option("--sampling", asked.sampling, "how they are drawn")->capture_default_str();
    add_plugins(*inspect_verb, plugins);
    inspect_verb->callback([&] { code = inspect(asked); });

    auto* inspect_data_verb =
        app.add_subcommand("inspect-data", "where your points or heads stand, and what follows for features of them");
    inspect_data_verb->add_option("file", asked.x_file, "points, queries: CSV, .npy or HDF5 (file.h5:/dataset)")
        ->required();
    inspect_data_verb->add_option("--y", asked.y_file, "keys, if not the same");
    inspect_data_verb->add_flag("--attention", of_heads, "of a head: exp(q.k / sqrt d), not exp(-|x - y|^2 / 2)");
    inspect_data_verb->callback([&] { code = inspect_data(asked.x_file, asked.y_file, of_heads); });

    auto* features_verb = app.add_subcommand("features", "writes the features of your points, and how they were drawn");
    features_verb->add_option("method", wanted.method, "its name, or '{use: NAME, ...}' as in a list of methods");
    features_verb->add_option("--map", wanted.map, "a .h5 file of features: its map is applied to these points");
    features_verb->add_option("--x", wanted.x, "points of queries: CSV, .npy or HDF5 (file.h5:/dataset)")->required();
    features_verb->add_option("--y", wanted.y, "points of keys, if not the same");
    features_verb->add_option("--set", wanted.settings, "PARAMETER=VALUE instead of the optimum")
        ->take_all()
        ->allow_extra_args(false);
    features_verb
        ->add_option("--columns", wanted.columns, "real feature columns, at most (one draw at least); 64 if not given")
        ->check(CLI::Range(1, 1'000'000));
    features_verb->add_option("--sampling", wanted.sampling, "how they are drawn, iid if not given");
    features_verb->add_option("--seed", wanted.seed, "of what is drawn; 1 if not given")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
    features_verb->add_option("--out", wanted.out, "file to write: .h5, or .npy for one file an array")->required();
    add_plugins(*features_verb, plugins);
    features_verb->callback([&] { code = features(wanted); });

    auto* data_verb = app.add_subcommand("data", "data sets: what there is, fetching, checking");
    data_verb->add_option("action", action, "list, describe, verify, fetch or add")
        ->required()
        ->check(one_of({"list", "describe", "verify", "fetch", "add"}));
    data_verb->add_option("names", names,
                          "data sets, or files of yours to describe or to add; all if none (fetch and add need one)");
    data_verb->add_option("--label", addition.label, "add: the column that is the class");
    data_verb->add_option("--categories", addition.categories, "add: columns whose numbers are words, as in doors,year")
        ->delimiter(',');
    data_verb->add_option("--ignored", addition.ignored, "add: columns that are not read")->delimiter(',');
    data_verb->add_option("--name", addition.name, "add: what the data set is called, if not as the file");
    data_verb->callback([&] { code = data(action, names, addition); });

    auto* look_verb = app.add_subcommand("look", "proposes a free colour and mark for a new mechanism");
    look_verb->add_option("name", name, "a mechanism or a sampling; another name with --family")->required();
    look_verb->add_option("--family", style, "of framework/drawing/looks.json, if not that of its kind");
    add_plugins(*look_verb, plugins);
    look_verb->callback([&] { code = look(name, style); });

    auto* completion_verb = app.add_subcommand("completion", "prints a completion script");
    completion_verb->add_option("shell", shell, "bash or zsh")->required();
    completion_verb->callback([&] { code = completion(shell); });

    try {
        // Runs the callback of the verb as well.
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // --help and --version are thrown too, and are no failures.
        if (error.get_exit_code() == 0) return app.exit(error);
        std::cerr << "rfbench: " << refusal(verbs_of(app), error.what(), argc, argv) << '\n';
        return bad_configuration;
    }
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    // Beyond a limit on sizes of files (ulimit -f) writes fail with their reason, as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        require_stacks();
        const int code = parse_and_run(argc, argv);
        flush_stdout_or_throw();
        return code;
    } catch (...) {
        return failed(std::current_exception(), std::cerr);
    }
}
