#include "study/code.hpp"

#include <algorithm>
#include <stdexcept>

#include "rfbench/store/sha256.hpp"

namespace rfbench::experiments {

const std::string& digest_of_file(std::string_view path) {
    const Digests& all = digests_by_file();
    const auto found = all.find(path);
    if (found == all.end()) throw std::logic_error("there is no digest of the code of '" + std::string(path) + "'");
    return found->second;
}

const std::string& digest_of_mechanism(std::string_view name) {
    // A shifted mechanism is in the file of the one that it shifts.
    constexpr std::string_view shifted = "-shifted";
    if (name.ends_with(shifted)) name.remove_suffix(shifted.size());
    std::string file(name);
    std::replace(file.begin(), file.end(), '-', '_');
    return digest_of_file("framework/features/mechanisms/" + file + ".cpp");
}

std::string joined(const std::string& first, const std::string& second) {
    return first.empty() ? second : store::sha256(first + second);
}

}  // namespace rfbench::experiments
