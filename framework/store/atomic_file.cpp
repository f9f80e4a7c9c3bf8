#include "rfbench/store/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
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
            if (number_ >= 0) {
                if (hold()) return;
                system_calls().close(number_);
                continue;
            }
            if (errno != EEXIST && errno != EINTR)
                throw_system_error(fmt::format("create the temporary file {} for", path_.string()), target, errno);
        }
    }
    ~Temporary() {
        if (!renamed_) system_calls().unlink(path_.c_str());
        if (held_ >= 0) ::close(held_);
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
    // Its lock outlives the file's number, until it is renamed: so nobody takes it for one that was left. Not, where
    // somebody did so before there was a lock. File systems without locks are taken as they are.
    bool hold() {
        if (!try_lock(number_) && errno == EWOULDBLOCK) return false;
        if (!has_name(number_)) return false;
        held_ = ::fcntl(number_, F_DUPFD_CLOEXEC, 0);
        return true;
    }

    fs::path target_, path_;
    int number_ = -1, held_ = -1;
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
    if (!name.starts_with(temporary_prefix) || !name.ends_with(temporary_suffix)) return false;
    const std::size_t begin = temporary_prefix.size(), size = name.size() - begin - temporary_suffix.size();
    return name.substr(begin, size).find_first_not_of("0123456789-") == std::string::npos;
}

namespace {

// The file under its lock, or nothing where a process that lives has it.
std::unique_ptr<Descriptor> held_left_over(const fs::path& path) {
    // Open for writing, too: NFS gives no exclusive lock otherwise.
    const int number = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (number < 0) return nullptr;
    auto file = std::make_unique<Descriptor>(path, number);
    return try_lock(number) ? std::move(file) : nullptr;
}

std::size_t remove_left_over(const std::vector<fs::directory_entry>& entries) {
    std::size_t count = 0;
    for (const fs::directory_entry& entry : entries) {
        if (!is_temporary(entry.path()) || fs::is_directory(entry.symlink_status())) continue;
        // Held while it goes: a writer whose temporary has lost its name makes another.
        const auto held = held_left_over(entry.path());
        if (!held) continue;
        if (system_calls().unlink(entry.path().c_str()) != 0 && errno != ENOENT)
            throw_system_error("remove the temporary file", entry.path(), errno);
        ++count;
    }
    return count;
}

}  // namespace

bool is_left_over(const fs::path& temporary) { return held_left_over(temporary) != nullptr; }

std::size_t remove_temporaries(const fs::path& folder) { return remove_left_over(entries_below(folder)); }

std::size_t remove_temporaries_beside(const fs::path& file) { return remove_left_over(entries_in(folder_of(file))); }

}  // namespace rfbench::store
