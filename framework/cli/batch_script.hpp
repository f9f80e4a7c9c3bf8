#pragma once
// Scripts for sbatch, Slurm's batch jobs: what a job asks for, and one command that it runs.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::cli {

struct BatchJob {
    std::size_t tasks = 0;                              ///< of an array, one shard each; 0: one job, all of it
    std::size_t before = 0, shards = 0;                 ///< shards of the arrays before this one, and of all arrays
    std::size_t at_once = 0;                            ///< tasks of the array that run at a time; 0: no limit
    int processors = 1;                                 ///< of each task
    bool exclusive = false;                             ///< with nothing beside it on its node
    std::string time, memory, partition, account, qos;  ///< as sbatch reads them; empty: the site's own
    int notice = 120;                  ///< seconds before the end of its time at which a task is told to end
    std::string log;                   ///< file, relative to where the job is submitted, with sbatch's % patterns
    std::filesystem::path folder;      ///< in which the command runs
    std::vector<std::string> command;  ///< program and arguments; of an array `--shard i/n` is added
};

/// The script. A run that ends with the exit code "interrupted", because its time is nearly over, makes the job go on
/// later (scontrol requeue); every other exit code is the job's.
std::string batch_script(const BatchJob&);

/// The text as one word of a shell, whatever is in it.
std::string shell_word(std::string_view text);

/// Seconds of "30" (minutes), "30:00", "1:30:00", "2-12", "2-12:30" or "2-12:30:00", as --time of sbatch has them.
/// Throws InputError naming these for anything else.
double slurm_seconds(const std::string& time);

/// Bytes of "500" (MiB), "500M", "4G", as --mem of sbatch has them. Throws InputError for anything else.
double slurm_bytes(const std::string& memory);

/// Throws InputError where the text is no name as Slurm has them for partitions, accounts and qualities of service.
/// `option`: "--partition"; `listed_by`: the command that lists them.
void check_slurm_name(const char* option, const std::string& text, const char* listed_by);

}  // namespace rfbench::cli
