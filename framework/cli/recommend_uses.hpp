#pragma once
// Uses of features, and the results that tell which are good at them.
#include <string>
#include <utility>
#include <vector>

namespace rfbench::cli {

struct Use {
    const char *name, *configuration;
    std::vector<const char*> variables;  ///< names in the expression are a, b, ...
    const char *expression, *over, *words;
    bool larger_is_better;
    double overlap = 0;
    const char* by_set = nullptr;  ///< the value on each data set, over the axis `dataset`; null: there are none
    std::vector<std::pair<const char*, const char*>> at = {};  ///< words on other axes
    bool relative_error = false;                               ///< 1 is that of zeros, and tails are heavy
    const char* others = nullptr;  ///< configurations with more methods on the same data; null: there are none
};

const std::vector<Use>& uses();

/// Throws InputError for a name that has none.
const Use& use_of(const std::string& name);

}  // namespace rfbench::cli
