#include "rfbench/store/checksums.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "catch.hpp"
#include "failing_calls.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/sha256.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

Checksums of_files(const TemporaryFolder& folder, const std::vector<std::string>& names) {
    Checksums list;
    for (const std::string& name : names) {
        put_bytes(folder / name, "contents of " + name);
        list[name] = sha256_file(folder / name);
    }
    return list;
}

bool accepted_by_sha256sum(const TemporaryFolder& folder) {
    const std::string command =
        "cd '" + folder.path().string() + "' && sha256sum --strict -c SHA256SUMS >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
}

const std::vector<std::string> odd_names = {
    "plain", "with blank.h5", "größe.h5", "*star", ".hidden", "...", "gamma=0.1,mechanism=positive.h5"};

/// A list of these lines with the last line that it should have.
std::string sealed(const std::string& lines) {
    return lines + "# sha256 of the lines above: " + sha256(std::string_view(lines)) + "\n";
}

const std::string digest_a(64, 'a');

}  // namespace

TEST_CASE("a list comes back as it was written, and sha256sum accepts it", "[checksums]") {
    const TemporaryFolder folder;
    CHECK(read_checksums(folder.path()).empty());
    const Checksums list = of_files(folder, odd_names);
    write_checksums(folder.path(), list);
    CHECK(read_checksums(folder.path()) == list);
    CHECK(accepted_by_sha256sum(folder));

    put_bytes(folder / "plain", "changed");
    CHECK(!accepted_by_sha256sum(folder));
}

TEST_CASE("equal lists are equal bytes", "[checksums]") {
    const TemporaryFolder folder;
    write_checksums(folder.path(), {{"b", std::string(64, '1')}, {"a", std::string(64, '2')}});
    CHECK(bytes_of(folder / "SHA256SUMS") == sealed(std::string(64, '2') + "  a\n" + std::string(64, '1') + "  b\n"));
}

TEST_CASE("what is no list is refused with file and line", "[checksums]") {
    const TemporaryFolder folder;
    const std::string good = digest_a + "  file\n";
    for (const std::string bad : {"x", "", "  ", "\\", "aaaa  file", "# a comment"}) {
        put_bytes(folder / "SHA256SUMS", sealed(good + bad + "\n" + digest_a + "  other\n"));
        CHECK(
            contains(refusal<Error>([&] { read_checksums(folder.path()); }), (folder / "SHA256SUMS").string() + ":2:"));
    }
    for (const std::string& bad :
         {fmt::format("{}  ", digest_a), fmt::format("{} file", digest_a), fmt::format("g{}  file", digest_a.substr(1)),
          fmt::format("{}  file", digest_a.substr(1)), fmt::format("\\{}  fi\\\\le", digest_a), good + good}) {
        INFO(bad);
        put_bytes(folder / "SHA256SUMS", sealed(bad + "\n"));
        CHECK_THROWS_AS(read_checksums(folder.path()), Error);
    }
    for (const std::size_t digits : {3, 63, 65})
        CHECK_THROWS_AS(write_checksums(folder.path(), {{"a", std::string(digits, '1')}}), Error);
}

TEST_CASE("a list that was cut or changed anywhere is refused", "[checksums]") {
    const TemporaryFolder folder;
    write_checksums(folder.path(), of_files(folder, {"a", "b", "c"}));
    const std::string whole = bytes_of(folder / "SHA256SUMS");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = char(changed[at] ^ 1);
        for (const std::string& bytes : {whole.substr(0, at), changed, whole + whole.substr(at)}) {
            put_bytes(folder / "SHA256SUMS", bytes);
            if (refusal<Error>([&] { read_checksums(folder.path()); }) == "accepted") FAIL("byte " << at);
        }
    }
}

TEST_CASE("a list names files of its result alone", "[checksums]") {
    const TemporaryFolder root;
    const std::filesystem::path result = root / "angle";
    std::filesystem::create_directories(result / "figures");
    put_bytes(root / "victim", "precious");
    std::filesystem::create_symlink(root / "victim", result / "link");
    std::filesystem::create_directory_symlink(root.path(), result / "folder");
    const auto refused = [&](const std::string& name) {
        put_bytes(result / "SHA256SUMS", sealed(digest_a + "  " + name + "\n"));
        const bool by_reading = refusal<Error>([&] { read_checksums(result); }) != "accepted";
        // Links come and go: they are no matter of the name.
        const bool by_writing = refusal<Error>([&] { write_checksums(result, {{name, digest_a}}); }) != "accepted";
        return by_reading && (by_writing || name.starts_with("link") || name.starts_with("folder"));
    };
    const std::string outside = (root / "victim").string();
    for (const std::string& name : {std::string(".."),
                                    std::string("."),
                                    std::string("../victim"),
                                    std::string("../angle.h5/../victim"),
                                    std::string("../other.h5"),
                                    std::string("../../angle.h5"),
                                    std::string("figures/../../victim"),
                                    std::string("figures/.."),
                                    std::string("./figures/a.svg"),
                                    std::string("figures//a.svg"),
                                    std::string("figures/"),
                                    outside,
                                    "/" + outside,
                                    std::string("figures/a\0b", 11),
                                    std::string("a\tb"),
                                    std::string("a\x7f"),
                                    std::string("a\rb"),
                                    std::string("back\\slash"),
                                    std::string("SHA256SUMS"),
                                    std::string("journal"),
                                    std::string("journal-1-of-2"),
                                    std::string("lock"),
                                    std::string("lock-1-of-2"),
                                    std::string("shards/ends"),
                                    std::string("next-1/figures/a.svg"),
                                    std::string("figures/.rfbench-1-0.tmp"),
                                    std::string("link"),
                                    std::string("folder/victim"),
                                    std::string("folder/angle/figures/a.svg")}) {
        INFO(name);
        CHECK(refused(name));
    }
    for (const char* name :
         {"../angle.h5", "cells", "figures/a.svg", "figures/..a", "next-step", "journals", "absent/a"})
        CHECK(!refused(name));
    // In the list of a generation names are the result's, and links are looked for there too.
    std::filesystem::create_directories(result / "next-1");
    write_checksums(result / "next-1", {{"../angle.h5", digest_a}}, result);
    CHECK(read_checksums(result / "next-1", result).size() == 1);
    CHECK_THROWS_AS(read_checksums(result / "next-1"), Error);
}

TEST_CASE("a list that cannot be written leaves the one that was there", "[checksums][faults]") {
    const TemporaryFolder folder;
    const Checksums list = of_files(folder, {"a"});
    write_checksums(folder.path(), list);
    for (const std::string name : {"write", "fsync", "rename"}) {
        const FailingCalls failing(name, 1, EIO);
        const ReplacedSystemCalls replaced(failing.table());
        const auto said = refusal<Error>([&] { write_checksums(folder.path(), of_files(folder, {"a", "b"})); });
        CHECK(contains(said, name));
        CHECK(contains(said, "SHA256SUMS"));
        CHECK(read_checksums(folder.path()) == list);
    }
}

TEST_CASE("a file's entry is found in the lists that can name it", "[checksums]") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "angle/cells");
    const std::string here(64, '1'), below(64, '2'), above(64, '3');
    write_checksums(folder / "angle", {{"file.h5", here}, {"cells/file.h5", below}, {"../angle.h5", above}});
    CHECK(listed_checksum(folder / "angle/file.h5") == here);
    CHECK(listed_checksum(folder / "angle/cells/file.h5") == below);
    CHECK(listed_checksum(folder / "angle.h5") == above);
    CHECK(listed_checksum(folder / "angle/../angle/./cells/file.h5") == below);
    CHECK(!listed_checksum(folder / "gain.h5").has_value());
    CHECK(!listed_checksum(folder / "angle/cells/other.h5").has_value());
    // A list that is damaged says nothing: verify tells, and a result file has a sum of its own.
    put_bytes(folder / "angle/SHA256SUMS", "nonsense\n");
    CHECK(!listed_checksum(folder / "angle.h5").has_value());
}
