#include "rfbench/store/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::store {
namespace {

constexpr mode_t readable_by_all = 0666;  // less what the process' mask takes away

int open_file(const std::filesystem::path& path, int flags, const std::string& operation) {
    for (;;) {
        const int number = system_calls().open(path.c_str(), flags | O_CLOEXEC, readable_by_all);
        if (number >= 0) return number;
        if (errno != EINTR) throw_system_error(operation, path, errno);
    }
}

int sync_number(int number) {
    for (;;) {
        if (system_calls().fsync(number) == 0) return 0;
        if (errno != EINTR) return errno;
    }
}

}  // namespace

void throw_system_error(const std::string& operation, const std::filesystem::path& file, int code) {
    throw Error(fmt::format("cannot {} {}: {}", operation, file.string(), std::strerror(code)));
}

Descriptor::Descriptor(const std::filesystem::path& path, int flags, const std::string& operation)
    : path_(path), number_(open_file(path, flags, operation)) {}

Descriptor::Descriptor(const std::filesystem::path& path, int number) : path_(path), number_(number) {}

Descriptor::~Descriptor() {
    if (number_ >= 0) system_calls().close(number_);
}

void Descriptor::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = system_calls().write(number_, bytes.data(), bytes.size());
        if (written > 0)
            bytes = bytes.subspan(std::size_t(written));
        else if (written == 0)
            throw Error(fmt::format("cannot write {}: the system takes no more bytes", path_.string()));
        else if (errno != EINTR)
            throw_system_error("write", path_, errno);
    }
}

void Descriptor::sync() {
    if (const int code = sync_number(number_)) throw_system_error("force to the disk (fsync)", path_, code);
}

void Descriptor::truncate(std::size_t size) {
    while (system_calls().ftruncate(number_, off_t(size)) != 0)
        if (errno != EINTR) throw_system_error("truncate", path_, errno);
}

// Whether close failed by a signal or otherwise, the number is free again.
void Descriptor::close() {
    if (system_calls().close(std::exchange(number_, -1)) != 0 && errno != EINTR)
        throw_system_error("close", path_, errno);
}

std::size_t Descriptor::size() const {
    struct stat what {};
    if (::fstat(number_, &what) != 0) throw_system_error("tell the size of", path_, errno);
    return std::size_t(what.st_size);
}

char Descriptor::byte(std::size_t place) const {
    char value = 0;
    for (;;) {
        const ssize_t got = ::pread(number_, &value, 1, off_t(place));
        if (got == 1) return value;
        if (got == 0) throw Error(fmt::format("cannot read {}: it became shorter meanwhile", path_.string()));
        if (errno != EINTR) throw_system_error("read", path_, errno);
    }
}

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor entries(folder, O_RDONLY | O_DIRECTORY, "open the folder");
    const int code = sync_number(entries.number());
    // EINVAL comes from file systems that have no fsync of folders.
    if (code != 0 && code != EINVAL)
        throw_system_error("force to the disk (fsync) the entries of the folder", folder, code);
}

}  // namespace rfbench::store
