#include "rfbench/engine/interruption.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace rfbench::engine {
namespace {

std::atomic<bool> stop_asked{false};
std::atomic<bool> stop_announced{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::string_view announcement = "\nstopping when the cells at work are finished; once more to end at once\n";

// Only what is allowed in a handler: atomic flags, signal, raise and write. The raised signal is delivered on return.
void ask(int signal) {
    if (stop_asked.exchange(true)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    } else if (stop_announced) {
        // The interrupted code may be about to look at errno.
        const int before = errno;
        [[maybe_unused]] const auto written = write(STDERR_FILENO, announcement.data(), announcement.size());
        errno = before;
    }
}

}  // namespace

Interruption::Interruption(bool announced) {
    stop_asked = false;
    stop_announced = announced;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        struct sigaction action {};
        action.sa_handler = ask;
        // A call that is under way goes on: only who asks learns of the stop.
        action.sa_flags = SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
}

Interruption::~Interruption() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

bool Interruption::asked() { return stop_asked; }

}  // namespace rfbench::engine
