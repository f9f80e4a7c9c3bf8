// Images as sequences of patches.
#include "sources/images.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "experiments/parsed.hpp"
#include "experiments/small_images.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using rfbench::tests::contains;
using rfbench::tests::idx;
using rfbench::tests::SmallImages;
using rfbench::tests::TemporaryFolder;

namespace {

config::Value configuration(const std::string& yaml) {
    return config::parse(yaml, "test.yaml", config::object(image_keys("2")));
}

std::string yaml(const std::string& training, const std::string& test, const std::string& more = "") {
    return "images: {use: file, training: " + training + ", test: " + test + "}\n" + more;
}

}  // namespace

TEST_CASE("an image is cut into patches by rows of the grid, each its pixels by rows, grey values from -1 to 1",
          "[sources]") {
    const TemporaryFolder folder;
    // One image of 2 x 4 pixels 0 .. 7, times 34, among others of zeros.
    std::string pixels(10 * 8, '\0');
    for (std::size_t i = 0; i < 8; ++i) pixels[8 + i] = static_cast<char>(34 * i);
    const std::string training = "[" + folder.write("a", idx({10, 2, 4}, pixels)) + ", " +
                                 folder.write("b", idx({10}, std::string("\1\5\0\0\0\0\0\0\0\0", 10))) + "]";
    const Images two(configuration(yaml(training, training)));
    CHECK(two.tokens() == 2);
    CHECK(two.inputs() == 4);
    CHECK(two.classes == 6);
    const networks::Sequence<float> one = two.sequence(two.training, 1);
    const auto grey = [](int n) { return static_cast<float>(34 * n) / 127.5F - 1; };
    Rows<float> expected(2, 4);
    expected << grey(0), grey(1), grey(4), grey(5), grey(2), grey(3), grey(6), grey(7);
    CHECK((one.rows.array() == expected.array()).all());
    REQUIRE(one.targets.size() == 1);
    CHECK(one.targets[0].token == 0);
    CHECK(one.targets[0].value == 5);
    // Patches of one pixel: the image, pixel by pixel.
    const Images single(configuration(yaml(training, training, "patch: 1\n")));
    const networks::Sequence<float> pixel_by_pixel = single.sequence(single.training, 1);
    REQUIRE(pixel_by_pixel.rows.rows() == 8);
    for (int i = 0; i < 8; ++i) CHECK(pixel_by_pixel.rows(i, 0) == grey(i));
}

TEST_CASE("validation images are the last ones of the training set, and batches hold the others alone", "[sources]") {
    const TemporaryFolder folder;
    const SmallImages all(40, 4), held_out(7, 4, 50);
    const Images images(configuration(yaml(all.written(folder, "train"), held_out.written(folder, "test"))));
    REQUIRE(images.training.count() == 36);
    REQUIRE(images.validation.count() == 4);
    REQUIRE(images.test.count() == 7);
    const auto row = [](const ImagePart& part, Index i) {
        std::string bytes;
        for (Index x = 0; x < part.pixels.cols(); ++x) bytes += static_cast<char>(part.pixels(i, x));
        return bytes;
    };
    for (Index i = 0; i < 40; ++i)
        CHECK((i < 36 ? row(images.training, i) : row(images.validation, i - 36)) ==
              all.pixels.substr(static_cast<std::size_t>(16 * i), 16));
    for (Index i = 0; i < 7; ++i)
        CHECK(row(images.test, i) == held_out.pixels.substr(static_cast<std::size_t>(16 * i), 16));
    std::set<Index> drawn;
    for (const auto& one : images.batch(200, Stream(1)))
        for (Index i = 0; i < 40; ++i) {
            const ImagePart& part = i < 36 ? images.training : images.validation;
            if ((images.sequence(part, i < 36 ? i : i - 36).rows.array() == one.rows.array()).all()) drawn.insert(i);
        }
    CHECK(drawn.size() > 30);  // all but exp(-200 / 36) of 36 are expected
    CHECK(*drawn.rbegin() < 36);
    // At equal distances, all where there are fewer.
    const auto some = images.spread(images.test, 3);
    REQUIRE(some.size() == 3);
    CHECK((some[2].rows.array() == images.sequence(images.test, 4).rows.array()).all());
    CHECK(images.spread(images.test, 100).size() == 7);
}

TEST_CASE("image sets that do not fit are refused at their place", "[sources]") {
    const TemporaryFolder folder;
    const std::string good = SmallImages(20, 4).written(folder, "good"),
                      large = SmallImages(20, 6).written(folder, "large");
    const auto said = [](const std::string& text) { return refused([&] { Images images(configuration(text)); }); };
    CHECK(said(yaml(good, good)) == "accepted");
    CHECK(contains(said(yaml(good, large)), "images to train on have 4 x 4 pixels, those held out 6 x 6"));
    CHECK(contains(said(yaml(good, good, "patch: 3\n")),
                   "patch: 3 pixels do not divide the sides of images of 4 x 4 pixels"));
    CHECK(contains(said(yaml(good, good, "validation_share: 0.01\n")), "of 20 images this is none"));
    CHECK(contains(said(yaml("[no-such-file, none]", good)), "no-such-file"));
    const std::string swapped = "[" + folder.file("good-labels") + ", " + folder.file("good-images") + "]";
    CHECK(contains(said(yaml(swapped, good)), "good-labels: has 1 IDX dimension; 3 are expected here"));
    const std::string other = "[" + folder.file("good-images") + ", " + folder.write("few", idx({3}, "abc")) + "]";
    CHECK(contains(said(yaml(other, good)), "few has 3 labels"));
    CHECK(contains(said("images: fashion-mnits\n"), "Did you mean 'fashion-mnist'?"));
}
