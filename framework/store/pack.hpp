#pragma once
// A pack: records one after the other in a file that one process appends to and that is never changed otherwise. So
// cells by the million need few files, any number of processes and machines can store side by side without a lock, and
// whatever stops one of them, all that it had committed stays.
//
// A record is a head of 136 bytes and its payload, padded with zeros to a multiple of eight (numbers are
// little-endian):
//     0 "rfbcell\n" or "rfbtext\n"    8 size of the payload    16 identity    48 sha256 of the payload
//    80 place    88 seconds (a double)    96 nanoseconds since 1970    104 sha256 of all before
// A head tells by its own checksum whether it is one: after damage the next good one is found.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::store {

enum class RecordKind { cell, text };

/// A record's head, and where it stands.
struct Record {
    RecordKind kind = RecordKind::cell;
    Digest identity{};                   ///< what the payload is known by
    Digest content{};                    ///< sha256 of the payload
    std::uint64_t place = 0;             ///< where a cell belongs, whatever its identity
    double seconds = 0;                  ///< that computing it took
    std::int64_t time = 0;               ///< when it was stored, in nanoseconds since 1970
    std::uint64_t offset = 0, size = 0;  ///< of the payload in the file, in bytes
};

struct PackContents {
    std::vector<Record> records;  ///< in the order in which they were appended
    struct Gap {
        std::uint64_t offset, size;
    };
    std::vector<Gap> damaged;  ///< bytes that are no records, before a good one or the end
    bool torn = false;         ///< the last record lacks its end: it was never committed, or is being written
};

/// Reads the heads. Throws Error when the file cannot be read.
PackContents read_pack(const std::filesystem::path&);

/// Reads the payloads of a pack, which is open as long as the reader lives.
class PayloadReader {
public:
    /// Throws Error when the pack cannot be opened.
    explicit PayloadReader(std::filesystem::path pack);
    /// The payload of a record. Throws Error naming file and offset when it cannot be read or its bytes are not those
    /// that were written.
    std::string read(const Record&) const;
    const std::filesystem::path& pack() const { return pack_; }

private:
    std::filesystem::path pack_;
    Descriptor file_;
};

inline constexpr const char* pack_extension = ".pack";

/// Writes a pack of its own in a folder, which it makes with the first commit, as is the file. Not thread-safe.
class PackWriter {
public:
    explicit PackWriter(std::filesystem::path folder);
    ~PackWriter();
    PackWriter(const PackWriter&) = delete;
    PackWriter& operator=(const PackWriter&) = delete;

    /// Remembers a record; `offset`, `size` and `content` are found here, and `time` where it is 0.
    Record append(Record, std::string_view payload);
    /// Writes what was appended and forces it to the disk: when this returns it survives a kill and a power cut. Throws
    /// Error naming operation, file and reason; the pack then ends where it did before, or in a torn record.
    void commit();
    /// Bytes that wait for commit().
    std::size_t waiting() const { return waiting_.size(); }
    /// The file; empty before the first commit.
    const std::filesystem::path& path() const { return path_; }

private:
    void create();
    void give_name();

    std::filesystem::path folder_, path_;
    struct Open;
    std::unique_ptr<Open> open_;
    std::string waiting_;
    std::uint64_t committed_ = 0;  ///< bytes of the file that are on the disk
};

/// The system's time. Nothing but the order of records depends on it.
std::int64_t nanoseconds_now();

/// Whether a file is called as PackWriter calls packs.
bool has_name_of_pack(const std::filesystem::path&);

/// Locks a pack for as long as the object lives, so that nobody else removes it. Null if a process writes to it, on
/// this machine or on another that shares the folder and its locks. Throws Error if it is a link, or cannot be locked.
std::unique_ptr<Descriptor> hold_pack(const std::filesystem::path& pack);

}  // namespace rfbench::store
