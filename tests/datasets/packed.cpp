#include <cstdint>

#include "catch.hpp"
#include "rfbench/datasets/gzip.hpp"
#include "rfbench/datasets/idx.hpp"
#include "rfbench/datasets/zip.hpp"
#include "scene.hpp"
#include "support/growth.hpp"

using namespace rfbench::datasets;
using scene::big_endian;
using scene::gzipped;
using scene::said;

namespace {

/// Text that compresses a little, longer than one block of the reader.
std::string sample(std::size_t size) {
    std::string text;
    for (std::uint32_t state = 1; text.size() < size; state = state * 1664525u + 1013904223u) {
        text += static_cast<char>('a' + (state >> 24) % 20);
    }
    return text;
}

}  // namespace

TEST_CASE("gunzip gives back what was packed, members joined") {
    for (const std::size_t size : {0u, 1u, 1000u, 65536u, 300000u}) {
        const std::string text = sample(size);
        CHECK(gunzip(gzipped(text), size, "f.gz") == text);
        CHECK(gunzip(gzipped(text) + gzipped("tail"), size + 4, "f.gz") == text + "tail");
    }
}

TEST_CASE("gunzip refuses what is cut, damaged, followed by something else or too long") {
    const std::string text = sample(100000);
    const std::string packed = gzipped(text);
    const auto message = [](const std::string& bytes, std::size_t limit = 1 << 20) {
        return said([&] { gunzip(bytes, limit, "f.gz"); });
    };
    CHECK(message("plain text") == "f.gz: is not a gzip file (it does not begin with the bytes 1f 8b)");
    CHECK(message("") == "f.gz: is not a gzip file (it does not begin with the bytes 1f 8b)");
    for (std::size_t size : {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
        CHECK(message(packed.substr(0, size)) ==
              "f.gz: the compressed data is cut short after " + std::to_string(size) + " bytes");
    }
    CHECK(message(packed + "xyz") == "f.gz: 3 bytes follow the end of the gzip data");
    CHECK(message(packed, text.size() - 1) == "f.gz: unpacks to more than the 99999 bytes expected");

    std::string wrong_sum = packed;
    wrong_sum[packed.size() - 8] ^= 1;
    CHECK(message(wrong_sum) == "f.gz: the compressed data is damaged near byte " + std::to_string(packed.size() - 4) +
                                    " (incorrect data check)");
}

TEST_CASE("A flipped bit of the compressed data is refused, or changes nothing (the padding of the last byte)") {
    const std::string text = sample(500);
    const std::string packed = gzipped(text);
    // Bytes 0..9 are the gzip header, whose time and system fields are free.
    for (std::size_t bit = 80; bit < 8 * packed.size(); ++bit) {
        std::string damaged = packed;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        INFO("bit " << bit);
        std::string contents = text;
        said([&] { contents = gunzip(damaged, 1 << 20, "f.gz"); });
        CHECK(contents == text);
    }
}

TEST_CASE("unzip gives back stored and deflated members") {
    for (const bool deflate : {false, true}) {
        const std::string text = sample(70000);
        CHECK(unzip(scene::zipped("a.data", text, deflate), "a.data", text.size(), "a.zip") == text);
    }
}

TEST_CASE("unzip refuses what is no archive, cut, damaged, too long or lacks the member") {
    const std::string text = sample(1000);
    const std::string archive = scene::zipped("a.data", text);
    const auto message = [](const std::string& bytes, const std::string& member = "a.data", std::size_t limit = 5000) {
        return said([&] { unzip(bytes, member, limit, "a.zip"); });
    };
    CHECK(message("<html>moved</html>") == "a.zip: is not a whole zip archive");
    CHECK(message(archive.substr(0, archive.size() / 2)) == "a.zip: is not a whole zip archive");
    CHECK(message(archive.substr(0, archive.size() - 3)) == "a.zip: the zip archive is cut short or damaged");
    CHECK(message(archive, "b.data") == "a.zip: the zip archive has no member 'b.data'; it has a.data");
    CHECK(message(archive, "a.data", 999) == "a.zip(a.data): unpacks to more than the 999 bytes expected");
    CHECK(message(scene::zipped("a.data", text, false), "a.data", 999) ==
          "a.zip(a.data): is larger than the 999 bytes expected");

    std::string stored = scene::zipped("a.data", text, false);
    stored[100] ^= 4;
    CHECK(message(stored) == "a.zip(a.data): is damaged (its CRC-32 differs from the archive's)");
    std::string encrypted = archive;
    encrypted[archive.rfind("PK\x01\x02") + 8] |= 1;
    CHECK(message(encrypted) == "a.zip(a.data): is encrypted");
    std::string method = archive;
    method[archive.rfind("PK\x01\x02") + 10] = 12;
    CHECK(message(method) == "a.zip(a.data): is packed by zip method 12; 0 (stored) and 8 (deflated) are read");
}

TEST_CASE("an archive with two members of one name, or with wrong sizes in its table, is refused") {
    const std::string text = sample(300);
    using Members = std::vector<std::pair<std::string, std::string>>;
    const std::string doubled = scene::zipped(Members{{"a.data", text}, {"b.data", text}, {"a.data", "other"}});
    for (const char* member : {"a.data", "b.data"})
        CHECK(said([&] { unzip(doubled, member, 5000, "a.zip"); }) ==
              "a.zip: the zip archive has two members of the name 'a.data'");

    for (const bool deflate : {false, true}) {
        std::string wrong = scene::zipped("a.data", text, deflate);
        wrong[wrong.rfind("PK\x01\x02") + 24] ^= 1;
        CHECK(said([&] { unzip(wrong, "a.data", 5000, "a.zip"); }) ==
              "a.zip(a.data): has 300 bytes; the archive's table of contents says 301");
    }
}

TEST_CASE("the time to read every member of an archive grows as their number does") {
    CHECK(rfbench::tests::growth(1000, 8000, [](std::size_t n) {
              std::vector<std::pair<std::string, std::string>> members;
              for (std::size_t i = 0; i < n; ++i) members.emplace_back("member" + std::to_string(i), "x");
              const std::string bytes = scene::zipped(members, false);
              const Zip archive(bytes, "a.zip");
              for (const std::string& name : archive.names()) archive.contents(name, 10);
          }) < rfbench::tests::linear_or_quadratic);
}

TEST_CASE("Every truncation and every flipped byte of a zip archive is refused or harmless, never a crash") {
    const std::string text = sample(300);
    const std::string archive = scene::zipped("a.data", text);
    for (std::size_t i = 0; i < archive.size(); ++i) {
        CHECK(said([&] { unzip(archive.substr(0, i), "a.data", 5000, "a.zip"); }) != "accepted");
        std::string damaged = archive;
        damaged[i] = static_cast<char>(~damaged[i]);
        std::string contents = text;
        said([&] { contents = unzip(damaged, "a.data", 5000, "a.zip"); });
        CHECK(contents == text);
    }
}

TEST_CASE("IDX arrays have the shape and the values of the file") {
    const std::string front("\0\0\x08\x03", 4);
    const std::string shape = big_endian(2) + big_endian(1) + big_endian(3);
    const IdxArray array = read_idx(front + shape + "\x01\x02\x03\x04\x05\xff", 3, "i");
    CHECK(array.shape == std::vector<std::size_t>{2, 1, 3});
    CHECK(array.values == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 255});
}

TEST_CASE("IDX files with a wrong mark, type, number of dimensions or length are refused") {
    const auto message = [](const std::string& bytes, std::size_t dimensions = 1) {
        return said([&] { read_idx(bytes, dimensions, "f.idx"); });
    };
    const std::string front("\0\0\x08\x01", 4);
    CHECK(message("") == "f.idx: is no IDX file: it has 0 bytes, the header alone needs 4");
    CHECK(message("\x1f\x8b\x08\x01" + big_endian(1)) ==
          "f.idx: is no IDX file: it begins with 1f 8b 08 01, not with 00 00");
    CHECK(message(std::string("\0\0\x0d\x01", 4)) ==
          "f.idx: holds IDX elements of type 0d; only 08 (unsigned bytes) is read here");
    CHECK(message((front + big_endian(1) + "x"), 3) == "f.idx: has 1 IDX dimension; 3 are expected here");
    CHECK(message((front + "\x01")) == "f.idx: is cut short inside its header: 5 bytes of 8");
    CHECK(message((front + big_endian(3) + "ab")) == "f.idx: holds 2 elements, but its header says 3");
    CHECK(message((front + big_endian(3) + "abcd")) == "f.idx: holds 4 elements, but its header says 3");
    CHECK(message((front + big_endian(0))) == "f.idx: is empty: its header says 0");
    // A product that would overflow 64 bits is no match for any length.
    const std::string cube("\0\0\x08\x03", 4);
    CHECK(message(cube + big_endian(0xffffffff) + big_endian(0xffffffff) + big_endian(0xffffffff) + "ab", 3) ==
          "f.idx: holds 2 elements, but its header says 4294967295 x 4294967295 x 4294967295");
    // Nor is one that would be 2^64 + 4, and 4 in 64 bits.
    CHECK(message(cube + big_endian(769546) + big_endian(494770) + big_endian(48448661) + "abcd", 3) ==
          "f.idx: holds 4 elements, but its header says 769546 x 494770 x 48448661");
}
