#include "code.hpp"

#include <stdexcept>

#include "rfbench/store/sha256.hpp"

namespace rfbench::experiments {

// Written by CMake: the mechanisms of all files in framework/features/mechanisms.
Digests mechanisms_there_are();

namespace {

const std::string& digest_at(const Digests& all, std::string_view name) {
    const auto found = all.find(name);
    if (found == all.end()) throw std::logic_error("there is no digest of the code of '" + std::string(name) + "'");
    return found->second;
}

}  // namespace

const std::string& digest_of_file(std::string_view path) { return digest_at(digests_by_file(), path); }

const std::string& digest_of_mechanism(std::string_view name) {
    static const Digests all = mechanisms_there_are();
    return digest_at(all, name);
}

std::string joined(const std::string& first, const std::string& second) {
    return first.empty() ? second : store::sha256(first + second);
}

}  // namespace rfbench::experiments
