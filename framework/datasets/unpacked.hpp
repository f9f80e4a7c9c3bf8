#pragma once
// Unpacks files: a file that is read may be the text itself, or gzip, or a zip archive of it
// alone.
#include <cstddef>
#include <string>

namespace rfbench::datasets {

/// The contents: of a gzip file, of the only member of a zip archive, else the bytes as they are. `file` names them in
/// messages. Throws DataError as gunzip() and unzip(), for an archive of several files, which it names, and for files
/// of other programs (foreign.hpp).
std::string unpacked(std::string bytes, std::size_t limit, const std::string& file);

/// A whole text file, unpacked: at most 2^31 bytes. Throws DataError as file_bytes() and unpacked().
std::string text_of_file(const std::string& file);

}  // namespace rfbench::datasets
