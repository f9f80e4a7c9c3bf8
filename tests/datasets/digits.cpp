#include "rfbench/datasets/digits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "rfbench/datasets/describe.hpp"
#include "rfbench_places.hpp"
#include "small_manifest.hpp"

using namespace rfbench;
using namespace rfbench::datasets;
using scene::project_manifest;
using scene::quiet;
using scene::said;

namespace {

/// Summed in order.
double sum(const double* first, Index count) { return std::accumulate(first, first + count, 0.0); }

/// This machine as the program sees it, RFBENCH_DATA included.
Places here() { return places_of_this_machine(RFBENCH_SOURCE_DIR); }

}  // namespace

TEST_CASE("IDX digits are the exact area means over the brightest grey, with their labels") {
    const scene::Folder folder;
    folder.write("mnist/images.gz", scene::gzipped(scene::image_bytes()));
    folder.write("mnist/labels", scene::label_bytes());
    const Manifest manifest = scene::small_manifest();
    const Digits found = digits("mnist-test", manifest, {folder.path(), {}}, quiet);
    REQUIRE(found.points.rows() == 2);
    CHECK(found.points.row(0) == Points::Constant(1, 64, 51.0 / 255.0));
    CHECK(found.points.row(1) == Points::Ones(1, 64));
    CHECK(found.labels == std::vector<int>{3, 7});
    CHECK(found.sha256 == manifest.find("mnist-test").files[0].sha256);
}

TEST_CASE("Images and labels that do not belong together are refused") {
    const scene::Folder folder;
    const Manifest manifest = scene::small_manifest();
    const Entry& entry = manifest.find("mnist-test");
    const auto message = [&](const std::string& labels) {
        return said([&] { load(entry, {{"images", "", "", scene::image_bytes()}, {"labels", "", "", labels}}); });
    };
    const std::string front("\0\0\x08\x01", 4);
    CHECK(message(front + scene::big_endian(3) + "\x03\x07\x03") == "labels: has 3 labels for the 2 images of images");
    CHECK(message(front + scene::big_endian(2) + "\x03\x08") ==
          "labels: label 1 (counted from 0) is 8, which is no class of 'mnist-test'");
    CHECK(message(front + scene::big_endian(2) + "\x03\x03") == "images: has 2 rows of class '3'; the manifest says 1");
}

TEST_CASE("Grey values must be whole numbers within their range, and images of the declared size") {
    Table table;
    table.values = Points::Zero(2, 64);
    table.values(0, 5) = 16;
    CHECK(digit_points(table, 8, 8, 16)(0, 5) == 1.0);
    table.values(1, 63) = 17;
    CHECK(said([&] { digit_points(table, 8, 8, 16); }) ==
          "pixel 63 of image 1 (counted from 0) is 17; whole numbers from 0 to 16 are allowed");
    table.values(1, 63) = 0.5;
    CHECK(said([&] { digit_points(table, 8, 8, 16); }) ==
          "pixel 63 of image 1 (counted from 0) is 0.5; whole numbers from 0 to 16 are allowed");
    CHECK(said([&] { digit_points(table, 28, 28, 255); }) ==
          "images of 28 x 28 pixels need 784 columns; the table has 64");
}

TEST_CASE("A set without digit images is refused with the sets there are") {
    CHECK(said([] { digits("optdigit", project_manifest(), here(), quiet); }) ==
          "'optdigit' is no set of digit images; there are optdigits, mnist-test. Did you mean 'optdigits'?");
}

TEST_CASE("The optdigits of this machine are the 1797 images of the UCI test set") {
    const Manifest manifest = project_manifest();
    if (!is_present(manifest.find("optdigits"), here())) {
        const std::string message = said([&] { digits("optdigits", manifest, here(), quiet); });
        CHECK(message.find("apt-get install python3-sklearn") != std::string::npos);
        return;
    }
    const Digits found = digits("optdigits", manifest, here(), quiet);
    REQUIRE(found.points.rows() == 1797);
    REQUIRE(found.points.cols() == 64);
    const auto [least, greatest] = std::minmax_element(found.points.data(), found.points.data() + 1797 * 64);
    CHECK(*least == 0.0);
    CHECK(*greatest == 1.0);
    // Sixteenths: the sums are exact in double. 561718 is the sum of all pixels, 294 that of the first image.
    CHECK(sum(found.points.data(), 1797 * 64) * 16 == 561718.0);
    CHECK(sum(found.points.data(), 64) * 16 == 294.0);
    CHECK(found.points(0, 2) == 5.0 / 16.0);
    CHECK(std::vector<int>(found.labels.begin(), found.labels.begin() + 10) ==
          std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("The MNIST test images of this machine keep their mean grey when they are shrunk") {
    const Manifest manifest = project_manifest();
    const Entry& entry = manifest.find("mnist-test");
    if (!is_present(entry, here())) {
        CHECK(said([&] { digits("mnist-test", manifest, here(), quiet); }).find("rfbench data fetch mnist-test") !=
              std::string::npos);
        return;
    }
    const Table table = load(entry, here(), quiet);
    const Digits found = digits("mnist-test", manifest, here(), quiet);
    REQUIRE(found.points.rows() == 10000);
    CHECK(found.labels.front() == 7);
    for (Index row = 0; row < 10000; row += 97) {
        // Each of the 64 greys is at most 1 and off by at most 2^-54, each of the 64 sums is at most 64 and off by at
        // most 2^-48, and the two divisions by at most 2^-54 each.
        const double before = sum(&table.values(row, 0), 784) / (784.0 * 255.0);
        const double after = sum(&found.points(row, 0), 64) / 64;
        CHECK(std::abs(after - before) <= 0x1p-48 + 3 * 0x1p-54);
    }
}
