#include "rfbench/store/sha256.hpp"

#include <vector>

#include "catch.hpp"
#include "rfbench/store/error.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

TEST_CASE("sha256 gives the digests published for SHA-256", "[sha256]") {
    // FIPS 180-2, appendix B, and the NIST example values.
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(
              "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
              "nopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    // NIST SHAVS, SHA256ShortMsg: one byte, four bytes.
    CHECK(sha256("\xbd") == "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
    CHECK(sha256("\xc9\x8c\x8e\x55") == "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504");
}

TEST_CASE("a digest does not depend on the pieces in which the bytes arrive", "[sha256]") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += char('a' + i % 23);
    const auto bytes = std::as_bytes(std::span(text));
    // All lengths around the ends of blocks, cut at every place.
    for (std::size_t length = 0; length <= 200; ++length) {
        const std::string whole = sha256(bytes.first(length));
        for (std::size_t cut = 0; cut <= length; ++cut) {
            Sha256 hash;
            hash.add(bytes.first(cut));
            hash.add(bytes.subspan(cut, length - cut));
            if (hash.digest() != whole) FAIL("length " << length << " cut at " << cut);
        }
    }
}

TEST_CASE("the digest of a file is that of its bytes", "[sha256]") {
    const TemporaryFolder folder;
    // Longer than one piece of reading.
    std::string text(std::size_t{1} << 21 | 3, 'x');
    text[5] = '\0';
    put_bytes(folder / "file", text);
    CHECK(sha256_file(folder / "file") == sha256(text));

    put_bytes(folder / "empty", "");
    CHECK(sha256_file(folder / "empty") == sha256(""));
}

TEST_CASE("a file that cannot be read is named with the reason", "[sha256]") {
    const TemporaryFolder folder;
    const auto absent = refusal<Error>([&] { sha256_file(folder / "absent"); });
    CHECK(contains(absent, (folder / "absent").string()));
    CHECK(contains(absent, "No such file"));
    CHECK(contains(refusal<Error>([&] { sha256_file(folder.path()); }), "directory"));
    CHECK(contains(refusal<Error>([&] { sha256_file("/dev/zero"); }), "not a regular file"));
}
