#pragma once
// Putting any text into a gnuplot script so that it means itself.
#include <string>
#include <string_view>

namespace rfbench::report {

/// The text as a gnuplot string: in single quotes, where nothing is substituted; when it holds single quotes, which
/// gnuplot 5.4 does not read back when two stand together, in double ones, with what means something there escaped. Its
/// place in the script must say `noenhanced`, or _ ^ { } @ & ~ and \ would be markup. Control characters become spaces.
std::string gnuplot_quoted(std::string_view text);

/// The text as a comment line: no backquote (which runs a command), no trailing backslash (which continues the line),
/// no line break.
std::string comment(std::string_view text);

}  // namespace rfbench::report
