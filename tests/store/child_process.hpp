#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

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
