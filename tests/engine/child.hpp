#pragma once
// A run of the small sweep in a process of its own, to be interrupted and killed. The process is this test program,
// started anew with one hidden test, so that no thread or lock of ours is inherited.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "sweep.hpp"

namespace sweep {

inline void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Child {
    pid_t pid = -1;
    fs::path ready, outcome;

    /// Starts a run of the sweep in `folder`; every cell takes `milliseconds`.
    Child(const fs::path& folder, const fs::path& scratch, int threads, const char* order, double milliseconds)
        : ready(scratch / "ready"), outcome(scratch / "outcome") {
        fs::remove(ready);
        fs::remove(outcome);
        const std::vector<std::string> variables = {
            "RFBENCH_CHILD_FOLDER=" + folder.string(), "RFBENCH_CHILD_SCRATCH=" + scratch.string(),
            "RFBENCH_CHILD_THREADS=" + std::to_string(threads), std::string("RFBENCH_CHILD_ORDER=") + order,
            "RFBENCH_CHILD_MILLISECONDS=" + std::to_string(milliseconds)};
        std::vector<char*> environment;
        for (const auto& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
        for (char** at = environ; *at != nullptr; ++at) environment.push_back(*at);
        environment.push_back(nullptr);
        const std::string log = (scratch / "log").string();
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        posix_spawn_file_actions_adddup2(&files, 1, 2);
        const std::string program = "test_engine", test = "[.child]";
        // A test program started in the background has inherited ignored signals: the child shall not.
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &signals);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        char* arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(test.c_str()), nullptr};
        const int failure = posix_spawn(&pid, "/proc/self/exe", &files, &attributes, arguments, environment.data());
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
        if (failure != 0) throw std::runtime_error("cannot start the child");
    }
    ~Child() {
        if (pid > 0) {
            kill(pid, SIGKILL);
            wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Until the run has begun its first cell (or the process has ended).
    void wait_ready() const {
        for (siginfo_t info{}; !fs::exists(ready); sleep_seconds(0.0005))
            if (waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) return;
    }

    void signal(int number) const { kill(pid, number); }

    /// The status waitpid gives.
    int wait() {
        int status = 0;
        waitpid(pid, &status, 0);
        pid = -1;
        return status;
    }
};

}  // namespace sweep
