#pragma once
// Adds to the lists of studies and methods, each with the digest of the code behind it.
#include <algorithm>
#include <string>
#include <utility>

#include "rfbench/errors.hpp"
#include "study/code.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

/// Throws InputError where the name is taken: whoever adds a file may have copied it from another.
inline void require_new(bool taken, const std::string& what, const std::string& name, const std::string& file) {
    if (taken)
        throw InputError("two " + what + " are called '" + name + "', one of them in " + file +
                         ": each has a name of its own. Rename it there and build again.");
}

inline void add(std::vector<Study>& all, Study one, const char* file) {
    const auto same = [&](const Study& known) { return known.experiment == one.experiment && known.name == one.name; };
    require_new(std::any_of(all.begin(), all.end(), same), "studies", one.experiment + "/" + one.name, file);
    one.code = digest_of_file(file);
    all.push_back(std::move(one));
}

/// A method that stands on more than its file says so beforehand.
inline void add(std::vector<MethodInfo>& all, std::vector<MethodInfo> some, const char* file) {
    for (MethodInfo& one : some) {
        const auto same = [&](const MethodInfo& known) { return known.name == one.name; };
        require_new(std::any_of(all.begin(), all.end(), same), "methods", one.name, file);
        one.code = joined(one.code, digest_of_file(file));
        all.push_back(std::move(one));
    }
}

}  // namespace rfbench::experiments
