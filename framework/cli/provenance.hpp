#pragma once
#include <map>
#include <string>

namespace rfbench::cli {

/// What made a result: the store's provenance, the versions of the libraries behind the numbers, and by what Fourier
/// transforms are taken, ours or FFTW's.
std::map<std::string, std::string> provenance();

}  // namespace rfbench::cli
