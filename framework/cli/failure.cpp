// Exit codes and messages of exceptions, by who made the mistake: the user, the surroundings or we.
#include "failure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "rfbench/config/error.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/instruction_set.hpp"
#include "rfbench/version.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

constexpr const char* please_report =
    ". Please report it by the form for bugs among the project's issues, with\n"
    "this message, the command, its configuration and what 'rfbench --version' prints.\n";

int ours(const std::string& what, std::ostream& err) {
    err << "rfbench: " << what << "\nThis is a bug of rfbench " << version << ", not of what it was given"
        << please_report;
    return own_mistake;
}

/// Who wrote the study may be who runs it.
int of_a_study(const std::string& what, std::ostream& err) {
    err << "rfbench: " << what << "\nIf this study is yours, its report is what to mend. If it came with rfbench "
        << version << ", this is a bug" << please_report;
    return own_mistake;
}

}  // namespace

int failed(const std::exception_ptr& thrown, std::ostream& err) {
    try {
        // The most special kinds come first: configuration errors are InputErrors too, and all are std::exceptions.
        std::rethrow_exception(thrown);
    } catch (const config::Error& error) {  // begins with its place
        err << error.what() << '\n';
        return bad_configuration;
    } catch (const InputError& error) {
        err << "rfbench: " << error.what() << '\n';
        return bad_configuration;
    } catch (const FileError& error) {
        err << "rfbench: " << error.what() << '\n';
        return failure;
    } catch (const StudyError& error) {
        return of_a_study(error.what(), err);
    } catch (const std::system_error& error) {  // std::filesystem's among them
        err << "rfbench: " << error.what() << '\n';
        return failure;
    } catch (const std::bad_alloc&) {
        err << "rfbench: there is not enough memory for this; a smaller configuration (--set) or fewer --threads "
               "may fit, and 'rfbench plan' says what is needed\n";
        return failure;
    } catch (const std::exception& error) {
        return ours(error.what(), err);
    } catch (...) {
        return ours("something that is not a std::exception was thrown", err);
    }
}

void hold_standard_streams() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(number, F_GETFD) >= 0) continue;
        // All lower numbers are open, so open() gives this one.
        const int flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", flags) != number)
            throw FileError("/dev/null cannot be opened in the place of a standard stream that is closed (" +
                            std::generic_category().message(errno) + ")");
    }
}

namespace {

constexpr std::size_t min_stack = std::size_t{1} << 20;  // bytes

/// Bytes that OMP_STACKSIZE names (OpenMP 5.0, 6.4): a number with B, K, M or G after it, K if none; 0 for a text that
/// OpenMP does not take.
std::size_t omp_stack(const char* text) {
    char* end = nullptr;
    const unsigned long long number = text == nullptr ? 0 : std::strtoull(text, &end, 10);
    if (number == 0) return 0;
    while (*end == ' ') ++end;
    const char unit = *end == '\0' ? 'K' : char(std::toupper(static_cast<unsigned char>(*end)));
    const int shift = unit == 'B' ? 0 : unit == 'K' ? 10 : unit == 'M' ? 20 : 30;
    return number >> (63 - shift) != 0 ? min_stack : std::size_t(number) << shift;
}

}  // namespace

void require_stacks() {
    const char* const text = std::getenv("OMP_STACKSIZE");
    const std::size_t threads = omp_stack(text);
    if (threads != 0 && threads < min_stack)
        throw InputError(std::string("OMP_STACKSIZE is ") + text +
                         ", and threads here need 1M; unset it, or set it to 1M or more");
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < min_stack)
        throw InputError("the limit on stacks is " + std::to_string(limit.rlim_cur / 1024) +
                         " kB, and 1024 are needed here: ulimit -s 1024, or more");
}

void require_instruction_set() {
    const char* const asked = std::getenv("RFBENCH_INSTRUCTION_SET");
    if (asked == nullptr || *asked == '\0' || asked == store::instruction_set()) return;
    throw InputError(std::string("RFBENCH_INSTRUCTION_SET is ") + asked + ", and this program is compiled for " +
                     store::instruction_set() + " alone; packages ('make package') have programs for several");
}

void flush_stdout_or_throw() {
    // printf and std::cout have a buffer each: both must be written before either can be asked.
    errno = 0;
    std::cout.flush();
    const bool said = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (said) return;
    const int reason = errno != 0 ? errno : EIO;
    throw FileError("standard output cannot be written (" + std::generic_category().message(reason) +
                    "), so that not all is said; files are as they were left");
}

}  // namespace rfbench::cli
