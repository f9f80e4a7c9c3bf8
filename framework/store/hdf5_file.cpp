#include "rfbench/store/hdf5_file.hpp"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_image.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/stored_text.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view seal_begin = "\nrfbench sha256 ";
constexpr std::size_t seal_size = seal_begin.size() + 64 + 1;

/// Stands after the end that the HDF5 file tells of itself, where no other reader looks.
std::string seal(std::span<const std::byte> image) { return fmt::format("{}{}\n", seal_begin, sha256(image)); }

// The bytes before the seal, once it is found to be theirs.
std::span<const std::byte> sealed_image(std::string_view bytes) {
    if (bytes.size() < seal_size || !bytes.substr(bytes.size() - seal_size).starts_with(seal_begin))
        throw Error(
            "the line with its sha256 is missing at the end: it is no result file, was cut short, or was changed "
            "by another program");
    const auto image = std::as_bytes(std::span(bytes)).first(bytes.size() - seal_size);
    if (seal(image) != bytes.substr(image.size())) throw Error("its bytes do not match the sha256 at its end");
    return image;
}

void compare(std::string_view bytes, const std::string& known) {
    const std::string found = sha256(bytes);
    if (found != known) throw Error(fmt::format("its sha256 is {}, but it was written with {}", found, known));
}

Dataset parse(std::string_view bytes) {
    const auto image = sealed_image(bytes);
    Dataset data = from_image(image);
    check(data);
    return data;
}

Dataset read_known(const fs::path& path, const std::optional<std::string>& sha256) {
    const std::string bytes = read_whole(path);
    try {
        if (sha256) compare(bytes, *sha256);
        return parse(bytes);
    } catch (const std::bad_alloc&) {
        throw Error(
            fmt::format("cannot read {}: there is not enough memory for what it claims to hold", path.string()));
    } catch (const std::exception& problem) {
        throw Error(fmt::format("cannot read {}: {}", path.string(), problem.what()));
    }
}

}  // namespace

std::string write(const fs::path& path, const Dataset& data) {
    check(data);
    std::vector<std::byte> bytes;
    try {
        check_texts(data);
        bytes = to_image(data);
    } catch (const Error& problem) {
        throw Error(fmt::format("cannot write {}: {}", path.string(), problem.what()));
    }
    const std::string end = seal(bytes);
    for (const char c : end) bytes.push_back(std::byte(c));
    write_file(path, bytes);
    return sha256(bytes);
}

Dataset read(const fs::path& path) {
    // A run at work may have replaced list and file between the two looks.
    for (auto listed = listed_checksum(path);;) {
        try {
            return read_known(path, listed);
        } catch (const Error&) {
            const auto now = listed_checksum(path);
            if (now == listed) throw;
            listed = now;
        }
    }
}

Dataset read(const fs::path& path, std::string_view sha256) { return read_known(path, std::string(sha256)); }

}  // namespace rfbench::store
