#include "batch_script.hpp"

#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "rfbench/errors.hpp"

namespace rfbench::cli {
namespace {

std::string directives(const BatchJob& job) {
    std::string text = "#SBATCH --job-name=rfbench\n";
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) text += fmt::format("#SBATCH --{}={}\n", name, value);
    };
    const std::string limit = job.at_once > 0 ? fmt::format("%{}", job.at_once) : "";
    add("array", job.tasks > 0 ? fmt::format("1-{}{}", job.tasks, limit) : "");
    add("ntasks", "1");
    add("cpus-per-task", std::to_string(job.processors));
    if (job.exclusive) text += "#SBATCH --exclusive\n";
    add("time", job.time);
    add("mem", job.memory);
    add("partition", job.partition);
    add("account", job.account);
    add("qos", job.qos);
    add("output", job.log);
    // A task that is started again adds to its log.
    add("open-mode", "append");
    // "B:" has the script alone told, which passes it on to the run.
    add("signal", fmt::format("B:USR1@{}", job.notice));
    return text + "#SBATCH --requeue\n";
}

constexpr const char* body = R"(
cd {folder} || exit 1

told=no
again=no
# Slurm sends SIGTERM to all processes of a job, and a run that is told twice to end does so at once. So the run is deaf
# to it, and is told by SIGHUP. What comes before it has begun waits until it has.
early=no
trap 'early=yes' TERM
trap 'early=yes; again=yes' USR1
(trap '' TERM && exec {command}) &
run=$!
# The job was cancelled or requeued: the run ends after the cells in flight.
trap 'told=yes; kill -HUP "$run"' TERM
# Its time is nearly over: likewise, and the job goes on later.
trap 'told=yes; again=yes; kill -HUP "$run"' USR1
if [ "$early" = yes ]; then kill -HUP "$run"; fi

wait "$run"
code=$?
while [ "$told" = yes ]; do
    told=no
    wait "$run"
    code=$?
done
# 130: it ended when it was told; 129: it was told before it could listen.
if [ "$again" = yes ] && {{ [ "$code" -eq 130 ] || [ "$code" -eq 129 ]; }}; then
    exec scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
)";

}  // namespace

std::string shell_word(std::string_view text) {
    static const std::regex plain("[A-Za-z0-9_./:=,+@%-]+");
    if (std::regex_match(text.begin(), text.end(), plain)) return std::string(text);
    std::string word = "'";
    // A quote cannot stand in single quotes: they end, it is escaped, they begin again.
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string batch_script(const BatchJob& job) {
    std::string command;
    for (const std::string& word : job.command) command += (command.empty() ? "" : " ") + shell_word(word);
    const std::string number =
        job.before > 0 ? fmt::format("$((SLURM_ARRAY_TASK_ID + {}))", job.before) : "$SLURM_ARRAY_TASK_ID";
    if (job.tasks > 0) command += fmt::format(" --shard \"{}/{}\"", number, job.shards);
    return "#!/bin/sh\n" + directives(job) + "# Written by 'rfbench slurm'.\n" +
           fmt::format(fmt::runtime(body), fmt::arg("folder", shell_word(job.folder.string())),
                       fmt::arg("command", command));
}

double slurm_seconds(const std::string& time) {
    // Slurm's forms: minutes, minutes:seconds, hours:minutes:seconds; days-hours with :minutes and :seconds or without.
    static const std::regex clock(R"((\d{1,6})(?::(\d{1,2}))?(?::(\d{1,2}))?)"),
        days(R"((\d{1,4})-(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2}))?)");
    std::smatch part;
    const auto number = [&](std::size_t i) { return part[i].matched ? std::stod(part[i].str()) : 0.0; };
    double seconds = 0;
    if (std::regex_match(time, part, clock))
        seconds = part[3].matched ? 3600 * number(1) + 60 * number(2) + number(3) : 60 * number(1) + number(2);
    else if (std::regex_match(time, part, days))
        seconds = 86400 * number(1) + 3600 * number(2) + 60 * number(3) + number(4);
    if (!(seconds > 0))
        throw InputError(
            fmt::format("--time {} is no time of Slurm: 30 are minutes, 1:30:00 is an hour and a half, "
                        "2-12 are two days and twelve hours",
                        time));
    return seconds;
}

double slurm_bytes(const std::string& memory) {
    static const std::regex form("([1-9][0-9]{0,8})([KMGT]?)");
    std::smatch part;
    if (!std::regex_match(memory, part, form))
        throw InputError(
            fmt::format("--memory {} is no memory of Slurm: 500M and 4G are, with K, M, G or T after a whole number; "
                        "without a letter it is in M",
                        memory));
    const std::string unit = part[2].str().empty() ? "M" : part[2].str();
    return std::ldexp(std::stod(part[1].str()), 10 * static_cast<int>(1 + std::string("KMGT").find(unit)));
}

void check_slurm_name(const char* option, const std::string& text, const char* listed_by) {
    if (!std::regex_match(text, std::regex("[A-Za-z0-9_.+-]+(,[A-Za-z0-9_.+-]+)*")))
        throw InputError(
            fmt::format("{0} {1} is no name of {2} ('{3}' lists them); of several, commas stand between them", option,
                        text, option == std::string("--partition") ? "a partition" : "this site", listed_by));
}

}  // namespace rfbench::cli
