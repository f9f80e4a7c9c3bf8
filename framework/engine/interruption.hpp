#pragma once
// Ctrl-C and its kin while a run is at work.
#include <array>
#include <csignal>

namespace rfbench::engine {

/// While one exists, the first SIGINT, SIGTERM or SIGHUP only asks to stop (and says so on the standard error output,
/// where that is wanted), and the second ends the program as it would have without us. A signal that was ignored
/// (nohup, a shell's background job) stays ignored. One at a time.
class Interruption {
public:
    explicit Interruption(bool announced);
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    static bool asked();

private:
    static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, 3> before_{};
};

}  // namespace rfbench::engine
