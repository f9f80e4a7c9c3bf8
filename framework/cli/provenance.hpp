#pragma once
#include <map>
#include <string>

namespace rfbench::cli {

/// What made a result: the store's provenance, the versions of the libraries behind the numbers, and by what Fourier
/// transforms are taken, ours or FFTW's.
std::map<std::string, std::string> provenance();

/// What --version prints: the version, then what result files would say that made them, a fact a line.
std::string version_text();

}  // namespace rfbench::cli
