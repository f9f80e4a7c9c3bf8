#include "rfbench/datasets/npz_writer.hpp"

#include <vector>

#include "catch.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/zip.hpp"

using namespace rfbench::datasets;

TEST_CASE("What is written as .npz is read as such") {
    const std::vector<double> values{1.5, -2, 0.1};
    const std::vector<std::string> words{"FAVOR+", "", "ä"};
    const std::string bytes = npz({{"value", npy_text({3}, values)}, {"method", npy_words(words)}});
    const Zip archive(bytes, "archive");
    CHECK(archive.names() == std::vector<std::string>{"value.npy", "method.npy"});
    CHECK(read_npy("value", archive.contents("value.npy", 1000)).values == values);

    // Six characters a word, four bytes each, after a header of whole 64 bytes.
    const std::string text = archive.contents("method.npy", 1000);
    CHECK(text.find("'descr': '<U6', 'fortran_order': False, 'shape': (3,)") != std::string::npos);
    REQUIRE(text.size() % 64 == (3 * 6 * 4) % 64);
    const std::string data = text.substr(text.size() - 3 * 6 * 4);
    CHECK(data.substr(0, 4) == std::string("F\0\0\0", 4));
    CHECK(data.substr(24, 24) == std::string(24, '\0'));
    CHECK(data.substr(48, 4) == std::string("\xe4\0\0\0", 4));
}

TEST_CASE("Equal members give equal archives") {
    const std::vector<std::string> words{"a"};
    CHECK(npz({{"a", npy_words(words)}}) == npz({{"a", npy_words(words)}}));
}
