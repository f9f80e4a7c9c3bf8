#include "rfbench/datasets/gzip.hpp"

#include <zlib.h>

#include <algorithm>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

// inflateInit2 of zlib.h: windows of up to 2^15 bytes; 16 more ask for a gzip header, a minus for no header at all.
constexpr int gzip_window = 15 + 16;
constexpr int bare_window = -15;

/// zlib's state for one stream, released on every way out.
struct Stream {
    z_stream zlib{};

    Stream(int window, std::string_view file) {
        if (inflateInit2(&zlib, window) != Z_OK) refuse({file}, "zlib could not start (out of memory?)");
    }
    ~Stream() { inflateEnd(&zlib); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

/// Unpacks one stream from the front of `packed`, appends to `out`, and takes what it used off `packed`.
void unpack_one(std::string_view& packed, std::string& out, std::size_t limit, int window, std::string_view file) {
    Stream stream(window, file);
    z_stream& zlib = stream.zlib;
    const std::size_t whole = packed.size();
    char block[1 << 16];
    for (int state = Z_OK; state != Z_STREAM_END;) {
        // zlib counts in unsigned int: feed it in pieces.
        const std::size_t piece = std::min<std::size_t>(packed.size(), 1u << 30);
        zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        zlib.avail_in = static_cast<uInt>(piece);
        zlib.next_out = reinterpret_cast<Bytef*>(block);
        zlib.avail_out = sizeof block;
        state = inflate(&zlib, Z_NO_FLUSH);
        packed.remove_prefix(piece - zlib.avail_in);

        // Z_BUF_ERROR is no damage: no step was possible, and whether input or room was lacking is seen below.
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
            refuse({file}, "the compressed data is damaged near byte " + std::to_string(whole - packed.size()) + " (" +
                               (zlib.msg ? zlib.msg : "zlib error " + std::to_string(state)) + ")");
        }
        const std::size_t got = sizeof block - zlib.avail_out;
        if (got > limit - out.size()) {
            refuse({file}, "unpacks to more than the " + std::to_string(limit) + " bytes expected");
        }
        out.append(block, got);
        // There was room left and no more to read, and the stream has not ended.
        if (state != Z_STREAM_END && packed.empty() && got < sizeof block) {
            refuse({file}, "the compressed data is cut short after " + std::to_string(whole) + " bytes");
        }
    }
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view packed, std::size_t limit, std::string_view file) {
    if (!is_gzip(packed)) refuse({file}, "is not a gzip file (it does not begin with the bytes 1f 8b)");
    std::string out;
    // A gzip file is one member or several, one after the other (RFC 1952, section 2.2).
    while (!packed.empty()) {
        if (!is_gzip(packed)) {
            refuse({file}, std::to_string(packed.size()) + " bytes follow the end of the gzip data");
        }
        unpack_one(packed, out, limit, gzip_window, file);
    }
    return out;
}

std::string inflate_bare(std::string_view packed, std::size_t limit, std::string_view file) {
    std::string out;
    unpack_one(packed, out, limit, bare_window, file);
    if (!packed.empty()) {
        refuse({file}, std::to_string(packed.size()) + " bytes follow the end of the compressed data");
    }
    return out;
}

}  // namespace rfbench::datasets
