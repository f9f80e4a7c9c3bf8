// Flipped and missing bytes of a result file are found, and harm nobody who reads it.
#include <cstdint>
#include <random>
#include <set>

#include "catch.hpp"
#include "datasets.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/checksums.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/verify.hpp"
#include "support/child_process.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

/// A result file in a folder with a list, and beside it the same file where no list names it.
struct Damaged {
    TemporaryFolder root;
    std::filesystem::path listed = root / "listed", alone = root / "alone";
    std::string bytes;

    explicit Damaged(const Dataset& data) {
        std::filesystem::create_directories(listed);
        std::filesystem::create_directories(alone);
        write_checksums(listed, {{"file.h5", write(listed / "file.h5", data)}});
        bytes = bytes_of(listed / "file.h5");
        put_bytes(alone / "file.h5", bytes);
    }

    bool found_by_verify(const std::string& damaged) const {
        put_bytes(listed / "file.h5", damaged);
        const auto findings = verify(listed);
        return findings.size() == 1 && findings[0].damage == Damage::changed;
    }

    /// Both files, where a list names it and where none does, refuse to be read, by an Error and within the time.
    bool refused(const std::string& damaged) const {
        put_bytes(alone / "file.h5", damaged);
        const int status = status_of_child(600, [&] {
            for (const auto& folder : {listed, alone})
                if (refusal<Error>([&] { read(folder / "file.h5"); }) == "accepted") return 1;
            return 0;
        });
        return ended_with(status, 0);
    }
};

std::string flipped(std::string bytes, std::size_t bit) {
    bytes[bit / 8] = char(std::uint8_t(bytes[bit / 8]) ^ (1u << bit % 8));
    return bytes;
}

}  // namespace

TEST_CASE("every flipped bit is found by verify and refused by read", "[damage][faults]") {
    const Damaged file(small_dataset(1));
    REQUIRE(!file.refused(file.bytes));
    std::mt19937_64 random(1);
    for (int i = 0; i < 600; ++i) {
        const std::size_t bit = random() % (8 * file.bytes.size());
        const std::string damaged = flipped(file.bytes, bit);
        if (!file.found_by_verify(damaged)) FAIL("verify overlooks bit " << bit);
        if (!file.refused(damaged)) FAIL("read does not refuse bit " << bit);
    }
}

TEST_CASE("every truncation is found by verify and refused by read", "[damage][faults]") {
    const Damaged file(small_dataset(1));
    std::mt19937_64 random(2);
    std::set<std::size_t> sizes = {0, 1, 8, 48, file.bytes.size() - 1, file.bytes.size() - 2};
    while (sizes.size() < 120) sizes.insert(random() % file.bytes.size());
    for (const std::size_t size : sizes) {
        const std::string damaged = file.bytes.substr(0, size);
        if (!file.found_by_verify(damaged)) FAIL("verify overlooks a cut to " << size);
        if (!file.refused(damaged)) FAIL("read does not refuse a cut to " << size);
    }
    // Bytes too many are damage as well.
    CHECK(file.found_by_verify(file.bytes + "x"));
    CHECK(file.refused(file.bytes + "x"));
}

TEST_CASE("a kill at any moment leaves the old file or the new one", "[damage][faults]") {
    const TemporaryFolder folder;
    const auto path = folder / "file.h5";
    write(path, small_dataset(0));
    int temporaries = 0;
    for (unsigned kill = 0; kill < 100; ++kill) {
        double next = kill;
        const bool killed = kill_amid(double(37 * kill % 100) / 50, [&] { write(path, small_dataset(next += 0.001)); });
        CHECK(killed);
        const double found = read(path).variables.at(0).values.at(0);
        CHECK(same(read(path), small_dataset(found)));
        CHECK(found > kill);
        temporaries += int(folder.names().size()) - 1;
        remove_temporaries(folder.path());
        CHECK(folder.names().size() == 1);
    }
    // Some kills came amid a writing, or this would show nothing.
    CHECK(temporaries > 0);
}
