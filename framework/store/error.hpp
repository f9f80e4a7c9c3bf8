#pragma once
#include "rfbench/errors.hpp"

namespace rfbench::store {

/// What the store throws when a file cannot be written, read or trusted. The message names the file, what was attempted
/// and the reason.
class Error : public FileError {
public:
    using FileError::FileError;
};

}  // namespace rfbench::store
