#pragma once
#include <map>
#include <string>

namespace rfbench::cli {

/// Provenance of a result: the store's, and the versions of the libraries behind the numbers.
std::map<std::string, std::string> provenance();

/// What --version prints: the version, then what result files would say that made them, a fact a line.
std::string version_text();

}  // namespace rfbench::cli
