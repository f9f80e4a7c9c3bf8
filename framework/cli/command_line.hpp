#pragma once
// What is said of a command line that cannot be understood.
#include <CLI/CLI.hpp>
#include <string>

namespace rfbench::cli {

/// One sentence: what was given, and the nearest verb or option where one is misspelt.
std::string refusal(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv);

}  // namespace rfbench::cli
