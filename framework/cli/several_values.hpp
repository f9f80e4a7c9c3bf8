#pragma once
// --set KEY=A,B: a run for each value, whose results have a name of their own.
#include <functional>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace rfbench::cli {

/// The parts between commas outside brackets and quotes, blanks at their ends removed: "1,2" has two, "[1,2]" and
/// "'1,2'" one.
std::vector<std::string> values_in(const std::string& text);

/// The same command once for each value of each --set, all combinations, the last one fastest; as it is where each has
/// one value. The results of seed=2 are called NAME-seed-2. Throws InputError where a value is empty or two would have
/// one name.
std::vector<RunOptions> each_value(const RunOptions&);

/// Runs a verb for each_value() and returns the worst exit code; an interruption ends all. Every configuration is read
/// and checked before the first runs. Throws what each_value() and Chain throw, and InputError where a configuration
/// would stand on one that has several values.
int for_each_value(const RunOptions&, const std::function<int(const RunOptions&)>& verb);

/// Throws InputError where --set gives several values, which `verb` does not take.
void require_one_value(const RunOptions&, const std::string& verb);

}  // namespace rfbench::cli
