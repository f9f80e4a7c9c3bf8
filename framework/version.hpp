#pragma once
// The one place where the version is written. CMake reads it here, so that the program, the result files and the
// installed package cannot differ from it; `make lint` compares CITATION.cff and CHANGELOG.md with it.

namespace rfbench {

/// major.minor.patch: what `rfbench --version` prints, what the attribute `version` of a result file says, and what
/// `find_package(rfbench)` finds. Until 1.0 the library's interface may change with every minor number.
inline constexpr char version[] = "0.2.0";

}  // namespace rfbench
