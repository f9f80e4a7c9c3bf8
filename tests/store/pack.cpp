#include "rfbench/store/pack.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "catch.hpp"
#include "failing_calls.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/system_calls.hpp"
#include "support/child_process.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

std::string payload(std::size_t number) { return std::string(number * 7 % 50, char('a' + number % 26)); }

Record append_record(PackWriter& writer, std::size_t number) {
    return writer.append({.kind = number % 3 == 0 ? RecordKind::text : RecordKind::cell,
                          .identity = digest("cell " + std::to_string(number)),
                          .place = number,
                          .seconds = 0.5 * double(number)},
                         payload(number));
}

std::filesystem::path written(const std::filesystem::path& folder, std::size_t count) {
    PackWriter writer(folder);
    for (std::size_t i = 0; i < count; ++i) append_record(writer, i);
    writer.commit();
    return writer.path();
}

/// Records that are there have the payload they were written with, or are refused.
void require_true(const std::filesystem::path& pack, const PackContents& contents) {
    for (const Record& record : contents.records) {
        const auto number = std::size_t(record.place);
        REQUIRE(record.identity == digest("cell " + std::to_string(number)));
        std::string read;
        const std::string said = refusal<Error>([&] { read = PayloadReader(pack).read(record); });
        if (said == "accepted") REQUIRE(read == payload(number));
    }
}

}  // namespace

TEST_CASE("what was committed is read again, head and payload") {
    const TemporaryFolder folder(Medium::memory);
    PackWriter writer(folder / "new" / "cells");
    CHECK(writer.path().empty());
    for (std::size_t i = 0; i < 20; ++i) {
        append_record(writer, i);
        if (i % 4 == 0) writer.commit();
    }
    CHECK(writer.waiting() > 0);
    writer.commit();
    CHECK(writer.waiting() == 0);

    const PackContents contents = read_pack(writer.path());
    REQUIRE(contents.records.size() == 20);
    CHECK(contents.damaged.empty());
    CHECK(!contents.torn);
    for (std::size_t i = 0; i < 20; ++i) {
        const Record& record = contents.records[i];
        CHECK(record.kind == (i % 3 == 0 ? RecordKind::text : RecordKind::cell));
        CHECK(record.identity == digest("cell " + std::to_string(i)));
        CHECK(record.place == i);
        CHECK(record.seconds == 0.5 * double(i));
        CHECK(record.time > 1'700'000'000'000'000'000);
        CHECK(PayloadReader(writer.path()).read(record) == payload(i));
    }
}

TEST_CASE("a pack that is cut short anywhere gives the records before the cut, and is torn") {
    const TemporaryFolder folder(Medium::memory);
    const auto pack = written(folder.path(), 6);
    const std::string bytes = bytes_of(pack);
    const PackContents whole = read_pack(pack);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        put_bytes(pack, bytes.substr(0, size));
        const PackContents cut = read_pack(pack);
        const auto complete = std::size_t(std::count_if(whole.records.begin(), whole.records.end(), [&](auto& record) {
            return record.offset + record.size <= size;
        }));
        INFO(size);
        REQUIRE(cut.records.size() == complete);
        REQUIRE(cut.damaged.empty());
        require_true(pack, cut);
    }
}

TEST_CASE("of a flipped bit no record is wrong, and those behind it are found") {
    const TemporaryFolder folder(Medium::memory);
    const auto pack = written(folder.path(), 6);
    const std::string bytes = bytes_of(pack);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
        std::string flipped = bytes;
        flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << bit % 8));
        put_bytes(pack, flipped);
        const PackContents contents = read_pack(pack);
        INFO("bit " << bit);
        REQUIRE(contents.records.size() >= 5);
        REQUIRE(contents.records.size() + contents.damaged.size() + (contents.torn ? 1 : 0) >= 6);
        require_true(pack, contents);
    }
}

TEST_CASE("bytes that are no pack are damage, not records") {
    const TemporaryFolder folder(Medium::memory);
    std::mt19937_64 bits(20261122);
    for (int turn = 0; turn < 50; ++turn) {
        std::string noise(std::size_t(bits() % 2000), '\0');
        for (char& c : noise) c = char(bits());
        // Marks without what belongs to them are no heads.
        for (std::size_t at = 0; at + 8 < noise.size(); at += 200) noise.replace(at, 8, "rfbcell\n");
        const auto pack = folder / "noise.pack";
        put_bytes(pack, noise);
        const PackContents contents = read_pack(pack);
        CHECK(contents.records.empty());
        CHECK((noise.empty() || contents.torn || !contents.damaged.empty()));
    }
}

TEST_CASE("a disk that fails while a pack is written is told, and what was committed before stays") {
    for (const std::string call : {"open", "write", "fsync", "rename"})
        for (const int turn : {1, 2, 3}) {
            const TemporaryFolder folder(Medium::memory);
            FailingCalls failing(call, turn, ENOSPC);
            std::size_t committed = 0;
            std::string said;
            {
                const ReplacedSystemCalls replaced(failing.table());
                PackWriter writer(folder / "cells");
                said = refusal<Error>([&] {
                    for (std::size_t i = 0; i < 5; ++i) {
                        append_record(writer, i);
                        writer.commit();
                        ++committed;
                    }
                });
            }
            INFO(call << " " << turn << ": " << said);
            if (failing.count(call) < turn) continue;  // fewer such calls are made
            CHECK(contains(said, std::strerror(ENOSPC)));
            CHECK(contains(said, folder.path().string()));
            std::size_t there = 0;
            if (std::filesystem::exists(folder / "cells"))
                for (const auto& file : std::filesystem::directory_iterator(folder / "cells")) {
                    // A pack has a name with its first records, so that none is without.
                    CHECK(has_name_of_pack(file.path()));
                    const PackContents contents = read_pack(file.path());
                    CHECK(!contents.records.empty());
                    there += contents.records.size();
                    CHECK(contents.damaged.empty());
                    require_true(file.path(), contents);
                }
            CHECK(there >= committed);
        }
}

TEST_CASE("what was committed has been forced to the disk, and a pack's name with its first records") {
    const TemporaryFolder folder(Medium::memory);
    FailingCalls counting("fsync", 0, 0);
    const ReplacedSystemCalls replaced(counting.table());
    PackWriter writer(folder.path());
    std::vector<int> forced;
    for (std::size_t i = 0; i < 3; ++i) {
        append_record(writer, i);
        const int before = counting.count("fsync");
        writer.commit();
        forced.push_back(counting.count("fsync") - before);
    }
    // The folder before, and then the records.
    CHECK(forced == std::vector<int>{2, 1, 1});
}

TEST_CASE("a pack is known to be written as long as its process lives") {
    const TemporaryFolder folder(Medium::memory);
    std::filesystem::path pack;
    {
        PackWriter writer(folder.path());
        append_record(writer, 1);
        writer.commit();
        pack = writer.path();
        CHECK(hold_pack(pack) == nullptr);
        CHECK(read_pack(pack).records.size() == 1);
    }
    const auto held = hold_pack(pack);
    CHECK(held != nullptr);
    CHECK(hold_pack(pack) == nullptr);
}

TEST_CASE("writers side by side take packs of their own") {
    const TemporaryFolder folder(Medium::memory);
    PackWriter a(folder.path()), b(folder.path());
    append_record(a, 1);
    append_record(b, 2);
    a.commit();
    b.commit();
    CHECK(a.path() != b.path());
    CHECK(folder.names().size() == 2);
}

TEST_CASE("a pack that cannot be locked is not written, and one that went before it was locked is made again") {
    const TemporaryFolder folder;
    SystemCalls calls = system_calls();
    int opened = 0;
    calls.open = [&, real = system_calls()](const char* path, int flags, mode_t mode) {
        const int number = real.open(path, flags, mode);
        // Whoever removes what is left over comes between the file and its lock.
        if (is_temporary(path) && ++opened == 1) CHECK(remove_temporaries(folder.path()) == 1);
        return number;
    };
    PackWriter writer(folder.path());
    append_record(writer, 1);
    const ReplacedSystemCalls replaced(calls);
    writer.commit();
    CHECK(opened == 2);
    CHECK(read_pack(writer.path()).records.size() == 1);
    CHECK(folder.names().size() == 1);
}

TEST_CASE("packs are known by their names, and a pipe is no pack") {
    for (const char* name : {"host-1-a.pack", "a-b-12-18eb4d6de71a0084.pack"}) CHECK(has_name_of_pack(name));
    for (const char* name : {"pack-1.pack", "pack-0123456789abcdef0123456789abcdef01234567.pack", "a.pack", "-.pack",
                             "host-1-a.tmp", "host--a.pack", "host-1-.pack"})
        CHECK(!has_name_of_pack(name));
    const TemporaryFolder folder;
    const auto pipe = folder / "host-1-a.pack";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(contains(refusal<Error>([&] { read_pack(pipe); }), "regular"));
}
