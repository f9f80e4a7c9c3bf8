#pragma once
// A program that is asked and answers, as long as we have questions.
#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "rfbench/process/run.hpp"

namespace rfbench::process {

/// One socket is the program's standard input and output; its errors go to ours. For one thread at a time. All throw
/// FileError where the program has ended, or cannot be started; its time and the amount of output are not limited.
class Conversation {
public:
    explicit Conversation(const Command&);
    /// Ends the program.
    ~Conversation();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void write(std::span<const std::byte>);
    /// A line that the program wrote, without the newline at its end.
    std::string line();
    /// So many bytes that it wrote.
    void read(std::span<std::byte>);

private:
    /// Reads what is there, at least a byte.
    std::size_t receive(std::span<std::byte>);

    std::string program_;
    int socket_ = -1;
    pid_t child_ = -1;
    std::string ahead_;  ///< what was read after a line
};

}  // namespace rfbench::process
