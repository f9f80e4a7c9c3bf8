#pragma once
#include <map>
#include <string>

namespace rfbench::cli {

/// Provenance of a result: the store's, and the versions of the libraries behind the numbers.
std::map<std::string, std::string> provenance();

/// Text of --version: the version, then the provenance that result files have, a fact a line.
std::string version_text();

}  // namespace rfbench::cli
