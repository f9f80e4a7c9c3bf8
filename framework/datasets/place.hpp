#pragma once
// Places of mistakes in a data file, in words.
#include <cstddef>
#include <string>
#include <string_view>

#include "rfbench/errors.hpp"

namespace rfbench::datasets {

/// Anything that is wrong with a data file, its place or its description. The message is a sentence to act on.
struct DataError : FileError {
    using FileError::FileError;
};

/// Data that are not on this machine, and not data in which something is wrong.
struct MissingData : DataError {
    using DataError::DataError;
};

/// One field of a text file. Rows are lines of the file and columns are fields of a line, both counted from 1; 0 means
/// the whole line or the whole file.
struct Place {
    std::string_view file;
    std::size_t row = 0;
    std::size_t column = 0;

    /// "file:row:column", without what is 0.
    std::string text() const;
};

/// Throws DataError "file:row:column: sentence".
[[noreturn]] void refuse(const Place&, const std::string& sentence);

/// The field in single quotes, bytes that do not print as \xNN, cut after 40 characters.
std::string in_quotes(std::string_view field);

}  // namespace rfbench::datasets
