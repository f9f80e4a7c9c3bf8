#pragma once
// Running another program and keeping what it writes, for downloads through curl.
#include <cstddef>
#include <string>
#include <vector>

namespace rfbench::datasets {

struct ProcessOutput {
    int exit_code;       ///< 128 + signal when a signal ended it
    std::string output;  ///< its standard output
    std::string errors;  ///< the first 2000 bytes of its standard error
    bool cut;            ///< it wrote more than the limit, or could not be read from, and was ended
};

/// Runs `program` (looked for on PATH, without a shell) with these arguments and an empty standard input. Ends it with
/// SIGKILL when it writes more than `limit` bytes. Throws DataError when it cannot be started.
ProcessOutput run_process(const std::string& program, const std::vector<std::string>& arguments, std::size_t limit);

}  // namespace rfbench::datasets
