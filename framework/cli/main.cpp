// The command line of rfbench: verbs and options in, one exit code out.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <iostream>

#include "command_line.hpp"
#include "failure.hpp"
#include "provenance.hpp"
#include "verb.hpp"
#include "verbs.hpp"

namespace {

using namespace rfbench::cli;

constexpr const char* footer =
    "Exit codes: 0 done; 1 a file, a program or memory failed; 2 bad command line, name or configuration;\n"
    "3 some cells failed, or values differ; 4 no name to run, or nothing to work on; 5 verification failed;\n"
    "70 a bug of rfbench; 130 interrupted (the same command continues).";

int parse_and_run(int argc, char** argv) {
    CLI::App app{"rfbench: measures random features for the Gaussian and softmax kernels.", "rfbench"};
    app.set_version_flag("--version", version_text);
    app.footer(footer);
    app.require_subcommand(1);

    int code = success;
    for (const auto& some : {sweep_verbs(), result_verbs(), method_verbs()})
        for (const Verb& verb : some) {
            CLI::App* sub = app.add_subcommand(verb.name, verb.does);
            sub->callback([run = verb.declare(*sub), &code] { code = run(); });
        }
    try {
        // Runs the callback of the verb as well.
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // --help and --version are thrown too, and are no failures.
        if (error.get_exit_code() == 0) return app.exit(error);
        std::cerr << "rfbench: " << refusal(known_verbs(app), error.what(), argc, argv) << '\n';
        return bad_configuration;
    }
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    // Beyond a limit on sizes of files (ulimit -f) writes fail with their reason, as on a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        hold_standard_streams();
        require_stacks();
        require_instruction_set();
        const int code = parse_and_run(argc, argv);
        flush_stdout_or_throw();
        return code;
    } catch (...) {
        return failed(std::current_exception(), std::cerr);
    }
}
