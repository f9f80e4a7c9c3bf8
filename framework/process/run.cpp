#include "rfbench/process/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "rfbench/errors.hpp"
#include "rfbench/process/spawn.hpp"

namespace rfbench::process {
namespace {

using Clock = std::chrono::steady_clock;

/// Our end of one of the program's two output streams.
class Stream {
public:
    Stream() {
        std::array<int, 2> ends{};
        // Closed in whatever other program is started meanwhile, which would else keep the stream from ending.
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw FileError("no pipe could be made: " + reason(errno));
        ours_ = ends[0];
        theirs_ = ends[1];
    }
    ~Stream() {
        shut(ours_);
        shut(theirs_);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    int ours() const { return ours_; }
    int theirs() const { return theirs_; }
    bool open() const { return ours_ >= 0; }
    void give_away() { shut(theirs_); }

    /// Keeps what is there to be read; false when that is more than allowed.
    bool read(std::size_t most) {
        std::array<char, std::size_t{1} << 16U> block{};
        const ssize_t got = ::read(ours_, block.data(), block.size());
        if (got < 0 && errno == EINTR) return true;
        if (got <= 0) {
            shut(ours_);
            return true;
        }
        const auto size = static_cast<std::size_t>(got), room = most - text.size();
        text.append(block.data(), std::min(size, room));
        return size <= room;
    }

    std::string text;

private:
    static void shut(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
    int ours_ = -1, theirs_ = -1;
};

std::chrono::milliseconds left_until(Clock::time_point end) {
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()), std::chrono::milliseconds(0));
}

/// Reads both streams to their ends, by turns, since a program that fills one waits until it is read.
Ending read_both(Stream& output, Stream& errors, std::size_t most, Clock::time_point end) {
    while (output.open() || errors.open()) {
        // A stream that is closed has the number -1, which poll passes over.
        std::array<pollfd, 2> ready{pollfd{output.ours(), POLLIN, 0}, pollfd{errors.ours(), POLLIN, 0}};
        const auto left = left_until(end);
        if (left.count() == 0) return Ending::out_of_time;
        if (poll(ready.data(), ready.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
            throw FileError("a program cannot be listened to: " + reason(errno));
        if (ready[0].revents != 0 && !output.read(most)) return Ending::too_much_output;
        if (ready[1].revents != 0 && !errors.read(most)) return Ending::too_much_output;
    }
    return Ending::by_itself;
}

/// The exit code; nothing at the end of the time.
std::optional<int> wait_for(pid_t child, Clock::time_point end) {
    // No call waits for a child and for a time alike, so the child is looked at now and then.
    constexpr std::chrono::milliseconds look_again{2};
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return exit_code_of(status);
        if (ended < 0 && errno != EINTR) throw FileError("a program cannot be waited for: " + reason(errno));
        if (left_until(end).count() == 0) return std::nullopt;
        std::this_thread::sleep_for(look_again);
    }
}

}  // namespace

std::optional<Outcome> run(const Command& command) {
    const Clock::time_point end = Clock::now() + std::min(command.time, Command::max_time);
    Stream output, errors;
    const std::optional<pid_t> child = spawn(command, {.output = output.theirs(), .errors = errors.theirs()});
    if (!child) return std::nullopt;
    // A stream ends when all have closed the end that is written to: ours would keep it open for ever.
    output.give_away();
    errors.give_away();

    Ending ending{};
    std::optional<int> code;
    try {
        ending = read_both(output, errors, command.output, end);
        // A program may close both streams and work on.
        if (ending == Ending::by_itself) {
            code = wait_for(*child, end);
            if (!code) ending = Ending::out_of_time;
        }
    } catch (...) {
        // Nobody would wait for it any more.
        process::end(*child);
        throw;
    }
    return Outcome{ending, code ? *code : process::end(*child), std::move(output.text), std::move(errors.text)};
}

}  // namespace rfbench::process
