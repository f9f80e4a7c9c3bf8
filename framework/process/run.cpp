#include "rfbench/process/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "rfbench/errors.hpp"

extern char** environ;

namespace rfbench::process {
namespace {

using Clock = std::chrono::steady_clock;

std::string reason(int code) { return std::generic_category().message(code); }

/// One of the program's two output streams: a file in memory, which both ends have.
class Output {
public:
    Output() : file_(memfd_create("output", MFD_CLOEXEC)) {
        if (file_ < 0) throw FileError("no file in memory could be made: " + reason(errno));
    }
    ~Output() { close(file_); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    int file() const { return file_; }

    std::size_t size() const {
        struct stat facts {};
        fstat(file_, &facts);
        return static_cast<std::size_t>(facts.st_size);
    }

    /// Its first bytes, at most `max_bytes`.
    std::string text(std::size_t max_bytes) const {
        std::string text(std::min(size(), max_bytes), '\0');
        const ssize_t got = pread(file_, text.data(), text.size(), 0);
        if (got < 0) throw FileError("the output of a program cannot be read: " + reason(errno));
        text.resize(static_cast<std::size_t>(got));
        return text;
    }

private:
    int file_;
};

struct FileActions {
    posix_spawn_file_actions_t actions;

    FileActions() { posix_spawn_file_actions_init(&actions); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
};

// Words as exec takes them: pointers, the last one null.
std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

/// The process, or nothing when there is no such program.
std::optional<pid_t> start(const Command& command, const Output& output, const Output& errors) {
    std::vector<std::string> words{command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> variables = command.environment.empty() ? environment() : command.environment;

    FileActions files;
    if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(&files.actions, command.folder.c_str());
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files.actions, output.file(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files.actions, errors.file(), STDERR_FILENO);
    pid_t child = -1;
    const int failure = posix_spawnp(&child, command.program.c_str(), &files.actions, nullptr, pointers(words).data(),
                                     pointers(variables).data());
    if (failure == ENOENT) return std::nullopt;
    if (failure != 0)
        throw FileError(fmt::format("the program '{}' cannot be started: {}", command.program, reason(failure)));
    return child;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    return variables;
}

std::optional<Outcome> run(const Command& command) {
    const Clock::time_point end = Clock::now() + std::min(command.time, Command::max_time);
    const Output output, errors;
    const std::optional<pid_t> child = start(command, output, errors);
    if (!child) return std::nullopt;

    // No call waits for a child, a time and the size of a file alike, so all three are looked at now and then.
    constexpr std::chrono::milliseconds look_again{2};
    const auto too_much = [&] { return std::max(output.size(), errors.size()) > command.output; };
    Ending ending = Ending::by_itself;
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(*child, &status, ending == Ending::by_itself ? WNOHANG : 0);
        if (ended == *child) break;
        if (ended < 0 && errno != EINTR) throw FileError("a program cannot be waited for: " + reason(errno));
        if (too_much()) ending = Ending::too_much_output;
        if (Clock::now() >= end) ending = Ending::out_of_time;
        if (ending == Ending::by_itself)
            std::this_thread::sleep_for(look_again);
        else
            kill(*child, SIGKILL);
    }
    if (ending == Ending::by_itself && too_much()) ending = Ending::too_much_output;
    return Outcome{ending, exit_code_of(status), output.text(command.output), errors.text(command.output)};
}

}  // namespace rfbench::process
