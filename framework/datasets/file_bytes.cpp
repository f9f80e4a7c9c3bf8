#include "rfbench/datasets/file_bytes.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

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
    // A pipe would block for ever, and could not be read twice.
    if (!std::filesystem::is_regular_file(status)) refuse({name}, "is no regular file");
    File file(std::fopen(name.c_str(), "rb"));
    if (!file) refuse({name}, "cannot be opened: " + std::generic_category().message(errno));
    return file;
}

void require_read(const File& file, const std::filesystem::path& path) {
    if (std::ferror(file.get())) refuse({path.string()}, "cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

std::string file_bytes(const std::filesystem::path& path, std::size_t limit) {
    const File file = opened(path);
    std::string bytes;
    char block[1 << 16];
    // To its end and not to a size asked for before: a file may grow meanwhile, and the limit holds all the same.
    while (const std::size_t got = std::fread(block, 1, sizeof block, file.get())) {
        if (got > limit - bytes.size())
            refuse({path.string()}, "is larger than the " + std::to_string(limit) + " bytes allowed here");
        bytes.append(block, got);
    }
    require_read(file, path);
    return bytes;
}

std::string front_bytes(const std::filesystem::path& path, std::size_t count) {
    const File file = opened(path);
    std::string bytes(count, '\0');
    bytes.resize(std::fread(bytes.data(), 1, count, file.get()));
    require_read(file, path);
    return bytes;
}

}  // namespace rfbench::datasets
