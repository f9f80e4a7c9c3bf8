#pragma once
// Uses of features, and the results that tell which are good at them.
#include <string>
#include <utility>
#include <vector>

namespace rfbench::cli {

struct Use {
    const char* name = "";
    const char* configuration = "";           ///< of the results
    std::vector<const char*> variables = {};  ///< names in the expression are a, b, ...
    const char* expression = "a";
    const char* over = "";   ///< axis of repeats
    const char* words = "";  ///< for what is shown
    bool larger_is_better = false;
    double overlap = 0;            ///< of random splits (statistics/paired_test.hpp)
    const char* by_set = nullptr;  ///< the value on each data set, over the axis `dataset`; null: there are none
    std::vector<std::pair<const char*, const char*>> at = {};  ///< words on other axes
    bool relative_error = false;                               ///< 1 is that of zeros, and tails are heavy
    const char* others = nullptr;  ///< configurations with more methods on the same data; null: there are none
};

const std::vector<Use>& uses();

/// Throws InputError for a name that has none.
const Use& use_of(const std::string& name);

}  // namespace rfbench::cli
