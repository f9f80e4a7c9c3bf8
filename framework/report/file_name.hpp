#pragma once
#include <string>
#include <string_view>

namespace rfbench::report {

/// Throws std::invalid_argument, naming `what` ("figure", "table"), unless the name has only letters, digits and . _ -
/// and begins with a letter or digit: such a name needs no escaping in scripts, links and LaTeX \input.
void check_file_name(std::string_view what, const std::string& name);

/// A label of the user's as a part of such a name: every other character becomes a hyphen.
std::string as_file_name(std::string label);

}  // namespace rfbench::report
