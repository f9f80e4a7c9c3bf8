// Catch2 version 2 (Debian 12) or 3, whichever is installed.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include <csignal>

#include "cases_from_main.hpp"
#include "support/sanitizer.hpp"

int main(int argc, char** argv) {
    // Under nohup, or in the background of a script, a program starts with signals ignored or blocked, and so do the
    // programs and shells that it starts: a shell cannot even trap them then.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGXFSZ})
        std::signal(number, SIG_DFL);
    for (const auto& add : rfbench::tests::cases_from_main()) add();
    return Catch::Session().run(argc, argv);
}

#if RFBENCH_THREAD_SANITIZER
// The OpenMP runtime is not instrumented; its tool Archer, which comes with it, tells the sanitizer what it does.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }
#endif
