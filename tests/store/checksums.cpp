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
    "plain",     "with blank.h5", "größe.h5", "back\\slash",
    "new\nline", "\\first",       "*star",    "gamma=0.1,mechanism=positive.h5"};

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

TEST_CASE("a list that sha256sum wrote is read", "[checksums]") {
    const TemporaryFolder folder;
    const Checksums list = of_files(folder, odd_names);
    for (const std::string mode : {"--text", "--binary"}) {
        const std::string command = "cd '" + folder.path().string() + "' && rm -f SHA256SUMS && sha256sum " + mode +
                                    " -- * > ../list.$$ && mv ../list.$$ SHA256SUMS";
        REQUIRE(std::system(command.c_str()) == 0);
        CHECK(read_checksums(folder.path()) == list);
    }
}

TEST_CASE("equal lists are equal bytes", "[checksums]") {
    const TemporaryFolder folder;
    write_checksums(folder.path(), {{"b", std::string(64, '1')}, {"a", std::string(64, '2')}});
    CHECK(bytes_of(folder / "SHA256SUMS") == std::string(64, '2') + "  a\n" + std::string(64, '1') + "  b\n");
}

TEST_CASE("what is no list is refused with file and line", "[checksums]") {
    const TemporaryFolder folder;
    const std::string good = std::string(64, 'a') + "  file\n";
    for (const std::string bad : {"x", "", "  ", "\\", "aaaa  file"}) {
        put_bytes(folder / "SHA256SUMS", good + bad + "\n" + good);
        CHECK(
            contains(refusal<Error>([&] { read_checksums(folder.path()); }), (folder / "SHA256SUMS").string() + ":2:"));
    }
    const std::string digest(64, 'a');
    for (const std::string& bad :
         {fmt::format("{}  ", digest), fmt::format("{} file", digest), fmt::format("g{}  file", digest.substr(1)),
          fmt::format("{}  file", digest.substr(1)), fmt::format("\\{}  fi\\le", digest),
          fmt::format("\\{}  file\\", digest)}) {
        INFO(bad);
        put_bytes(folder / "SHA256SUMS", bad);
        CHECK_THROWS_AS(read_checksums(folder.path()), Error);
    }
    for (const std::size_t digits : {3, 63, 65})
        CHECK_THROWS_AS(write_checksums(folder.path(), {{"a", std::string(digits, '1')}}), Error);
    CHECK_THROWS_AS(write_checksums(folder.path(), {{"", std::string(64, 'a')}}), Error);
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
}
