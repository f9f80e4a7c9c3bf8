#pragma once
// How the lists that CMake writes (cmake/Found.cmake) take up what they find, and the digest of the code behind it.
#include <utility>

#include "code.hpp"
#include "rfbench/features/catalogue.hpp"
#include "study.hpp"

namespace rfbench::experiments {

inline void add(std::vector<Study>& all, Study one, const char* file) {
    one.code = digest_of_file(file);
    all.push_back(std::move(one));
}

/// A method that stands on more than its file says so beforehand.
inline void add(std::vector<MethodInfo>& all, std::vector<MethodInfo> some, const char* file) {
    for (MethodInfo& one : some) {
        one.code = joined(one.code, digest_of_file(file));
        all.push_back(std::move(one));
    }
}

inline void add(Digests& all, const features::MechanismInfo& one, const char* file) {
    all.emplace(one.name, digest_of_file(file));
}

}  // namespace rfbench::experiments
