// A test program sets the signals that it and its children need, whatever it was started with.
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "catch.hpp"
#include "support/child_process.hpp"

using namespace rfbench::tests;

namespace {

constexpr int needed[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGALRM};

}  // namespace

TEST_CASE("signals as a test finds them", "[.signals]") {
    sigset_t blocked;
    REQUIRE(sigprocmask(SIG_SETMASK, nullptr, &blocked) == 0);
    for (const int number : needed) {
        INFO(strsignal(number));
        struct sigaction now {};
        REQUIRE(sigaction(number, nullptr, &now) == 0);
        CHECK(now.sa_handler != SIG_IGN);
        CHECK(sigismember(&blocked, number) == 0);
    }
}

TEST_CASE("under nohup, and with signals ignored or blocked, tests find them as they need them") {
    const int status = status_of_child(600, [] {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
        for (const int number : needed) std::signal(number, SIG_IGN);
        ::execl("/proc/self/exe", "this test program", "[.signals]", nullptr);
        return 98;
    });
    CHECK(ended_with(status, 0));
}
