#pragma once
#include <stdexcept>

namespace rfbench::store {

/// What the store throws when a file cannot be written, read or trusted. The message names the file, what was attempted
/// and the reason.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace rfbench::store
