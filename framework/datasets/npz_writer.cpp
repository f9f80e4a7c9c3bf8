#include "rfbench/datasets/npz_writer.hpp"

#include <fmt/format.h>
#include <utf8.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace rfbench::datasets {

namespace {

/// Little-endian numbers.
void put(std::string& to, std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(number >> (8 * i) & 0xff);
}

std::u32string code_points(const std::string& word) {
    std::string valid;
    utf8::replace_invalid(word.begin(), word.end(), std::back_inserter(valid));
    std::u32string points;
    utf8::utf8to32(valid.begin(), valid.end(), std::back_inserter(points));
    return points;
}

constexpr std::uint16_t version = 20;            // 2.0, the first with folders
constexpr std::uint16_t date = (0 << 9) | 0x21;  // 1 January 1980, the least there is

/// The part that the local header of a member and its entry in the table of contents share.
std::string facts(const std::string& name, const std::string& bytes) {
    std::string text;
    put(text, version, 2);
    put(text, 0, 2);  // flags
    put(text, 0, 2);  // method: stored
    put(text, 0, 2);  // time
    put(text, date, 2);
    put(text, crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
    put(text, bytes.size(), 4);
    put(text, bytes.size(), 4);
    put(text, name.size(), 2);
    put(text, 0, 2);  // extra field
    return text;
}

}  // namespace

std::string npy_words(std::span<const std::string> words) {
    std::vector<std::u32string> all;
    std::size_t longest = 1;
    for (const std::string& word : words) {
        all.push_back(code_points(word));
        longest = std::max(longest, all.back().size());
    }
    // The header ends at a multiple of 64 bytes, as NumPy writes it.
    std::string header =
        fmt::format("{{'descr': '<U{}', 'fortran_order': False, 'shape': ({},), }}", longest, words.size());
    const std::size_t before = 10;
    header += std::string((64 - (before + header.size() + 1) % 64) % 64, ' ') + "\n";
    std::string text("\x93NUMPY\x01\x00", 8);
    put(text, header.size(), 2);
    text += header;
    for (const std::u32string& word : all) {
        for (const char32_t point : word) put(text, point, 4);
        text.append(4 * (longest - word.size()), '\0');
    }
    return text;
}

std::string npz(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string archive, contents;
    for (const auto& [given, bytes] : members) {
        const std::string name = given + ".npy", shared = facts(name, bytes);
        if (archive.size() + bytes.size() > std::numeric_limits<std::uint32_t>::max() - (1u << 20))
            throw std::invalid_argument("npz: the archive has more than 4 GB");
        contents += "PK\x01\x02";
        put(contents, version, 2);
        contents += shared;
        put(contents, 0, 2);  // comment
        put(contents, 0, 2);  // disk
        put(contents, 0, 2);  // attributes
        put(contents, 0, 4);
        put(contents, archive.size(), 4);
        contents += name;
        archive += "PK\x03\x04" + shared + name + bytes;
    }
    std::string end = "PK\x05\x06";
    put(end, 0, 4);  // disks
    put(end, members.size(), 2);
    put(end, members.size(), 2);
    put(end, contents.size(), 4);
    put(end, archive.size(), 4);
    put(end, 0, 2);  // comment
    return archive + contents + end;
}

}  // namespace rfbench::datasets
