// Catch2 version 2 (Debian 12) or 3, whichever is installed.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include "cases_from_main.hpp"
#include "support/sanitizer.hpp"

int main(int argc, char** argv) {
    for (const auto& add : rfbench::tests::cases_from_main()) add();
    return Catch::Session().run(argc, argv);
}

#if RFBENCH_THREAD_SANITIZER
// The OpenMP runtime is not instrumented; its tool Archer, which comes with it, tells the sanitizer what it does.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }
#endif
