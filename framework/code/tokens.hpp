#pragma once
// The text of a C++ source as the compiler sees it: comments, indentation and line breaks are gone.
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::code {

/// The words, numbers, literals and marks of a source, in order. String, raw-string and character literals are one
/// token each, as written. A preprocessor directive ends with the token "\n", and blanks inside it are the token " ",
/// since both have a meaning there.
std::vector<std::string> tokens(std::string_view source);

/// Whether the token is a string or character literal.
bool is_literal(std::string_view token);

}  // namespace rfbench::code
