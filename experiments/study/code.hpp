#pragma once
// The code that a value comes from, as 64 hexadecimal digits: the digest of its study's sources (Study::code) and that
// of its method's (MethodInfo::code). Both are made while building (cmake/code_digests.py).
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace rfbench::experiments {

using Digests = std::map<std::string, std::string, std::less<>>;

/// Written while building: digests of what stands behind each file of a study, a method or a mechanism, by its path
/// from the project's folder.
const Digests& digests_by_file();

/// The digest of what stands behind such a file. Throws std::logic_error for any other.
const std::string& digest_of_file(std::string_view path);

/// The digest of what stands behind a mechanism of the catalogue, whose file has its name. Throws std::logic_error for
/// any other.
const std::string& digest_of_mechanism(std::string_view name);

/// One digest of two; the second alone where the first is empty.
std::string joined(const std::string& first, const std::string& second);

}  // namespace rfbench::experiments
