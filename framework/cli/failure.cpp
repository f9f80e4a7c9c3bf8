// Whose mistake an exception is: the user's, the surroundings' or ours.
#include "failure.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "rfbench/config/error.hpp"
#include "rfbench/errors.hpp"
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

void require_said() {
    errno = 0;
    std::cout.flush();
    const bool said = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (said) return;
    const int reason = errno != 0 ? errno : EIO;
    throw FileError("standard output cannot be written (" + std::generic_category().message(reason) +
                    "), so that not all is said; files are as they were left");
}

}  // namespace rfbench::cli
