#include "sources/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "rfbench/config/file_path.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/gzip.hpp"
#include "rfbench/datasets/idx.hpp"
#include "rfbench/datasets/locate.hpp"
#include "rfbench/store/sha256.hpp"
#include "study/project.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

constexpr std::size_t max_image_bytes = std::size_t{1} << 31;

/// One file, unpacked, and what messages call it.
struct Bytes {
    std::string name, contents;
};

/// Images and labels.
struct Files {
    Bytes images, labels;
};

/// A set of the manifest with images: `name` to train on, `name`-test to test with.
Files files_of(const std::string& name) {
    const datasets::Manifest manifest = data_manifest();
    std::vector<datasets::FoundFile> found =
        datasets::locate(manifest.find(name), data_places(), [](const std::string&) {});
    const auto bytes = [&](std::size_t i) { return Bytes{name, std::move(found.at(i).contents)}; };
    return {bytes(0), bytes(1)};
}

/// Two files of the user's, packed by gzip or not.
Files files_of(const config::Value& pair) {
    const std::vector<config::Value>& names = pair.items();
    // The schema asks for two at least.
    if (names.size() != 2) pair.refuse("two files are needed: the images and their labels");
    const auto bytes = [](const config::Value& path) {
        const std::string name = config::existing_path(path);
        std::string contents = datasets::file_bytes(name, max_image_bytes);
        if (datasets::is_gzip(contents)) contents = datasets::gunzip(contents, max_image_bytes, name);
        return Bytes{name, std::move(contents)};
    };
    return {bytes(names[0]), bytes(names[1])};
}

struct Read {
    ImagePart part;
    Index rows, columns;
};

Read read(const Files& files) {
    const datasets::IdxArray images = datasets::read_idx(files.images.contents, 3, files.images.name);
    const datasets::IdxArray labels = datasets::read_idx(files.labels.contents, 1, files.labels.name);
    if (images.shape[0] != labels.shape[0])
        throw datasets::DataError(fmt::format("{} has {} labels; {} has {} images", files.labels.name, labels.shape[0],
                                              files.images.name, images.shape[0]));
    Read all{{}, static_cast<Index>(images.shape[1]), static_cast<Index>(images.shape[2])};
    all.part.pixels = Eigen::Map<const Rows<std::uint8_t>>(images.values.data(), static_cast<Index>(images.shape[0]),
                                                           all.rows * all.columns);
    all.part.classes.assign(labels.values.begin(), labels.values.end());
    return all;
}

ImagePart part_of(const ImagePart& all, Index first, Index count) {
    return {all.pixels.middleRows(first, count), {all.classes.begin() + first, all.classes.begin() + first + count}};
}

}  // namespace

std::vector<config::KeyRule> image_keys(const std::string& patch) {
    using namespace config;
    const Schema pair = list_of(text(), 2);
    return {
        defaulted("images",
                  named("image set", "use",
                        {{"fashion-mnist", {}},
                         {"file",
                          {required("training", pair, "two IDX files: images of bytes, and their labels"),
                           required("test", pair, "the same of images that are held out")}}}),
                  "fashion-mnist", "grey images of classes"),
        defaulted("patch", integer(1, 1024), patch, "pixels along the sides of a patch, which is a token"),
        defaulted("validation_share", real(above(0).below(0.5)), "0.1", "of the training set's images, its last ones"),
    };
}

Images::Images(const config::Value& config) : patch(whole(config, "patch")) {
    const config::Value& key = config.at("images");
    const bool own = key.at("use").text() == "file";
    Read first, held_out;
    try {
        const Files to_train = own ? files_of(key.at("training")) : files_of(key.at("use").text());
        const Files to_test = own ? files_of(key.at("test")) : files_of(key.at("use").text() + "-test");
        first = read(to_train);
        held_out = read(to_test);
        name = own ? std::filesystem::path(to_train.images.name).stem().string() : key.at("use").text();
        // A chain of hashes: files that change places change it as well.
        for (const Bytes* bytes : {&to_train.images, &to_train.labels, &to_test.images, &to_test.labels})
            data_hash = store::sha256(data_hash + store::sha256(bytes->contents));
    } catch (const datasets::MissingData&) {
        throw;  // which a list of sources may leave out
    } catch (const datasets::DataError& error) {
        key.refuse(error.what());
    }
    rows = first.rows;
    columns = first.columns;
    if (held_out.rows != rows || held_out.columns != columns)
        key.refuse(fmt::format("images to train on have {} x {} pixels, those held out {} x {}", rows, columns,
                               held_out.rows, held_out.columns));
    if (rows % patch != 0 || columns % patch != 0)
        config.at("patch").refuse(
            fmt::format("{} pixels do not divide the sides of images of {} x {} pixels", patch, rows, columns));
    const Index all = first.part.count();
    // The last images of the training set are for validation, as its files have them: no draw decides which.
    const auto seen = static_cast<Index>(config.at("validation_share").number() * static_cast<double>(all));
    if (seen < 1)
        config.at("validation_share").refuse(fmt::format("of {} images this is none; at least one is needed", all));
    training = part_of(first.part, 0, all - seen);
    validation = part_of(first.part, all - seen, seen);
    test = std::move(held_out.part);
    // A class counts although only one of the parts may have it: the network has one read-out for all.
    classes = 1;
    for (const ImagePart* part : {&training, &validation, &test})
        classes = std::max(classes, 1 + *std::max_element(part->classes.begin(), part->classes.end()));
}

networks::Sequence<float> Images::sequence(const ImagePart& part, Index number) const {
    networks::Sequence<float> one;
    one.rows.resize(tokens(), inputs());
    const auto grey = part.pixels.row(number);
    // Pixel (y, x) is number (y mod p, x mod p) of patch (y / p, x / p).
    for (Index y = 0; y < rows; ++y)
        for (Index x = 0; x < columns; ++x)
            one.rows(y / patch * grid_columns() + x / patch, y % patch * patch + x % patch) =
                static_cast<float>(grey[y * columns + x]) / 127.5F - 1;
    one.targets = {{0, part.classes[static_cast<std::size_t>(number)]}};
    return one;
}

std::vector<networks::Sequence<float>> Images::batch(int count, Stream stream) const {
    std::vector<networks::Sequence<float>> all;
    for (int i = 0; i < count; ++i)
        all.push_back(sequence(training, static_cast<Index>(stream.below(static_cast<std::size_t>(training.count())))));
    return all;
}

std::vector<networks::Sequence<float>> Images::spread(const ImagePart& part, Index most) const {
    std::vector<networks::Sequence<float>> all;
    for (const Index number : spread_numbers(part.count(), most)) all.push_back(sequence(part, number));
    return all;
}

std::vector<Index> Images::spread_numbers(Index there_are, Index most) {
    std::vector<Index> all;
    const Index count = std::min(most, there_are);
    // Multiplied before it is divided: distances differ by one at most, and no end is left out.
    for (Index i = 0; i < count; ++i) all.push_back(i * there_are / count);
    return all;
}

}  // namespace rfbench::experiments
