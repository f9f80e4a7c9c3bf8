#include "rfbench/process/processor.hpp"

#include <fstream>
#include <map>

namespace rfbench::process {
namespace {

/// The lines "key : value" about the first processor.
std::map<std::string, std::string> first_processor() {
    std::map<std::string, std::string> all;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();) {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos)
            all[line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1)] = line.substr(colon + 2);
    }
    return all;
}

}  // namespace

std::string processor_name() {
    auto about = first_processor();
    std::string name = about.contains("model name") ? about["model name"] : "unknown";
    if (about.contains("cpu family")) name += ", family " + about["cpu family"];
    if (about.contains("model")) name += ", model " + about["model"];
    return name;
}

}  // namespace rfbench::process
