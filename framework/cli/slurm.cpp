// rfbench slurm: the shards of configurations as an array of batch jobs, and the job that collects them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "batch_script.hpp"
#include "prepared.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/progress.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/process/run.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/instruction_set.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

constexpr double wanted_seconds = 1800;  ///< that a task takes
constexpr double min_seconds = 60;       ///< below which starting it costs more than it is worth
constexpr double min_notice = 120;       ///< seconds; Slurm is up to 60 early
constexpr double max_notice = 65535;

constexpr const char *collect_file = "collect.sh", *foundations_file = "foundations.sh";

/// An array of tasks has numbers from 1 to the largest that the site allows: more are split over several.
struct Array {
    std::string file;
    std::size_t before, tasks;  ///< of those before it, and its own
};

std::vector<Array> arrays_of(std::size_t tasks, std::size_t max_index) {
    std::vector<Array> all;
    for (std::size_t before = 0; before < tasks; before += max_index) {
        const std::string number = all.empty() ? "" : fmt::format("-{}", all.size() + 1);
        all.push_back({"tasks" + number + ".sh", before, std::min(max_index, tasks - before)});
    }
    return all;
}

/// Work of one task.
struct Work {
    std::size_t cells = 0;
    double seconds = 0;
    double max_cell_seconds = 0;        ///< seconds, in the mean of a configuration
    std::vector<std::string> unknown;   ///< configurations that no one knows the time of
    std::vector<std::string> measured;  ///< configurations that measure times: no task has cells of theirs
    /// Those that stand on results that are not there yet: tasks come to their cells in a second turn.
    std::vector<Waiting> waiting;
};

Work work_of(const RunOptions& options, const std::vector<Prepared>& all, const std::vector<Waiting>& waiting) {
    Work work;
    work.waiting = waiting;
    for (const Waiting& one : waiting) {
        if (!one.minutes) work.unknown.push_back(one.name);
        work.seconds += 60 * 2.0 / options.threads * one.minutes.value_or(0);
    }
    const int threads = options.threads;
    for (const Prepared& one : all) {
        const TimeForecast time = forecast(options, one, threads);
        if (time.missing.empty()) continue;
        if (one.sweep.alone) {
            work.measured.push_back(place(one.plan));
            continue;
        }
        work.cells += time.missing.size();
        if (!time.known()) work.unknown.push_back(place(one.plan));
        // Minutes of a configuration are those of two cores.
        const bool of_two = time.source == TimeForecast::Source::configuration;
        const double seconds = time.seconds * (of_two ? 2.0 / threads : 1.0);
        work.seconds += seconds;
        // Seconds are those of missing / threads rounds, and a round takes as long as a cell.
        work.max_cell_seconds =
            std::max(work.max_cell_seconds, seconds * threads / static_cast<double>(time.missing.size()));
    }
    return work;
}

/// As many tasks as asked for, or such that each takes half an hour.
std::size_t number_of_tasks(const SlurmOptions& options, const Work& work) {
    if (options.tasks) {
        if (*options.tasks > work.cells && work.waiting.empty())
            throw InputError(fmt::format("--tasks {} are more than the cells that are to be computed, {}",
                                         *options.tasks, work.cells));
        return *options.tasks;
    }
    if (!work.unknown.empty())
        throw InputError(
            fmt::format("--tasks is needed, since it is not known how long {} will take; tasks of minutes to an hour "
                        "are good, and 'rfbench run --set' with few values shows what a cell takes",
                        fmt::join(work.unknown, ", ")));
    const double tasks = std::ceil(work.seconds / wanted_seconds);
    const double most = work.waiting.empty() ? static_cast<double>(work.cells) : tasks;
    return static_cast<std::size_t>(std::clamp(tasks, 1.0, std::max(1.0, most)));
}

void check(const SlurmOptions& options, const std::vector<Prepared>& all) {
    if (!options.time.empty()) slurm_seconds(options.time);
    if (!options.partition.empty()) check_slurm_name("--partition", options.partition, "sinfo");
    if (!options.account.empty()) check_slurm_name("--account", options.account, "sacctmgr show associations");
    if (!options.qos.empty()) check_slurm_name("--qos", options.qos, "sacctmgr show qos");
    const double memory = options.memory.empty() ? 0 : slurm_bytes(options.memory);
    for (const Prepared& one : all) {
        const int at_a_time = one.sweep.alone ? 1 : options.run.threads;
        const double needed = one.sweep.bytes * at_a_time;
        if (memory > 0 && needed > memory)
            throw InputError(fmt::format("--memory {} is too little for {}, whose cells take about {}, {} at a time",
                                         options.memory, place(one.plan), bytes_text(needed), at_a_time));
        require_writable(options.run.results / place(one.plan));
        if (!options.run.replace) require_own_place(options.run.results, one.plan);
    }
    require_writable(options.folder);
}

/// This very program, whatever a job has on its PATH. One of a package by its launcher, which refuses the processor of
/// a node that lacks this instruction set: another one gives other bits.
std::vector<std::string> this_program() {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const auto launcher = (program.parent_path() / RFBENCH_LAUNCHER_FROM_PROGRAM).lexically_normal();
    // A build tree has no launcher: what lies at that place is another program.
    const bool launched =
        program.parent_path().parent_path() == launcher.parent_path().parent_path() / "lib" / "rfbench";
    if (!launched || !std::filesystem::exists(launcher)) return {program.string()};
    return {"env", "RFBENCH_INSTRUCTION_SET=" + store::instruction_set(), launcher.string()};
}

/// The command that computes all that is selected, as it was given here.
std::vector<std::string> command(const RunOptions& options) {
    std::vector<std::string> words = this_program();
    words.emplace_back("run");
    const auto add = [&](const std::string& option, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {option, value});
    };
    const Selection& selection = options.selection;
    words.insert(words.end(), selection.names.begin(), selection.names.end());
    add("--configs", selection.configs.string());
    add("--profile", selection.profile);
    for (const std::string& override_ : selection.overrides) add("--set", override_);
    for (const std::filesystem::path& plugin : selection.plugins) add("--plugin", plugin.string());
    add("--results", options.results.string());
    add("--as", options.as);
    if (options.replace) words.emplace_back("--replace");
    add("--threads", std::to_string(options.threads));
    return words;
}

/// Seconds before the end of its time at which a task is told to end: so that the cells in flight can.
int notice(const SlurmOptions& options, const Work& work) {
    double seconds = std::clamp(2 * work.max_cell_seconds, min_notice, max_notice);
    // Half of a task's time is left to work in.
    if (!options.time.empty()) seconds = std::min(seconds, slurm_seconds(options.time) / 2);
    return static_cast<int>(seconds);
}

/// The command that collects what others stand on.
std::vector<std::string> foundations_command(const RunOptions& options, const Chain::Foundations& foundations) {
    RunOptions own = options;
    own.selection.names = foundations.names;
    own.as.clear();
    if (!foundations.selected) own.selection.overrides.clear();
    return command(own);
}

void write_scripts(const SlurmOptions& options, const Work& work, const std::vector<Array>& arrays,
                   const Chain::Foundations& foundations) {
    BatchJob job;
    job.shards = arrays.back().before + arrays.back().tasks;
    job.at_once = options.at_once;
    job.processors = options.run.threads;
    job.time = options.time;
    job.memory = options.memory;
    job.partition = options.partition;
    job.account = options.account;
    job.qos = options.qos;
    job.notice = notice(options, work);
    job.log = "log/%A-%a.log";
    job.folder = std::filesystem::current_path();
    job.command = command(options.run);
    store::make_folders(options.folder / "log");
    store::remove_temporaries_beside(options.folder / collect_file);
    for (const Array& array : arrays) {
        job.before = array.before;
        job.tasks = array.tasks;
        store::write_file(options.folder / array.file, batch_script(job));
    }
    // The same command without a shard collects, and computes what tasks have left.
    job.tasks = 0;
    job.exclusive = !work.measured.empty();
    job.log = "log/%j-collect.log";
    store::write_file(options.folder / collect_file, batch_script(job));
    if (work.waiting.empty()) return;
    job.exclusive = false;
    job.log = "log/%j-foundations.log";
    job.command = foundations_command(options.run, foundations);
    store::write_file(options.folder / foundations_file, batch_script(job));
}

void describe_tasks(const SlurmOptions& options, const Work& work, const std::vector<Array>& arrays) {
    const std::size_t tasks = arrays.back().before + arrays.back().tasks;
    const std::filesystem::path script = options.folder / arrays.front().file;
    if (arrays.size() > 1)
        std::cerr << fmt::format(
            "note: {} tasks are split over {} arrays, {} to {}: 1000 is the largest number in an array "
            "where a site has not raised it ('scontrol show config' has MaxArraySize, one more); "
            "--max-index says that it has\n",
            tasks, arrays.size(), arrays.front().file, arrays.back().file);
    const std::string count = fmt::format("{} task{}", tasks, tasks == 1 ? "" : "s");
    const std::string processors =
        fmt::format("{} processor{}", options.run.threads, options.run.threads == 1 ? "" : "s");
    if (!work.unknown.empty()) {
        fmt::print("{}: {} of {}, which take a time that is not known yet\n", script.string(), count, processors);
        return;
    }
    const double each = work.seconds / static_cast<double>(tasks);
    fmt::print("{}: {} of {}, about {} each\n", script.string(), count, processors, engine::duration(each));
    if (each < min_seconds && tasks > 1)
        std::cerr << fmt::format(
            "note: a task of {} is hardly worth its start; '--tasks {}' makes them last longer\n",
            engine::duration(each),
            std::clamp<std::size_t>(static_cast<std::size_t>(work.seconds / wanted_seconds), 1, tasks));
    if (!options.time.empty() && each > slurm_seconds(options.time))
        std::cerr << fmt::format("note: a task takes longer than --time {}: it will be queued again until it is done\n",
                                 options.time);
}

/// Scripts side by side, one step after another. Tasks run once more when what others stand on is collected: the same
/// command then comes to those.
using Steps = std::vector<std::vector<std::string>>;
Steps steps_of(const Work& work, const std::vector<Array>& arrays) {
    std::vector<std::string> tasks;
    for (const Array& array : arrays) tasks.push_back(array.file);
    if (work.waiting.empty()) return {tasks, {collect_file}};
    return {tasks, {foundations_file}, tasks, {collect_file}};
}

/// Shell commands that submit them, each step after the one before.
std::string how_to_submit(const std::filesystem::path& folder, const Steps& steps) {
    std::string text = fmt::format("To submit them:\n  cd {}\n", shell_word(folder.string())), after;
    for (const std::vector<std::string>& scripts : steps) {
        if (&scripts == &steps.back()) {
            text += fmt::format("  sbatch{} {}\n", after, scripts.front());
        } else if (scripts.size() == 1) {
            text += fmt::format("  job=$(sbatch --parsable{} {})\n", after, scripts.front());
            after = " --dependency=afterany:${job%%;*}";
        } else {
            // Within the loop the variable of the job before changes.
            if (!after.empty()) text += "  before=${job%%;*}\n";
            text += fmt::format(
                "  jobs=\n  for script in {}; do job=$(sbatch --parsable{} $script); jobs=$jobs:${{job%%;*}}; done\n",
                fmt::join(scripts, " "), after.empty() ? "" : " --dependency=afterany:$before");
            after = " --dependency=afterany$jobs";
        }
    }
    return text;
}

/// Runs sbatch in the folder, and gives the number of the job.
std::string sbatch(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
    const auto outcome = process::run({.program = "sbatch", .arguments = arguments, .folder = folder});
    if (!outcome) throw FileError("there is no sbatch on PATH: --submit works where Slurm is, on its login nodes");
    if (outcome->exit_code != 0)
        throw FileError(fmt::format("sbatch refused {}: {}", fmt::join(arguments, " "), outcome->errors));
    // sbatch --parsable prints the number, and on some sites the cluster after a semicolon.
    return outcome->output.substr(0, outcome->output.find_first_of(";\n"));
}

void submit(const std::filesystem::path& folder, const Steps& steps) {
    std::vector<std::string> said;
    std::string after;
    for (const std::vector<std::string>& scripts : steps) {
        std::vector<std::string> jobs;
        for (const std::string& script : scripts) {
            std::vector<std::string> arguments{"--parsable"};
            if (!after.empty()) arguments.push_back(after);
            arguments.push_back(script);
            jobs.push_back(sbatch(folder, arguments));
        }
        after = fmt::format("--dependency=afterany:{}", fmt::join(jobs, ":"));
        said.push_back(fmt::format("{}", fmt::join(jobs, ", ")));
    }
    fmt::print("submitted: tasks {}\n", fmt::join(said, ", then "));
}

}  // namespace

int slurm(const SlurmOptions& given) {
    SlurmOptions options = given;
    options.run.threads = std::max(1, options.run.threads);  // not as many as this machine has
    if (options.folder.empty()) options.folder = options.run.results / "slurm";
    if (options.run.selection.names.empty())
        throw InputError("slurm: name what is to be run: an experiment, a configuration, a YAML file, or all");
    Chain chain(options.run);
    if (chain.empty()) return report_nothing_selected(options.run.selection);
    const std::vector<Prepared> all = prepare(chain);
    check(options, all);

    const Work work = work_of(options.run, all, chain.waiting());
    if (work.cells == 0 && work.waiting.empty() && !work.measured.empty())
        throw InputError(
            fmt::format("slurm: {} measure{} times, one cell after another: no tasks side by side can; run "
                        "'rfbench run' on a machine with nothing beside it",
                        fmt::join(work.measured, ", "), work.measured.size() == 1 ? "s" : ""));
    if (work.cells == 0 && work.waiting.empty()) {
        std::cerr << "rfbench: every cell is there already; 'rfbench run' collects them\n";
        return nothing_selected;
    }
    const std::size_t tasks = number_of_tasks(options, work);
    const std::vector<Array> arrays = arrays_of(tasks, options.max_index);
    write_scripts(options, work, arrays, chain.foundations());
    describe_tasks(options, work, arrays);
    if (!work.waiting.empty())
        fmt::print("{}: collects {}, on which others stand; the tasks then run once more\n",
                   (options.folder / foundations_file).string(), fmt::join(chain.foundations().names, ", "));
    fmt::print("{}: collects what they computed, and computes what they left\n",
               (options.folder / collect_file).string());
    if (!work.measured.empty())
        fmt::print("  and measures times, alone on its node: {}\n", fmt::join(work.measured, ", "));

    const std::filesystem::path folder = std::filesystem::absolute(options.folder);
    if (options.submit)
        submit(folder, steps_of(work, arrays));
    else
        fmt::print("{}", how_to_submit(folder, steps_of(work, arrays)));
    return success;
}

}  // namespace rfbench::cli
