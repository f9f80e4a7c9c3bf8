#pragma once
// METHOD of `rfbench features`: an entry of a list of methods, checked as configurations are, and refused in words of
// the command line.
#include <string>
#include <vector>

#include "study/method_list.hpp"

namespace rfbench::cli {

/// Method on the command line: a name or an entry, `--set`, `--sampling` (empty for none).
struct MethodOption {
    std::string method;
    std::vector<std::string> settings;
    std::string sampling;
};

/// The entry of a list of methods that it stands for: "{use: positive, sampling: sobol}". Throws InputError for a
/// setting that is not PARAMETER=VALUE.
std::string entry_text(const MethodOption&);

/// The method of that entry, of those that have features of rows. Throws InputError.
experiments::MethodChoice method_of(const MethodOption&, const std::string& entry);

}  // namespace rfbench::cli
