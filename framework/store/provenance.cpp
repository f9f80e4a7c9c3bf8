#include "rfbench/store/provenance.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include "rfbench/store/instruction_set.hpp"
#include "rfbench/version.hpp"

// Facts that only the build knows. It writes this header anew whenever the commit has changed.
#if __has_include("rfbench_build.hpp")
#include "rfbench_build.hpp"
#endif

#ifndef RFBENCH_GIT_COMMIT
#define RFBENCH_GIT_COMMIT "unknown"
#endif
#ifndef RFBENCH_GIT_DIRTY
#define RFBENCH_GIT_DIRTY "unknown"
#endif
#ifndef RFBENCH_COMPILE_FLAGS
#define RFBENCH_COMPILE_FLAGS "unknown"
#endif

namespace rfbench::store {
namespace {

std::string compiler() {
#if defined(__clang__)
    return "clang++ " __clang_version__;
#elif defined(__GNUC__)
    return "g++ " __VERSION__;
#else
    return "unknown";
#endif
}

std::string build() {
#if defined(__OPTIMIZE__)
    return "optimized";
#else
    return "debug";
#endif
}

// Version of the library that is loaded, which need not be that of the headers.
std::string hdf5_version() {
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
    return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace

std::map<std::string, std::string> provenance(const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> facts = more;
    // merge() keeps what is there: what the caller says goes before what is known here.
    facts.merge(std::map<std::string, std::string>{
        {"version", version},
        {"git_commit", RFBENCH_GIT_COMMIT},
        {"git_dirty", RFBENCH_GIT_DIRTY},
        {"compiler", compiler()},
        {"compile_flags", RFBENCH_COMPILE_FLAGS},
        {"build", build()},
        {"instruction_set", instruction_set()},
        {"instruction_extensions", instruction_extensions()},
        {"hdf5", hdf5_version()},
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
    });
    return facts;
}

}  // namespace rfbench::store
