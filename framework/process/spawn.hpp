#pragma once
#include <sys/types.h>

#include <optional>

#include "rfbench/process/run.hpp"

namespace rfbench::process {

/// Open files that a program begins with; -1: /dev/null for its input, ours for the others.
struct Streams {
    int input = -1, output = -1, errors = -1;
};

/// Starts a program and does not wait for it: its process, or nothing when there is no such program. Throws FileError
/// when it is there but cannot be started.
std::optional<pid_t> spawn(const Command&, const Streams&);

/// Ends a process by SIGKILL, unless it has ended, and waits for it. Returns its exit code, as Outcome has it.
int end(pid_t);

/// The exit code in what waitpid() says.
int exit_code_of(int status);

/// A sentence's end: the reason of an error number.
std::string reason(int code);

}  // namespace rfbench::process
