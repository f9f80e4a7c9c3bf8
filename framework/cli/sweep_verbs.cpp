// Verbs that compute cells, and look after them.
#include <memory>

#include "several_values.hpp"
#include "shared_options.hpp"
#include "verb.hpp"

namespace rfbench::cli {
namespace {

Run plan_verb(CLI::App& app) {
    struct Given : RunOptions {
        bool cells = false;
    };
    const auto given = std::make_shared<Given>();
    add_selection(app, *given);
    add_result_name(app, given->as, "name of the results");
    add_threads(app, *given, "cells at a time; 0: all processors");
    app.add_flag("--cells", given->cells, "show every cell");
    return [given] {
        with_configs(given->selection);
        return for_each_value(*given, [&](const RunOptions& one) { return show_plan(one, given->cells); });
    };
}

Run run_verb(CLI::App& app) {
    struct Given : RunOptions {
        bool compute_only = false;
    };
    const auto given = std::make_shared<Given>();
    add_selection(app, *given);
    add_result_name(app, given->as, "name of the results, in place of the file's name");
    app.add_flag("--replace", given->replace, "replace results of another configuration");
    app.add_flag("--keep-stale", given->keep_stale, "use cells that other code or settings computed, and say so");
    app.add_option("--shard", given->shard, "I/N: only part I of N, as in 2/8; then 'run' without --shard collects all")
        ->check(not_empty("a shard is needed, such as 2/8"));
    add_threads(app, *given, "cells at a time; 0: all processors");
    app.add_flag("--fresh", given->fresh, "compute every cell again; networks of other configurations stay");
    app.add_flag("--quiet", given->quiet, "no progress");
    app.add_flag("--no-figures", given->compute_only, "compute only");
    return [given] {
        with_configs(given->selection);
        given->draw = !given->compute_only;
        return for_each_value(*given, run);
    };
}

Run status_verb(CLI::App& app) {
    struct Given : RunOptions {
        bool json = false;
    };
    const auto given = std::make_shared<Given>();
    add_selection(app, *given);
    add_result_name(app, given->as, "name of the results");
    app.add_flag("--json", given->json, "one JSON object a line");
    return [given] {
        with_configs(given->selection);
        return for_each_value(*given, [&](const RunOptions& one) { return status(one, given->json); });
    };
}

Run slurm_verb(CLI::App& app) {
    const auto given = std::make_shared<SlurmOptions>();
    add_selection(app, given->run);
    add_result_name(app, given->run.as, "name of the results, in place of the file's name");
    app.add_flag("--replace", given->run.replace, "replace results of another configuration");
    app.add_option("--tasks", given->tasks, "number of tasks; if not given, each takes about half an hour")
        ->check(CLI::Range(1, 1'000'000));
    add_threads(app, given->run, "cells at a time, and processors, of a task; 0 means 1");
    app.add_option("--time", given->time, "time limit of a task, as in 1:30:00; the site's if not given");
    app.add_option("--memory", given->memory, "memory of a task, as in 4G; the site's if not given");
    app.add_option("--partition", given->partition, "partition; the site's default if not given");
    app.add_option("--account", given->account, "account that pays; the user's default if not given");
    app.add_option("--qos", given->qos, "quality of service; the default if not given");
    app.add_option("--at-once", given->at_once, "tasks of an array that run at a time; 0: as many as the site allows")
        ->check(CLI::Range(0, 4'000'000));
    app.add_option("--max-index", given->max_index,
                   "the largest array index at this site (MaxArraySize - 1); more tasks are split over several arrays")
        ->check(CLI::Range(1, 4'000'000))
        ->capture_default_str();
    app.add_option("--folder", given->folder, "folder of scripts and logs; slurm in the results folder if not given")
        ->type_name("FOLDER");
    app.add_flag("--submit", given->submit, "also submit the jobs");
    return [given] {
        with_configs(given->run.selection);
        require_one_value(given->run, "slurm");
        return slurm(*given);
    };
}

Run collect_verb(CLI::App& app) {
    struct Given : RunOptions {
        std::vector<std::filesystem::path> trees;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("trees", given->trees, "other results folders, whose cells are taken over")
        ->required()
        ->type_name("FOLDER");
    add_results(app, *given);
    return [given] { return collect(given->results, given->trees); };
}

Run prune_verb(CLI::App& app) {
    struct Given : RunOptions {
        bool dry_run = false;
    };
    const auto given = std::make_shared<Given>();
    add_results(app, *given);
    app.add_flag("--dry-run", given->dry_run, "only say how many cells they are, and how large");
    return [given] { return prune(given->results, given->dry_run); };
}

}  // namespace

std::vector<Verb> sweep_verbs() {
    return {
        {"plan", "shows cells, time and memory of configurations, without running them", plan_verb},
        {"run", "computes missing cells, collects all, draws figures and tables", run_verb},
        {"status", "shows which cells are done, failed, stale or missing", status_verb},
        {"slurm", "writes batch jobs: shards that run side by side, and one that collects", slurm_verb},
        {"collect", "unites the cells of several results folders", collect_verb},
        {"prune", "removes cells that no result needs", prune_verb},
    };
}

}  // namespace rfbench::cli
