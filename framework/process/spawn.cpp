#include "rfbench/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "rfbench/errors.hpp"

extern char** environ;

namespace rfbench::process {
namespace {

struct FileActions {
    posix_spawn_file_actions_t actions;

    FileActions() { posix_spawn_file_actions_init(&actions); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    /// The copy stays open in the program; the end that it is made of is closed there.
    void hand(int ours, int theirs) {
        if (ours >= 0) posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    }
};

// Words as exec takes them: pointers, the last one null.
std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

}  // namespace

std::string reason(int code) { return std::generic_category().message(code); }

std::vector<std::string> environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    return variables;
}

std::optional<pid_t> spawn(const Command& command, const Streams& streams) {
    std::vector<std::string> words{command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> variables = command.environment.empty() ? environment() : command.environment;

    FileActions files;
    if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(&files.actions, command.folder.c_str());
    if (streams.input < 0) posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    files.hand(streams.input, STDIN_FILENO);
    files.hand(streams.output, STDOUT_FILENO);
    files.hand(streams.errors, STDERR_FILENO);
    pid_t child = -1;
    const int failure = posix_spawnp(&child, command.program.c_str(), &files.actions, nullptr, pointers(words).data(),
                                     pointers(variables).data());
    if (failure == ENOENT) return std::nullopt;
    if (failure != 0)
        throw FileError(fmt::format("the program '{}' cannot be started: {}", command.program, reason(failure)));
    return child;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

int end(pid_t child) {
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return exit_code_of(status);
}

}  // namespace rfbench::process
