#pragma once
// Mechanisms that a user writes in Python, for `--plugin my.py`: the functions of rfbench.mechanism() run in processes
// of Python, one for each thread that asks, so that they have the same bits for any number of threads.
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::plugin {

/// Adds the mechanisms that the file makes at its top level to the catalogue (features/catalogue.hpp), and returns
/// their names. Their code is the digest of the file's source and of modules that it imports from its folder. Throws
/// InputError for what the file does wrong, with its line, and for a name that is taken; FileError where the file, or a
/// Python with the package rfbench of this version, is missing.
///
/// A function that raises later gives an InputError; a process that ends, or a file that was edited meanwhile, a
/// FileError.
std::vector<std::string> add_mechanisms(const std::filesystem::path& file);

}  // namespace rfbench::plugin
