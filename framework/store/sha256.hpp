#pragma once
// SHA-256 (FIPS 180-4), by which a result file is known.
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace rfbench::store {

/// The 32 bytes of a SHA-256, and the 64 lowercase hexadecimal digits that stand for them.
using Digest = std::array<std::byte, 32>;
std::string hex(const Digest&);

/// The digest of bytes that arrive in pieces, by libcrypto.
class Sha256 {
public:
    Sha256();
    void add(std::span<const std::byte>);

    /// The object is spent afterwards.
    Digest bytes();
    std::string digest() { return hex(bytes()); }

private:
    struct Free {
        void operator()(evp_md_ctx_st*) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
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
