#include "rfbench/store/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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
        // The system may take a part of the bytes, or none because of a signal: it is asked for the rest.
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
    if (!S_ISREG(what.st_mode)) throw Error(fmt::format("cannot read {}: not a regular file", path_.string()));
    return std::size_t(what.st_size);
}

void Descriptor::read(char* bytes, std::size_t count, std::size_t offset) const {
    while (count > 0) {
        const ssize_t got = ::pread(number_, bytes, count, off_t(offset));
        if (got == 0) throw Error(fmt::format("cannot read {}: it became shorter meanwhile", path_.string()));
        if (got < 0 && errno != EINTR) throw_system_error("read", path_, errno);
        if (got <= 0) continue;
        bytes += got, count -= std::size_t(got), offset += std::size_t(got);
    }
}

bool try_lock(int number) {
    int result;
    do result = ::flock(number, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

bool has_name(int number) {
    struct stat what {};
    return ::fstat(number, &what) == 0 && what.st_nlink > 0;
}

void make_folders(const std::filesystem::path& folder) {
    if (folder.empty() || std::filesystem::is_directory(folder)) return;
    const std::filesystem::path above = folder.has_parent_path() ? folder.parent_path() : ".";
    // From the outermost on, each entry forced to the disk: a folder is lost with the one that it is in.
    make_folders(above);
    std::error_code problem;
    std::filesystem::create_directory(folder, problem);
    if (problem) throw_system_error("make the folder", folder, problem.value());
    sync_folder(above);
}

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor entries(folder, O_RDONLY | O_DIRECTORY, "open the folder");
    const int code = sync_number(entries.number());
    // EINVAL comes from file systems that have no fsync of folders.
    if (code != 0 && code != EINVAL)
        throw_system_error("force to the disk (fsync) the entries of the folder", folder, code);
}

}  // namespace rfbench::store
