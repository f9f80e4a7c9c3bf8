#include "rfbench/launcher/choice.hpp"

#include <algorithm>

#include "rfbench/errors.hpp"

namespace rfbench::launcher {
namespace {

const std::string plain = "x86-64";

/// "x86-64-v3" is 3, "x86-64" is 1.
int number(const std::string& level) { return level == plain ? 1 : level.back() - '0'; }

std::string name(int level) { return level == 1 ? plain : plain + "-v" + std::to_string(level); }

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& one : names) text += (text.empty() ? "" : one == names.back() ? " and " : ", ") + one;
    return text;
}

}  // namespace

bool is_level(const std::string& name) {
    if (name == plain) return true;
    return name.size() == plain.size() + 3 && name.starts_with(plain + "-v") && name.back() >= '2' &&
           name.back() <= '9';
}

std::string chosen_level(const std::vector<std::string>& built, int processor, const char* asked) {
    if (asked != nullptr && *asked != '\0') {
        if (std::find(built.begin(), built.end(), asked) == built.end())
            throw InputError(std::string(variable) + " is '" + asked + "'; here are " + listed(built));
        if (number(asked) > processor)
            throw InputError(std::string(variable) + " is " + asked + ", and this processor has " + name(processor) +
                             " at most");
        return asked;
    }
    const auto lacking = std::find_if(built.begin(), built.end(), [&](auto& one) { return number(one) > processor; });
    if (lacking == built.begin())
        throw InputError("this package is for processors that have " + built.front() +
                         " (Intel's since 2009, AMD's since 2011), and this one has " + name(processor) +
                         ": build rfbench from source for it");
    return *std::prev(lacking);
}

}  // namespace rfbench::launcher
