#pragma once
#include <string>

namespace rfbench::process {

/// The first processor as the system names it, with the numbers that tell kinds of one name apart: "AMD EPYC, family
/// 25, model 17". "unknown" where /proc/cpuinfo has no name.
std::string processor_name();

}  // namespace rfbench::process
