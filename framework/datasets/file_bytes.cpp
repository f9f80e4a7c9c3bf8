#include "rfbench/datasets/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

constexpr const char* not_regular = "is no regular file, but a pipe, a socket or a device";

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

using File = std::unique_ptr<std::FILE, Close>;

File opened(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status)) refuse({name}, "there is no such file");
    if (std::filesystem::is_directory(status)) refuse({name}, "is a folder; a file is needed");
    if (!std::filesystem::is_regular_file(status)) refuse({name}, not_regular);
    // Without O_NONBLOCK a pipe that took the file's place meanwhile would be waited for.
    const int number = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    File file(number < 0 ? nullptr : ::fdopen(number, "rb"));
    if (!file) {
        const int reason = errno;
        if (number >= 0) ::close(number);
        refuse({name}, "cannot be opened: " + std::generic_category().message(reason));
    }
    return file;
}

/// Size of a regular file. A pipe would block for ever, and could not be read twice; a device has no end.
std::size_t size_of(const File& file, const std::filesystem::path& path) {
    struct stat what {};
    if (::fstat(::fileno(file.get()), &what) != 0 || !S_ISREG(what.st_mode)) refuse({path.string()}, not_regular);
    return static_cast<std::size_t>(what.st_size);
}

void require_read(const File& file, const std::filesystem::path& path) {
    if (std::ferror(file.get())) refuse({path.string()}, "cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

std::string file_bytes(const std::filesystem::path& path, std::size_t limit) {
    const File file = opened(path);
    // By its size, before any of it is read.
    if (const std::size_t size = size_of(file, path); size > limit)
        refuse({path.string()}, fmt::format("has {} bytes; at most {} are read", size, limit));
    std::string bytes;
    char block[1 << 16];
    // To its end and not to a size asked for before: a file may grow meanwhile, and the limit holds all the same.
    while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
        if (got > limit - bytes.size())
            refuse({path.string()}, fmt::format("is growing; at most {} bytes are read", limit));
        bytes.append(block, got);
    }
    require_read(file, path);
    return bytes;
}

std::string front_bytes(const std::filesystem::path& path, std::size_t count) {
    const File file = opened(path);
    size_of(file, path);
    std::string bytes(count, '\0');
    bytes.resize(std::fread(bytes.data(), 1, count, file.get()));
    require_read(file, path);
    return bytes;
}

}  // namespace rfbench::datasets
