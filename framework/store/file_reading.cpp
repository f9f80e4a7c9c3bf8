#include "rfbench/store/file_reading.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;

class OpenFile {
public:
    explicit OpenFile(const std::filesystem::path& path) {
        // Without O_NONBLOCK a pipe that nobody writes to would be waited for, before it can be refused.
        do number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        while (number_ < 0 && errno == EINTR);
    }
    ~OpenFile() {
        if (number_ >= 0) ::close(number_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void fail(const std::filesystem::path& path, int code) {
    throw Error(fmt::format("cannot read {}: {}", path.string(), std::strerror(code)));
}

void pass_on(const OpenFile& file, const std::filesystem::path& path,
             const std::function<void(std::span<const std::byte>)>& take) {
    struct stat what {};
    if (file.number() < 0 || ::fstat(file.number(), &what) != 0) fail(path, errno);
    if (S_ISDIR(what.st_mode)) fail(path, EISDIR);
    if (!S_ISREG(what.st_mode)) throw Error(fmt::format("cannot read {}: not a regular file", path.string()));

    // By pieces: the digest of a large file takes little memory.
    std::vector<std::byte> piece(piece_size);
    for (;;) {
        const ssize_t got = ::read(file.number(), piece.data(), piece.size());
        if (got == 0) return;
        if (got > 0)
            take(std::span(piece).first(std::size_t(got)));
        else if (errno != EINTR)
            fail(path, errno);
    }
}

std::string whole(const OpenFile& file, const std::filesystem::path& path) {
    std::string bytes;
    pass_on(file, path, [&](std::span<const std::byte> piece) {
        bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    });
    return bytes;
}

}  // namespace

void read_pieces(const std::filesystem::path& path, const std::function<void(std::span<const std::byte>)>& take) {
    pass_on(OpenFile(path), path, take);
}

std::string read_whole(const std::filesystem::path& path) { return whole(OpenFile(path), path); }

std::optional<std::string> read_if_there(const std::filesystem::path& path) {
    const OpenFile file(path);
    // Below a file that is taken for a folder there is no such file either.
    if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    return whole(file, path);
}

}  // namespace rfbench::store
