#include "rfbench/report/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

extern char** environ;

namespace rfbench::report {

namespace {

constexpr const char* messages_file = "messages";

std::string reason(int code) { return std::generic_category().message(code); }

struct FileActions {
    posix_spawn_file_actions_t actions;

    FileActions() { posix_spawn_file_actions_init(&actions); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
};

// Ours, without what would make the same figure differ between two users.
std::vector<std::string> environment() {
    std::vector<std::string> variables{"LC_ALL=C.UTF-8", "PYTHONHASHSEED=0", "SOURCE_DATE_EPOCH=0"};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const bool replaced = text.starts_with("LC_") || text.starts_with("LANG") ||
                              text.starts_with("PYTHONHASHSEED=") || text.starts_with("MPLBACKEND=") ||
                              text.starts_with("SOURCE_DATE_EPOCH=");
        if (!replaced) variables.push_back(text);
    }
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// The exit code, or nothing when the program had to be killed at the end of its time.
std::optional<int> wait_for(pid_t child, std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds look_again{2};
    const auto end = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (std::chrono::steady_clock::now() < end) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return exit_code_of(status);
        if (ended < 0 && errno != EINTR) throw std::runtime_error("a program cannot be waited for: " + reason(errno));
        std::this_thread::sleep_for(look_again);
    }
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return std::nullopt;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ScratchFolder::ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rfbench-figure-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary folder '" + name + "' could be made: " + reason(errno) +
                                 ". TMPDIR may name another place.");
    }
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::optional<ProgramResult> run_program(const std::string& program, const std::vector<std::string>& arguments,
                                         const ScratchFolder& folder, std::chrono::milliseconds limit) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment();

    FileActions files;
    posix_spawn_file_actions_addchdir_np(&files.actions, folder.path().c_str());
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files.actions, STDOUT_FILENO, messages_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files.actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = -1;
    const int failure = posix_spawnp(&child, program.c_str(), &files.actions, nullptr, pointers(words).data(),
                                     pointers(variables).data());
    if (failure == ENOENT) return std::nullopt;
    if (failure != 0) throw std::runtime_error("the program '" + program + "' cannot be started: " + reason(failure));
    const std::optional<int> code = wait_for(child, limit);
    ProgramResult result{code.value_or(128 + SIGKILL), contents(folder.path() / messages_file)};
    if (!code) result.messages += "it was stopped after " + std::to_string(limit.count()) + " ms";
    return result;
}

}  // namespace rfbench::report
