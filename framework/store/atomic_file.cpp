#include "rfbench/store/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_prefix = ".rfbench-";
constexpr std::string_view temporary_suffix = ".tmp";

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// A file that did not exist before, removed again unless it was renamed.
class Temporary {
public:
    // The name does not contain that of the file, which may be as long as names can be.
    explicit Temporary(const fs::path& target) : target_(target) {
        static std::atomic<unsigned long> counter{0};
        for (;;) {
            path_ =
                folder_of(target) / fmt::format("{}{}-{}{}", temporary_prefix, ::getpid(), counter++, temporary_suffix);
            number_ = system_calls().open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (number_ >= 0) return;
            if (errno != EEXIST && errno != EINTR)
                throw_system_error(fmt::format("create the temporary file {} for", path_.string()), target, errno);
        }
    }
    ~Temporary() {
        if (!renamed_) system_calls().unlink(path_.c_str());
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    int number() const { return number_; }

    // To the target, unless there is one.
    void link() {
        if (::link(path_.c_str(), target_.c_str()) != 0 && errno != EEXIST)
            throw_system_error(fmt::format("link the temporary file {} to", path_.string()), target_, errno);
    }
    void rename() {
        while (system_calls().rename(path_.c_str(), target_.c_str()) != 0)
            if (errno != EINTR)
                throw_system_error(fmt::format("rename the temporary file {} to", path_.string()), target_, errno);
        renamed_ = true;
    }

private:
    fs::path target_, path_;
    int number_ = -1;
    bool renamed_ = false;
};

// The bytes are on the disk before they get the name: a crash leaves the old file or the new one.
void fill(const Temporary& temporary, const fs::path& path, std::span<const std::byte> bytes) {
    Descriptor file(path, temporary.number());
    file.write(bytes);
    file.sync();
    file.close();
}

}  // namespace

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
    Temporary temporary(path);
    fill(temporary, path, bytes);
    temporary.rename();
    sync_folder(folder_of(path));
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, std::as_bytes(std::span(text))); }

void write_file_once(const fs::path& path, std::string_view text) {
    Temporary temporary(path);
    fill(temporary, path, std::as_bytes(std::span(text)));
    temporary.link();
    sync_folder(folder_of(path));
}

bool is_temporary(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(temporary_prefix) && name.ends_with(temporary_suffix);
}

std::size_t remove_temporaries(const fs::path& folder, const fs::path& except) {
    std::size_t count = 0;
    std::error_code gone;
    for (const fs::directory_entry& entry : entries_below(folder, except)) {
        if (!is_temporary(entry.path()) || !entry.is_regular_file(gone)) continue;
        if (system_calls().unlink(entry.path().c_str()) != 0 && errno != ENOENT)
            throw_system_error("remove the temporary file", entry.path(), errno);
        ++count;
    }
    return count;
}

}  // namespace rfbench::store
