#pragma once
// Messages about a command line that cannot be understood. The library that parses it is known to main.cpp alone.
#include <string>
#include <vector>

namespace rfbench::cli {

/// A verb of the program and its long options, with their dashes.
struct Verb {
    std::string name;
    std::vector<std::string> options;
};

/// One sentence: what was given, and the nearest verb or option where one is misspelt; otherwise `complaint`, the
/// parser's own.
std::string refusal(const std::vector<Verb>& verbs, const std::string& complaint, int argc, const char* const* argv);

}  // namespace rfbench::cli
