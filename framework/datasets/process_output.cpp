#include "rfbench/datasets/process_output.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>

#include "rfbench/datasets/place.hpp"

extern char** environ;

namespace rfbench::datasets {

namespace {

constexpr std::size_t most_errors = 2000;

std::string reason(int code) { return std::generic_category().message(code); }

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

struct Pipe {
    int read_end = -1;
    int write_end = -1;

    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw DataError("no pipe could be made: " + reason(errno));
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close(read_end);
        close_write_end();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close_write_end() {
        if (write_end >= 0) close(write_end);
        write_end = -1;
    }
};

struct FileActions {
    posix_spawn_file_actions_t actions;

    FileActions() { posix_spawn_file_actions_init(&actions); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
};

pid_t start(const std::string& program, const std::vector<std::string>& arguments, int output, int errors) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);

    FileActions files;
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files.actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files.actions, errors, STDERR_FILENO);
    pid_t child = -1;
    const int failure = posix_spawnp(&child, program.c_str(), &files.actions, nullptr, words.data(), environ);
    if (failure != 0) throw DataError("the program '" + program + "' cannot be started: " + reason(failure));
    return child;
}

int exit_code_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string first_bytes(std::FILE* file) {
    std::rewind(file);
    std::string text(most_errors, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace

ProcessOutput run_process(const std::string& program, const std::vector<std::string>& arguments, std::size_t limit) {
    Pipe pipe;
    const File errors(std::tmpfile());
    if (!errors) throw DataError("no temporary file could be made: " + reason(errno));
    const pid_t child = start(program, arguments, pipe.write_end, fileno(errors.get()));
    pipe.close_write_end();

    ProcessOutput result{0, "", "", false};
    char block[1 << 16];
    for (;;) {
        const ssize_t got = read(pipe.read_end, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) break;
        if (got < 0 || static_cast<std::size_t>(got) > limit - result.output.size()) {
            result.cut = true;
            kill(child, SIGKILL);
            break;
        }
        result.output.append(block, static_cast<std::size_t>(got));
    }
    result.exit_code = exit_code_of(child);
    result.errors = first_bytes(errors.get());
    return result;
}

}  // namespace rfbench::datasets
