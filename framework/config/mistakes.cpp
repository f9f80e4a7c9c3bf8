#include <fmt/format.h>

#include "rfbench/config/rule.hpp"

namespace rfbench::config {
namespace {

/// The first of them, a line each; of more than can be looked at together, how many there are.
std::string lines(const std::vector<Error>& all) {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
        text += (i == 0 ? "" : "\n") + std::string(all[i].what());
    if (all.size() > most) text += fmt::format("\nand {} more mistakes", all.size() - most);
    return text;
}

}  // namespace

Several::Several(std::vector<Error> all) : Error(lines(all)), all_(std::move(all)) {}

void Mistakes::tell() const {
    if (found_.size() == 1) throw found_.front();
    if (!found_.empty()) throw Several(found_);
}

}  // namespace rfbench::config
