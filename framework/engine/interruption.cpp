#include "rfbench/engine/interruption.hpp"

#include <atomic>

namespace rfbench::engine {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// Only what is allowed in a handler: an atomic flag, signal and raise. The raised signal is delivered on return.
void ask(int signal) {
    if (stop_asked.exchange(true)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

Interruption::Interruption() {
    stop_asked = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        struct sigaction action {};
        action.sa_handler = ask;
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
