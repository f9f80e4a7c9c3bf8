#pragma once
// Running the drawing program.
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rfbench::report {

/// A new empty folder among the system's temporary files, removed with all it holds at the end of its life. Throws
/// std::runtime_error with the system's reason when none can be made.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

struct ProgramResult {
    int exit_code;         ///< 128 + signal when a signal ended it
    std::string messages;  ///< all it wrote to its standard output and error
};

/// Runs `program`, looked for on PATH and without a shell, in `folder`, with an empty standard input, the locale
/// C.UTF-8, PYTHONHASHSEED=0 and SOURCE_DATE_EPOCH=0, and waits for it; at the end of the time limit it is killed, and
/// the messages say so. Empty when there is no such program. Throws std::runtime_error when it is there but cannot be
/// started.
std::optional<ProgramResult> run_program(const std::string& program, const std::vector<std::string>& arguments,
                                         const ScratchFolder& folder,
                                         std::chrono::milliseconds limit = std::chrono::minutes(2));

}  // namespace rfbench::report
