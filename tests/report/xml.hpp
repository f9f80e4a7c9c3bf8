#pragma once
// A reader of XML strict enough to tell whether a file is well-formed, and what texts it shows.
#include <stdexcept>
#include <string>
#include <vector>

namespace rfbench::report {

/// One <text> element with its tags removed and its entities resolved, in the order of the file. Throws
/// std::runtime_error, saying where, when tags do not nest, an entity is unknown or an attribute has no quotes.
std::vector<std::string> texts_of_svg(const std::string& svg);

}  // namespace rfbench::report
