#include "rfbench/process/conversation.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "rfbench/errors.hpp"
#include "rfbench/process/spawn.hpp"

namespace rfbench::process {

Conversation::Conversation(const Command& command) : program_(command.program) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw FileError("no socket could be made: " + reason(errno));
    socket_ = ends[0];
    try {
        const auto child = spawn(command, {.input = ends[1], .output = ends[1]});
        if (!child) throw FileError("there is no program '" + program_ + "'");
        child_ = *child;
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
}

Conversation::~Conversation() {
    close(socket_);
    end(child_);
}

void Conversation::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        // No signal where the program has ended: that is told here.
        const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) throw FileError("the program '" + program_ + "' does not listen any more: " + reason(errno));
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

std::size_t Conversation::receive(std::span<std::byte> bytes) {
    for (;;) {
        const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got < 0 && errno == EINTR) continue;
        throw FileError("the program '" + program_ + "' has ended in place of an answer");
    }
}

std::string Conversation::line() {
    std::array<std::byte, 4096> block{};
    std::size_t seen = 0;
    for (;;) {
        if (const std::size_t newline = ahead_.find('\n', seen); newline != std::string::npos) {
            std::string result = ahead_.substr(0, newline);
            ahead_.erase(0, newline + 1);
            return result;
        }
        seen = ahead_.size();
        const std::size_t got = receive(block);
        ahead_.append(reinterpret_cast<const char*>(block.data()), got);
    }
}

void Conversation::read(std::span<std::byte> bytes) {
    const std::size_t known = std::min(bytes.size(), ahead_.size());
    std::memcpy(bytes.data(), ahead_.data(), known);
    ahead_.erase(0, known);
    for (bytes = bytes.subspan(known); !bytes.empty();) bytes = bytes.subspan(receive(bytes));
}

}  // namespace rfbench::process
