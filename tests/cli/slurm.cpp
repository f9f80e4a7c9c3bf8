// The scripts of `rfbench slurm`: what is in them, how they behave without a Slurm, and what is refused. On a real
// Slurm they are run by tests/slurm.
#include <cstdlib>

#include "catch.hpp"
#include "program.hpp"
#include "support/changed_variable.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

const std::string job_yaml =
    "experiment: variance\nstudy: gain\ndimensions: [2, 4, 8, 16]\nsquare_sums: {linspace: [1, 100, 5]}\n";

std::string quoted(const std::string& path) {
    std::string word = "'";
    for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

/// A folder whose name needs quoting, with a configuration in it and, ahead on PATH, an scontrol that tells what it was
/// asked.
struct Site {
    TemporaryFolder folder;
    std::string place = folder.file("it's a \"place\" of $HOME"), config = place + "/small.yaml",
                results = place + "/the results", scripts = results + "/slurm";

    Site() {
        folder.write("it's a \"place\" of $HOME/small.yaml", job_yaml);
        std::filesystem::create_directories(folder / "bin");
        program("scontrol", "echo \"$@\" > " + folder.file("asked") + "\n");
    }
    void program(const std::string& name, const std::string& body) const {
        const std::string path = folder.write("bin/" + name, "#!/bin/sh\n" + body);
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    Outcome slurm(const std::string& options) const {
        return run_program("slurm " + quoted(config) + " --results " + quoted(results) + " " + options);
    }
    /// A script as Slurm would start it, as a task of an array; `meanwhile`: what the shell then does to it, "$job".
    int start(const std::string& script, int task, const std::string& meanwhile = "") const {
        const std::string command = "PATH=" + folder.file("bin") +
                                    ":$PATH SLURM_JOB_ID=77 SLURM_ARRAY_TASK_ID=" + std::to_string(task) + " sh " +
                                    quoted(scripts + "/" + script) + " > " + folder.file("log") + " 2>&1 & job=$!; " +
                                    meanwhile + " wait $job";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::string script(const std::string& name) const { return bytes_of(scripts + "/" + name); }
};

}  // namespace

TEST_CASE("slurm writes an array of shards and a job that collects, whatever the names hold", "[cli]") {
    const Site site;
    const Outcome written =
        site.slurm("--set seed=7 --tasks 3 --time 1:30:00 --memory 2G --partition short,long --threads 2");
    INFO(written.out);
    REQUIRE(written.code == 0);
    CHECK(contains(written.out, "3 tasks of 2 processors"));
    CHECK(contains(written.out, "sbatch --parsable tasks.sh"));
    CHECK(contains(written.out, "--dependency=afterany:${job%%;*} collect.sh"));
    const std::string tasks = site.script("tasks.sh"), collecting = site.script("collect.sh");
    for (const char* line : {"#SBATCH --array=1-3\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --time=1:30:00\n",
                             "#SBATCH --mem=2G\n", "#SBATCH --partition=short,long\n", "#SBATCH --requeue\n",
                             "#SBATCH --open-mode=append\n", "#SBATCH --signal=B:USR1@120\n",
                             "#SBATCH --output=log/%A-%a.log\n", " --shard \"$SLURM_ARRAY_TASK_ID/3\") &\n"}) {
        INFO(line);
        CHECK(contains(tasks, line));
    }
    CHECK(!contains(collecting, "--array"));
    CHECK(!contains(collecting, "--shard"));
    CHECK(contains(collecting, "#SBATCH --output=log/%j-collect.log\n"));
    // Slurm reads directives up to the first command.
    CHECK(tasks.rfind("#SBATCH") < tasks.find("\ncd "));
    for (const char* name : {"tasks.sh", "collect.sh"})
        for (const char* shell : {"sh", "bash"})
            CHECK(std::system((std::string(shell) + " -n " + quoted(site.scripts + "/" + name)).c_str()) == 0);
}

TEST_CASE("the scripts of slurm compute and collect what one process does", "[cli]") {
    const Site site;
    const std::string one = site.folder.file("one");
    REQUIRE(run_program("run --no-figures " + quoted(site.config) + " --results " + one).code == 0);
    REQUIRE(site.slurm("--tasks 2").code == 0);
    CHECK(site.start("tasks.sh", 1) == 0);
    CHECK(site.start("tasks.sh", 2) == 0);
    CHECK(!std::filesystem::exists(site.results + "/variance/small.h5"));
    const ChangedVariable python("RFBENCH_PYTHON", site.folder.file("none"));
    const int collected = site.start("collect.sh", 0);
    INFO(bytes_of(site.folder / "log"));
    CHECK(collected == 0);
    CHECK(contains(bytes_of(site.folder / "log"), "4 from before"));
    CHECK(!bytes_of(one + "/variance/small.h5").empty());
    CHECK(bytes_of(site.results + "/variance/small.h5") == bytes_of(one + "/variance/small.h5"));

    const Outcome nothing = site.slurm("--tasks 2");
    CHECK(nothing.code == 4);
    CHECK(contains(nothing.out, "every cell is there already"));
}

TEST_CASE("what measures time is computed by one process, with nothing beside it", "[cli]") {
    const Site site;
    const std::string timed = site.folder.write(
        "timed.yaml",
        "experiment: cost\nstudy: growth\ndoublings: 2\nlines: [{task: features, grows: rows, from: 64}]\n");
    const std::string both = quoted(site.config) + " " + quoted(timed) + " --results " + quoted(site.results);
    const Outcome written = run_program("slurm " + both + " --tasks 2");
    INFO(written.out);
    REQUIRE(written.code == 0);
    CHECK(contains(written.out, "measures times, alone on its node: cost/timed"));
    CHECK(contains(site.script("collect.sh"), "#SBATCH --exclusive\n"));
    CHECK(!contains(site.script("tasks.sh"), "--exclusive"));
    const Outcome shard = run_program("run --no-figures --shard 1/1 " + both);
    INFO(shard.out);
    CHECK(shard.code == 0);
    CHECK(contains(shard.out, "cost/timed measures times and is left out"));
    CHECK(contains(run_program("status " + both + " --json").out, "\"done\":4"));
    const Outcome alone = run_program("slurm " + quoted(timed) + " --results " + quoted(site.results) + " --tasks 1");
    CHECK(alone.code == 2);
    CHECK(contains(alone.out, "cost/timed measures times"));
}

TEST_CASE("a task whose time is nearly over goes on later, one that is cancelled does not", "[cli]") {
    const Site site;
    // In place of the program one that ends when it is told by SIGHUP.
    REQUIRE(site.slurm("--tasks 1").code == 0);
    std::string text = site.script("tasks.sh");
    const std::size_t from = text.find(RFBENCH_PROGRAM);
    REQUIRE(from != std::string::npos);
    const std::string slow = "#!/bin/sh\ntrap 'echo told >> " + site.folder.file("told") +
                             "; exit 130' HUP\necho $$ > " + site.folder.file("ready") +
                             "\nfor i in $(seq 600); do sleep 0.1; done\nexit 1\n";
    site.folder.write("slow", slow);
    text.replace(from, std::string(RFBENCH_PROGRAM).size(), "sh " + site.folder.file("slow"));
    put_bytes(site.scripts + "/tasks.sh", text);

    const std::string ready = site.folder.file("ready"), begun = "until [ -s " + ready + " ]; do sleep 0.02; done; ";
    struct Case {
        std::string signals, asked;
        int code;
    };
    for (const Case& one : {Case{"kill -USR1 $job;", "requeue 77\n", 0}, Case{"kill -TERM $job;", "", 130},
                            // As Slurm does it: the run gets SIGTERM itself, and is told once all the same.
                            Case{"kill -TERM $(cat " + ready + ") $job;", "", 130}}) {
        INFO(one.signals);
        for (const char* name : {"ready", "told", "asked"}) std::filesystem::remove(site.folder / name);
        CHECK(site.start("tasks.sh", 1, begun + one.signals) == one.code);
        CHECK(bytes_of(site.folder / "told") == "told\n");
        CHECK(bytes_of(site.folder / "asked") == one.asked);
    }

    // A signal may come when the run has begun and the script does not know its number yet.
    const std::string known = "\nrun=$!\n";
    const std::size_t before = text.find(known);
    REQUIRE(before != std::string::npos);
    text.insert(before, "\ntouch " + site.folder.file("forked") + "\nsleep 0.5");
    put_bytes(site.scripts + "/tasks.sh", text);
    for (const char* name : {"ready", "told", "asked"}) std::filesystem::remove(site.folder / name);
    CHECK(site.start("tasks.sh", 1,
                     "until [ -e " + site.folder.file("forked") + " ]; do sleep 0.02; done; " + begun +
                         "kill -USR1 $job;") == 0);
    CHECK(bytes_of(site.folder / "told") == "told\n");
    CHECK(bytes_of(site.folder / "asked") == "requeue 77\n");
}

TEST_CASE("a run's exit code is that of its task", "[cli]") {
    const Site site;
    REQUIRE(site.slurm("--tasks 2").code == 0);
    put_bytes(site.config, "experiment: variance\nstudy: gian\n");
    CHECK(site.start("tasks.sh", 1) == 2);
    CHECK(!std::filesystem::exists(site.folder / "asked"));
}

TEST_CASE("slurm submits both jobs, the second after the first", "[cli]") {
    const Site site;
    site.program("sbatch", "pwd >> " + site.folder.file("asked") + "; echo \"$@\" >> " + site.folder.file("asked") +
                               "; echo '12;cluster'\n");
    const ChangedVariable path("PATH", site.folder.file("bin") + ":" + std::getenv("PATH"));
    const Outcome submitted = site.slurm("--tasks 2 --submit");
    INFO(submitted.out);
    CHECK(submitted.code == 0);
    CHECK(contains(submitted.out, "submitted: tasks 12, then 12"));
    CHECK(bytes_of(site.folder / "asked") == site.scripts + "\n--parsable tasks.sh\n" + site.scripts +
                                                 "\n--parsable --dependency=afterany:12 collect.sh\n");
    site.program("sbatch", "echo 'sbatch: error: invalid partition specified: nowhere' >&2; exit 1\n");
    const Outcome refused = site.slurm("--tasks 2 --submit");
    CHECK(refused.code == 1);
    CHECK(contains(refused.out, "invalid partition specified: nowhere"));
}

TEST_CASE("accounts, qualities of service and a limit on tasks at once are passed on", "[cli]") {
    const Site site;
    const Outcome written = site.slurm("--tasks 4 --account lab-1 --qos long,normal --at-once 2");
    INFO(written.out);
    REQUIRE(written.code == 0);
    for (const char* line : {"#SBATCH --array=1-4%2\n", "#SBATCH --account=lab-1\n", "#SBATCH --qos=long,normal\n"})
        CHECK(contains(site.script("tasks.sh"), line));
    CHECK(contains(site.script("collect.sh"), "#SBATCH --account=lab-1\n"));
    CHECK(!contains(site.script("collect.sh"), "--array"));
    REQUIRE(site.slurm("--tasks 4").code == 0);
    for (const char* option : {"--account", "--qos"}) CHECK(!contains(site.script("tasks.sh"), option));
    CHECK(contains(site.script("tasks.sh"), "#SBATCH --array=1-4\n"));
}

TEST_CASE("more tasks than an array may have are split over several, which compute all of it", "[cli]") {
    const Site site;
    const ChangedVariable python("RFBENCH_PYTHON", site.folder.file("none"));
    const Outcome written = site.slurm("--tasks 4 --max-index 3");
    INFO(written.out);
    REQUIRE(written.code == 0);
    CHECK(contains(written.out, "note: 4 tasks are split over 2 arrays, tasks.sh to tasks-2.sh: 1000 is the largest"));
    CHECK(contains(written.out, "for script in tasks.sh tasks-2.sh; do job=$(sbatch --parsable $script)"));
    CHECK(contains(site.script("tasks.sh"), "#SBATCH --array=1-3\n"));
    CHECK(contains(site.script("tasks-2.sh"), "#SBATCH --array=1-1\n"));
    for (const int task : {1, 2, 3}) CHECK(site.start("tasks.sh", task) == 0);
    CHECK(site.start("tasks-2.sh", 1) == 0);
    CHECK(site.start("collect.sh", 0) == 0);
    CHECK(contains(bytes_of(site.folder / "log"), "4 from before"));
    CHECK(!contains(Site().slurm("--tasks 4").out, "split"));

    const Site other;
    other.program("sbatch", "echo \"$@\" >> " + other.folder.file("asked") + "; echo 12\n");
    const ChangedVariable path("PATH", other.folder.file("bin") + ":" + std::getenv("PATH"));
    CHECK(contains(other.slurm("--tasks 4 --max-index 2 --submit").out, "submitted: tasks 12, 12, then 12"));
    CHECK(bytes_of(other.folder / "asked") ==
          "--parsable tasks.sh\n--parsable tasks-2.sh\n"
          "--parsable --dependency=afterany:12:12 collect.sh\n");
}

TEST_CASE("without a number of tasks they take half an hour each, and short ones are warned of", "[cli]") {
    const Site site;
    put_bytes(site.config, job_yaml + "minutes: 45\n");
    // 45 minutes on two cores are 90 on one.
    const Outcome three = site.slurm("");
    INFO(three.out);
    CHECK(three.code == 0);
    CHECK(contains(three.out, "3 tasks of 1 processor, about 30 min 00 s each"));
    CHECK(contains(site.slurm("--threads 2").out, "2 tasks of 2 processors, about 22 min 30 s each"));
    CHECK(contains(site.slurm("--time 10").out, "a task takes longer than --time 10"));
    put_bytes(site.config, job_yaml + "minutes: 1\n");
    const Outcome shorter = site.slurm("--tasks 4");
    CHECK(shorter.code == 0);
    CHECK(contains(shorter.out, "note: a task of 30 s is hardly worth its start; '--tasks 1'"));
}

TEST_CASE("what slurm cannot do is refused in sentences", "[cli]") {
    const Site site;
    const std::pair<const char*, const char*> cases[] = {
        {"", "--tasks is needed, since it is not known how long variance/small will take"},
        {"--tasks 0", "slurm: --tasks: "},
        {"--tasks 5", "--tasks 5 are more than the cells that are to be computed, 4"},
        {"--tasks 2 --time soon", "--time soon is no time of Slurm: 30 are minutes, 1:30:00 is"},
        {"--tasks 2 --time 0", "--time 0 is no time of Slurm"},
        {"--tasks 2 --memory lots", "--memory lots is no memory of Slurm: 500M and 4G are"},
        {"--tasks 2 --memory -4G", "--memory -4G is no memory of Slurm"},
        {"--tasks 2 --partition 'a b'", "--partition a b is no name of a partition"},
        {"--tasks 2 --account 'a b'", "--account a b is no name of this site ('sacctmgr show associations' lists"},
        {"--tasks 2 --qos ';'", "--qos ; is no name of this site"},
        {"--tasks 2 --max-index 0", "slurm: --max-index: "},
        {"--tasks 2 --set dimension=3", "Did you mean 'dimensions'"},
        {"--task 2", "slurm: there is no option '--task'. Did you mean '--tasks'?"},
    };
    for (const auto& [options, message] : cases) {
        const Outcome refused = site.slurm(options);
        INFO(options << ": " << refused.out);
        CHECK(refused.code == 2);
        CHECK(contains(refused.out, message));
        CHECK(!std::filesystem::exists(site.scripts));
    }
    CHECK(contains(run_program("slurm").out, "slurm: name what is to be run"));
    CHECK(contains(run_program("slurm variance/gian --tasks 2").out, "Did you mean 'variance/gain'"));
    const Outcome memory =
        run_program("slurm attention/causal --tasks 2 --memory 1M --results " + site.folder.file("r"));
    CHECK(memory.code == 2);
    CHECK(contains(memory.out, "--memory 1M is too little for attention/causal, whose cells take about "));
}

TEST_CASE("times and memory are read as sbatch reads them", "[cli]") {
    const Site site;
    put_bytes(site.config, job_yaml + "minutes: 45\n");
    const auto fits = [&](const std::string& time) {
        const Outcome run = site.slurm("--tasks 1 --time " + time);
        REQUIRE(run.code == 0);
        return !contains(run.out, "a task takes longer");
    };
    // One task takes 90 minutes.
    for (const char* enough : {"91", "90:01", "1:30:01", "0-2", "0-1:31", "0-1:30:01", "1-0"}) CHECK(fits(enough));
    for (const char* little : {"89", "89:59", "1:29:59", "0-1", "0-1:29", "0-1:29:59"}) CHECK(!fits(little));
}
