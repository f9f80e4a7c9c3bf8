#include "rfbench/datasets/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

[[noreturn]] void fail(const std::string& name, const char* step, int reason) {
    refuse({name}, std::string("cannot be written (").append(step).append("): ") +
                       std::generic_category().message(reason));
}

/// A temporary file that removes itself unless it was given its final name.
struct Temporary {
    std::string name;
    int descriptor;
    bool keep = false;

    explicit Temporary(const std::string& path) : name(path + ".XXXXXX"), descriptor(mkostemp(name.data(), O_CLOEXEC)) {
        if (descriptor < 0) fail(path, "create", errno);
    }
    ~Temporary() {
        if (descriptor >= 0) close(descriptor);
        if (!keep) unlink(name.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
};

void flush_folder(const std::string& path, const std::string& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail(path, "open its folder", errno);
    const int result = fsync(descriptor);
    const int reason = errno;
    close(descriptor);
    if (result != 0) fail(path, "flush its folder", reason);
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view bytes) {
    const std::string name = path.string();
    std::error_code failure;
    std::filesystem::create_directories(path.parent_path(), failure);
    if (failure) fail(name, "make its folder", failure.value());

    Temporary temporary(name);
    while (!bytes.empty()) {
        const ssize_t written = write(temporary.descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(name, "write", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (fchmod(temporary.descriptor, 0644) != 0) fail(name, "set its permissions", errno);
    if (fsync(temporary.descriptor) != 0) fail(name, "flush", errno);
    if (std::rename(temporary.name.c_str(), name.c_str()) != 0) fail(name, "rename", errno);
    temporary.keep = true;
    flush_folder(name, path.parent_path().string());
}

}  // namespace rfbench::datasets
