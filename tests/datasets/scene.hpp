#pragma once
// Shared parts of this folder's tests: a folder that disappears, packed bytes, and the sentence an error says.
#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

#include "rfbench/errors.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace scene {

/// Message of the FileError, as DataError is one, that `action` throws.
template <class Action>
std::string said(Action&& action) {
    return rfbench::tests::refusal<rfbench::FileError>(action);
}

using Folder = rfbench::tests::TemporaryFolder;

/// deflate at the default level, in a gzip wrapping or bare.
inline std::string deflated(const std::string& bytes, bool gzip) {
    z_stream zlib{};
    deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip ? 15 + 16 : -15, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&zlib, bytes.size()) + 32, '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib.avail_in = static_cast<uInt>(bytes.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    deflate(&zlib, Z_FINISH);
    out.resize(out.size() - zlib.avail_out);
    deflateEnd(&zlib);
    return out;
}
inline std::string gzipped(const std::string& bytes) { return deflated(bytes, true); }

inline std::string big_endian(std::size_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
    return out;
}

inline std::string little_endian(std::size_t value, int size) {
    std::string out;
    for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 255);
    return out;
}

/// An array in NumPy's format 1.0.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& bytes,
                       const std::string& order = "False") {
    std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    return "\x93NUMPY\x01" + std::string(1, '\0') + little_endian(header.size(), 2) + header + bytes;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// A zip archive with these members, each a name and its bytes.
inline std::string zipped(const std::vector<std::pair<std::string, std::string>>& members, bool deflate = true) {
    std::string locals, central;
    for (const auto& [member, bytes] : members) {
        const std::string packed = deflate ? deflated(bytes, false) : bytes;
        const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        const std::string facts = little_endian(deflate ? 8 : 0, 2) + little_endian(0, 4) + little_endian(crc, 4) +
                                  little_endian(packed.size(), 4) + little_endian(bytes.size(), 4) +
                                  little_endian(member.size(), 2);
        central += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + little_endian(0, 2) + facts +
                   little_endian(0, 2) + little_endian(0, 2) + little_endian(0, 2) + little_endian(0, 2) +
                   little_endian(0, 4) + little_endian(locals.size(), 4) + member;
        locals +=
            "PK\x03\x04" + little_endian(20, 2) + little_endian(0, 2) + facts + little_endian(0, 2) + member + packed;
    }
    return locals + central + "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
           little_endian(members.size(), 2) + little_endian(central.size(), 4) + little_endian(locals.size(), 4) +
           little_endian(0, 2);
}

/// With one.
inline std::string zipped(const std::string& member, const std::string& bytes, bool deflate = true) {
    return zipped(std::vector<std::pair<std::string, std::string>>{{member, bytes}}, deflate);
}

}  // namespace scene
