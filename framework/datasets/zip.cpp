#include "rfbench/datasets/zip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <cstdint>
#include <vector>

#include "rfbench/datasets/gzip.hpp"
#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::string_view end_mark = "PK\x05\x06";
constexpr std::string_view entry_mark = "PK\x01\x02";
constexpr std::string_view local_mark = "PK\x03\x04";
constexpr std::size_t end_size = 22;
constexpr std::size_t entry_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::uint32_t zip64_sentinel = 0xffffffff;

/// Bytes of an archive, every access checked.
struct Archive {
    std::string_view bytes;
    std::string_view file;

    std::string_view part(std::size_t at, std::size_t size) const {
        if (at > bytes.size() || size > bytes.size() - at) refuse({file}, "the zip archive is cut short or damaged");
        return bytes.substr(at, size);
    }
    std::uint32_t little_endian(std::size_t at, std::size_t size) const {
        const std::string_view field = part(at, size);
        std::uint32_t value = 0;
        for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(field[i]);
        return value;
    }
    std::uint32_t u16(std::size_t at) const { return little_endian(at, 2); }
    std::uint32_t u32(std::size_t at) const { return little_endian(at, 4); }
};

using Member = Zip::Member;

/// The archive's table of contents, which stands at its end.
std::vector<Member> entries(const Archive& archive) {
    // From the end: the table follows all members, and only a comment follows it.
    const std::size_t end = archive.bytes.rfind(end_mark);
    if (!archive.bytes.starts_with("PK") || end == std::string_view::npos) {
        refuse({archive.file}, "is not a whole zip archive");
    }
    archive.part(end, end_size);
    std::vector<Member> found;
    // APPNOTE 4.3.16: the number of entries is at 10, where the first one is at 16.
    std::size_t at = archive.u32(end + 16);
    for (std::uint32_t left = archive.u16(end + 10); left > 0; --left) {
        if (archive.part(at, entry_size).substr(0, 4) != entry_mark) {
            refuse({archive.file}, "the table of contents of the zip archive is damaged");
        }
        // APPNOTE 4.3.12: name, extra field and comment have their lengths at 28, 30 and 32, and follow one another.
        const std::size_t name_size = archive.u16(at + 28);
        found.push_back({std::string(archive.part(at + entry_size, name_size)), archive.u16(at + 8),
                         archive.u16(at + 10), archive.u32(at + 16), archive.u32(at + 20), archive.u32(at + 24),
                         archive.u32(at + 42)});
        at += entry_size + name_size + archive.u16(at + 30) + archive.u16(at + 32);
    }
    return found;
}

std::string unpacked(const Archive& archive, const Member& entry, std::size_t limit) {
    const std::string name = fmt::format("{}({})", archive.file, entry.name);
    if (entry.flags & 1) refuse({name}, "is encrypted");
    if (entry.packed == zip64_sentinel || entry.unpacked == zip64_sentinel || entry.local == zip64_sentinel)
        refuse({name}, "is stored as Zip64");
    if (archive.part(entry.local, local_size).substr(0, 4) != local_mark) refuse({name}, "has a damaged header");
    // The header before the data may have another extra field than the table. Its sizes may be zero where the writer
    // did not know them yet, so those of the table count.
    const std::size_t start = entry.local + local_size + archive.u16(entry.local + 26) + archive.u16(entry.local + 28);
    const std::string_view packed = archive.part(start, entry.packed);

    std::string contents;
    if (entry.method == 8) {
        contents = inflate_bare(packed, limit, name);
    } else if (entry.method == 0) {
        if (packed.size() > limit) refuse({name}, fmt::format("is larger than the {} bytes expected", limit));
        contents = packed;
    } else {
        refuse({name}, fmt::format("is packed by zip method {}; 0 (stored) and 8 (deflated) are read", entry.method));
    }
    if (contents.size() != entry.unpacked)
        refuse({name},
               fmt::format("has {} bytes; the archive's table of contents says {}", contents.size(), entry.unpacked));
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size());
    if (crc != entry.crc) refuse({name}, "is damaged (its CRC-32 differs from the archive's)");
    return contents;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with(local_mark) || bytes.starts_with(end_mark); }

Zip::Zip(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
    for (Member& member : entries({bytes_, file_})) {
        if (!members_.emplace(member.name, member).second)
            refuse({file_}, fmt::format("the zip archive has two members of the name {}", in_quotes(member.name)));
        names_.push_back(std::move(member.name));
    }
}

std::string Zip::contents(const std::string& member, std::size_t limit) const {
    const auto found = members_.find(member);
    if (found == members_.end())
        refuse({file_}, fmt::format("the zip archive has no member '{}'; it has {}", member,
                                    names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", "))));
    return unpacked({bytes_, file_}, found->second, limit);
}

std::string unzip(std::string_view bytes, std::string_view member, std::size_t limit, std::string_view file) {
    return Zip(bytes, std::string(file)).contents(std::string(member), limit);
}

}  // namespace rfbench::datasets
