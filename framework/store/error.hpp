#pragma once
#include "rfbench/errors.hpp"

namespace rfbench::store {

/// Thrown by the store when a file cannot be written, read or trusted. The message names the file, what was attempted
/// and the reason.
class Error : public FileError {
public:
    using FileError::FileError;
};

}  // namespace rfbench::store
