#pragma once
// Processes that tests start, to see how they end and to kill them.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rfbench::tests {

/// Runs an action in a forked process, which ends with its result as exit status, 99 when it throws, and by SIGALRM
/// when it takes longer than the limit. Returns what waitpid tells.
template <class Action>
int status_of_child(unsigned limit_in_seconds, Action action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(limit_in_seconds);
        int result = 99;
        try {
            result = action();
        } catch (...) {
        }
        ::_exit(result);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

inline bool ended_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

/// Repeats an action in a forked process and kills it at a random moment: when it has been done once, and then a
/// fraction of the time that took has passed. Returns whether the process was still at work, as it should be.
template <class Action>
bool kill_amid(double fraction, Action action) {
    int ends[2];
    if (::pipe(ends) != 0) return false;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        try {
            for (bool first = true;; first = false) {
                action();
                if (first && ::write(ends[1], "+", 1) != 1) break;
            }
        } catch (...) {
        }
        ::_exit(99);
    }
    ::close(ends[1]);
    char byte;
    const bool began = ::read(ends[0], &byte, 1) == 1;
    ::close(ends[0]);
    std::this_thread::sleep_for(fraction * (std::chrono::steady_clock::now() - begin));
    ::kill(child, SIGKILL);
    int status = -1;
    ::waitpid(child, &status, 0);
    return began && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/// This test program, started anew with one hidden test, so that no thread or lock of ours is inherited.
class ChildProcess {
public:
    /// `test`: the tag of the hidden test. `variables`: NAME=value, besides the environment that is there. `log`: where
    /// its output and errors go.
    ChildProcess(const char* test, std::vector<std::string> variables, const std::string& log) {
        std::vector<char*> environment;
        for (std::string& variable : variables) environment.push_back(variable.data());
        for (char** at = environ; *at != nullptr; ++at) environment.push_back(*at);
        environment.push_back(nullptr);
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        posix_spawn_file_actions_adddup2(&files, 1, 2);
        // A test program started in the background has inherited ignored signals: the child shall not.
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &signals);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        std::string program = "this test program", tag = test;
        char* arguments[] = {program.data(), tag.data(), nullptr};
        const int failure = posix_spawn(&pid, "/proc/self/exe", &files, &attributes, arguments, environment.data());
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&files);
        if (failure != 0) throw std::runtime_error("cannot start the child");
    }
    ~ChildProcess() {
        if (pid > 0) {
            kill(pid, SIGKILL);
            wait();
        }
    }
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    bool ended() const {
        siginfo_t info{};
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
    }
    void signal(int number) const { kill(pid, number); }

    /// The status waitpid gives.
    int wait() {
        int status = 0;
        waitpid(pid, &status, 0);
        pid = -1;
        return status;
    }

    pid_t pid = -1;
};

}  // namespace rfbench::tests
