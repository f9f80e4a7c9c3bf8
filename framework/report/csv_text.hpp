#pragma once
#include <string>
#include <string_view>

namespace rfbench::report {

/// One field of a CSV file (RFC 4180): in quotes, with quotes doubled, when it holds a comma, a quote or a line break,
/// or begins or ends with a space. A text that begins with =, +, - or @ and is no number has an apostrophe before it, so
/// that no spreadsheet takes it for a formula.
std::string csv_field(std::string_view text);

}  // namespace rfbench::report
