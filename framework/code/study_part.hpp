#pragma once
// A study's file says first what a cell computes, and below that what is drawn and tabulated of the cells. Only the
// first part is behind a value.
#include <string>
#include <vector>

namespace rfbench::code {

/// The tokens of a study's file up to the end of `Sweep prepare(...) {...}`. What is defined below that can be called
/// from above only if it was declared there: a file that declares functions without their bodies above counts as a
/// whole, as does one that has no such function.
std::vector<std::string> study_part(std::vector<std::string> tokens);

}  // namespace rfbench::code
