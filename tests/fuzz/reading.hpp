#pragma once
// Duty of every fuzzed reader of foreign bytes: give something back or refuse in a sentence, and nothing else.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "rfbench/errors.hpp"

namespace rfbench::fuzz {

/// Calls a reader. Its refusals are those of files and configurations; any other exception ends the process, which the
/// fuzzer reports, and so does a sentence that is longer than anybody reads.
template <class Reader>
void refuses_or_reads(Reader reader) {
    const auto check = [](std::string_view said) {
        if (said.empty() || said.size() > 20'000) std::abort();
    };
    try {
        reader();
    } catch (const FileError& refusal) {
        check(refusal.what());
    } catch (const InputError& refusal) {
        check(refusal.what());
    }
}

/// A file in memory, for readers that want a path.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : number_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (number_ < 0 || ::write(number_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            std::abort();
    }
    ~MemoryFile() { ::close(number_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(number_); }

private:
    int number_;
};

/// A folder of this process, for readers that look for files by their names.
inline const std::filesystem::path& own_folder() {
    static const std::filesystem::path folder = [] {
        auto path = std::filesystem::temp_directory_path() / ("rfbench-fuzz-" + std::to_string(::getpid()));
        std::filesystem::create_directories(path);
        return path;
    }();
    return folder;
}

inline std::filesystem::path file_called(const std::string& name, std::string_view bytes) {
    const auto path = own_folder() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

/// The two parts of an input, before and after its first zero byte.
inline std::pair<std::string_view, std::string_view> parts(std::string_view input) {
    const std::size_t zero = input.find('\0');
    if (zero == std::string_view::npos) return {input, {}};
    return {input.substr(0, zero), input.substr(zero + 1)};
}

}  // namespace rfbench::fuzz

/// Each of the programs has one reader: FUZZ(bytes) { ... }
#define FUZZ(bytes)                                                                                                    \
    static void read_all(std::string_view bytes);                                                                      \
    extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                                \
        read_all(std::string_view(reinterpret_cast<const char*>(data), size));                                         \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static void read_all(std::string_view bytes)
