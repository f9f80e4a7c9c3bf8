#include "rfbench/store/sha256.hpp"

#include <openssl/evp.h>

#include <new>

#include "rfbench/store/file_reading.hpp"

namespace rfbench::store {
namespace {

/// libcrypto fails here for want of memory alone.
void require(bool done) {
    if (!done) throw std::bad_alloc();
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::span<const std::byte> bytes) {
    require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::bytes() {
    Digest result{};
    require(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(result.data()), nullptr) == 1);
    return result;
}

std::string hex(const Digest& digest) {
    std::string text;
    for (const std::byte one : digest) {
        text += "0123456789abcdef"[std::to_integer<int>(one) >> 4];
        text += "0123456789abcdef"[std::to_integer<int>(one) & 0xf];
    }
    return text;
}

Digest digest(std::span<const std::byte> bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.bytes();
}

Digest digest(std::string_view text) { return digest(std::as_bytes(std::span(text))); }

std::string sha256(std::span<const std::byte> bytes) { return hex(digest(bytes)); }

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256_file(const std::filesystem::path& path) {
    Sha256 hash;
    read_pieces(path, [&](std::span<const std::byte> piece) { hash.add(piece); });
    return hash.digest();
}

}  // namespace rfbench::store
