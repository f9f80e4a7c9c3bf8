#pragma once
// SHA-256 (FIPS 180-4), by which a result file is known.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace rfbench::store {

/// The 32 bytes of a SHA-256, and the 64 lowercase hexadecimal digits that stand for them.
using Digest = std::array<std::byte, 32>;
std::string hex(const Digest&);

/// The digest of bytes that arrive in pieces.
class Sha256 {
public:
    void add(std::span<const std::byte>);

    /// The object is spent afterwards.
    Digest bytes();
    std::string digest() { return hex(bytes()); }

private:
    void block(const std::byte* bytes);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> rest_{};  ///< the bytes of a block that is not yet full
    std::uint64_t size_ = 0;            ///< bytes added so far
};

/// 64 lowercase hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// The same as bytes.
Digest digest(std::span<const std::byte> bytes);
Digest digest(std::string_view text);

/// The digest of a file's bytes, read in pieces. Throws Error when the file cannot be read.
std::string sha256_file(const std::filesystem::path&);

}  // namespace rfbench::store
