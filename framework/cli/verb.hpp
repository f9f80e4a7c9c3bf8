#pragma once
// The list of verbs: what main.cpp offers, explains and completes.
#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace rfbench::cli {

/// Runs a verb with the options that were given, and returns the exit code.
using Run = std::function<int()>;

/// A verb of the program. `declare` adds its options to its part of the command line; what it returns is called once
/// they are read, and keeps what they hold.
struct Verb {
    const char* name;
    const char* does;  ///< its line of --help
    Run (*declare)(CLI::App&);
};

std::vector<Verb> sweep_verbs();   ///< compute cells, and look after them
std::vector<Verb> result_verbs();  ///< work on result files
std::vector<Verb> method_verbs();  ///< are about methods, data and the program itself

}  // namespace rfbench::cli
