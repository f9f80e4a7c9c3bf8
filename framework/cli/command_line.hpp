#pragma once
// The verbs of a command line as words, for messages about what cannot be understood and for completion.
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rfbench::cli {

struct KnownOption {
    std::vector<std::string> names;  ///< "--profile"; none of what is given by its place
    std::string takes;               ///< as --help shows it: "FILE", "TEXT:{csv, npz}", empty for flags
};

struct KnownVerb {
    std::string name;
    std::vector<KnownOption> options, places;  ///< places: what is given without a name, in order
};

/// The verbs of a program and their options.
std::vector<KnownVerb> known_verbs(const CLI::App&);

/// One sentence: what was given, and the nearest verb or option where one is misspelt; otherwise `complaint`, the
/// parser's own.
std::string refusal(const std::vector<KnownVerb>&, const std::string& complaint, int argc, const char* const* argv);

}  // namespace rfbench::cli
