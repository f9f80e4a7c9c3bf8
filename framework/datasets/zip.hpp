#pragma once
// One file out of a zip archive (PKWARE APPNOTE 6.3), for downloads that come packed so: stored and deflated members,
// no encryption, no Zip64.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rfbench::datasets {

/// Whether the bytes begin as a zip archive does.
bool is_zip(std::string_view bytes);

/// An archive in memory, which must outlive this.
class Zip {
public:
    /// `file` names the archive in messages. Throws DataError when the bytes are no zip archive or are cut short, or
    /// two members have one name.
    Zip(std::string_view bytes, std::string file);

    const std::string& file() const { return file_; }
    /// The names of the members, in the archive's order.
    const std::vector<std::string>& names() const { return names_; }
    /// Checked against the archive's CRC-32 and size. Throws DataError when the member is cut short, damaged or uses
    /// what is not supported, when there is none (then naming the members there are), and when it unpacks to more than
    /// `limit` bytes.
    std::string contents(const std::string& member, std::size_t limit) const;

    /// Entry of the table of contents (APPNOTE 4.3.12).
    struct Member {
        std::string name;
        std::uint32_t flags, method, crc, packed, unpacked, local;
    };

private:
    std::string_view bytes_;
    std::string file_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, Member> members_;
};

/// The contents of one member of an archive. Throws as Zip does.
std::string unzip(std::string_view bytes, std::string_view member, std::size_t limit, std::string_view file);

}  // namespace rfbench::datasets
