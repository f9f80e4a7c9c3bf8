#pragma once
// An open file, written through the replaceable system calls, every failure told by name and reason.
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rfbench::store {

/// "cannot <operation> <file>: <strerror(code)>", thrown as Error.
[[noreturn]] void throw_system_error(const std::string& operation, const std::filesystem::path& file, int code);

class Descriptor {
public:
    /// Throws Error when the file cannot be opened.
    Descriptor(const std::filesystem::path&, int flags, const std::string& operation);

    /// Takes a file that is open.
    Descriptor(const std::filesystem::path&, int number);
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }

    /// Each throws Error naming the file and the reason. write() goes on after a short write or a signal.
    void write(std::span<const std::byte>);
    void sync();
    void truncate(std::size_t size);
    void close();
    /// Throws Error for a file that is not regular, too: others have no size.
    std::size_t size() const;
    /// Fills `bytes` from there; Error too when the file ends before.
    void read(char* bytes, std::size_t count, std::size_t offset) const;

private:
    std::filesystem::path path_;
    int number_;
};

/// Locks an open file for whoever has opened it here, until it is closed: whether it could. Where not, `errno` is
/// EWOULDBLOCK if somebody else has locked it.
bool try_lock(int number);

/// Whether an open file still has a name.
bool has_name(int number);

/// Makes a folder and those above it that are missing, and forces their entries to the disk.
void make_folders(const std::filesystem::path& folder);

/// Forces the entries of a folder to the disk. File systems that cannot (EINVAL) are taken at their word.
void sync_folder(const std::filesystem::path& folder);

}  // namespace rfbench::store
