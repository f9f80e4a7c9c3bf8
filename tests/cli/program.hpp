#pragma once
// Runs the built program as a user would.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace rfbench::tests {

struct Outcome {
    int code;
    std::string out;  ///< standard output and standard error
};

/// `arguments` as in a shell, quotes included; started in `folder`, or in that of the test.
inline Outcome run_program(const std::string& arguments, const std::string& folder = ".") {
    const std::string command = "cd '" + folder + "' && " + std::string(RFBENCH_PROGRAM) + " " + arguments + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out};
}

}  // namespace rfbench::tests
