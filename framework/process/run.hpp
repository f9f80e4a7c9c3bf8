#pragma once
// Running another program and keeping what it writes: curl, which downloads, and Python, which draws.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rfbench::process {

struct Command {
    std::string program = {};  ///< looked for on PATH, without a shell
    std::vector<std::string> arguments = {};
    std::filesystem::path folder = {};            ///< it runs in; empty: where we are
    std::vector<std::string> environment = {};    ///< NAME=value, all of it; empty: ours
    std::chrono::milliseconds time = max_time;    ///< it may take
    std::size_t output = std::size_t{64} << 20U;  ///< bytes it may write to its standard output, and to its errors

    static constexpr std::chrono::milliseconds max_time = std::chrono::hours(24);
};

enum class Ending { by_itself, out_of_time, too_much_output };

struct Outcome {
    Ending ending;       ///< where it is not by_itself, it was ended by SIGKILL
    int exit_code;       ///< 128 + signal when a signal ended it
    std::string output;  ///< its standard output
    std::string errors;  ///< its standard error
};

/// Runs a program with an empty standard input and waits for its end. Empty when there is no such program. Throws
/// FileError when it is there but cannot be started.
std::optional<Outcome> run(const Command&);

/// Our own environment, NAME=value.
std::vector<std::string> environment();

}  // namespace rfbench::process
