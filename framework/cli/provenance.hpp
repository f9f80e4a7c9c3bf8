#pragma once
#include <map>
#include <string>

namespace rfbench::cli {

/// What made a result: the store's provenance and the versions of the libraries behind the numbers.
std::map<std::string, std::string> provenance();

}  // namespace rfbench::cli
