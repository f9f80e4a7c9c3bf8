#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

/// Runs an action in a forked process, which ends with its result as exit status, 99 when it throws, and by SIGALRM when
/// it takes longer than the limit. Returns what waitpid tells.
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

/// Lets an endless action run in a forked process and kills it after some microseconds. Returns whether the action was
/// still running then, as it should.
template <class Action>
bool kill_amid(unsigned microseconds, Action action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        try {
            for (;;) action();
        } catch (...) {
        }
        ::_exit(99);
    }
    ::usleep(microseconds);
    ::kill(child, SIGKILL);
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}
