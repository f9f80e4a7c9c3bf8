// Programs of the system, run and listened to.
#include "rfbench/process/run.hpp"

#include <csignal>

#include "catch.hpp"
#include "rfbench/errors.hpp"

using namespace rfbench::process;

namespace {

Outcome shell(const std::string& script, Command command = {}) {
    command.program = "sh";
    command.arguments = {"-c", script};
    const auto outcome = run(command);
    REQUIRE(outcome);
    return *outcome;
}

}  // namespace

TEST_CASE("A program's output, errors and exit code are kept apart") {
    const Outcome outcome = shell("cat; echo out; echo err >&2; exit 7");
    CHECK(outcome.ending == Ending::by_itself);
    CHECK(outcome.exit_code == 7);
    CHECK(outcome.output == "out\n");  // and the standard input was empty
    CHECK(outcome.errors == "err\n");
    CHECK(shell("kill -TERM $$").exit_code == 128 + SIGTERM);
}

TEST_CASE("A program that fills both of its streams is read to the end") {
    // More than a pipe holds, in turns: who reads one to its end first waits for ever.
    const Outcome outcome = shell("for i in 1 2 3 4; do head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2; done");
    CHECK(outcome.output.size() == 400000);
    CHECK(outcome.errors.size() == 400000);
}

TEST_CASE("A program runs in the folder and with the environment that are given") {
    CHECK(shell("pwd", {.folder = "/"}).output == "/\n");
    CHECK(shell("echo $ONE-$HOME", {.environment = {"ONE=1", "PATH=/bin"}}).output == "1-\n");
    setenv("RFBENCH_TEST_VARIABLE", "here", 1);
    CHECK(shell("echo $RFBENCH_TEST_VARIABLE").output == "here\n");
    unsetenv("RFBENCH_TEST_VARIABLE");
}

TEST_CASE("What is written without end is ended at the limit, which is still allowed") {
    const auto endless = run({.program = "yes", .output = 100000});
    REQUIRE(endless);
    CHECK(endless->ending == Ending::too_much_output);
    CHECK(endless->exit_code == 128 + SIGKILL);
    CHECK(endless->output.size() == 100000);
    CHECK(shell("yes >&2", {.output = 1000}).ending == Ending::too_much_output);
    CHECK(shell("head -c 1000 /dev/zero", {.output = 1000}).ending == Ending::by_itself);
    CHECK(shell("true", {.output = 0}).exit_code == 0);
}

TEST_CASE("A program that hangs is stopped at the end of its time, silent or not") {
    for (const char* script : {"exec sleep 60", "exec sleep 60 >&- 2>&-"}) {
        const Outcome outcome = shell(script, {.time = std::chrono::milliseconds(100)});
        CHECK(outcome.ending == Ending::out_of_time);
        CHECK(outcome.exit_code == 128 + SIGKILL);
    }
}

TEST_CASE("A program that is not there is no outcome, one that cannot be started is told") {
    CHECK(!run({.program = "no-such-program-anywhere"}));
    CHECK(!run({.program = "/no/such/program"}));
    CHECK_THROWS_AS(run({.program = "/etc/passwd"}), rfbench::FileError);
}
