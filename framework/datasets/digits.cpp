#include "rfbench/datasets/digits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/datasets/image.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

struct DigitSet {
    const char* name;
    std::size_t side;
    unsigned brightest;
};

constexpr DigitSet known_digits[] = {{"optdigits", 8, 16}, {"mnist-test", 28, 255}};

const DigitSet& digit_set(const std::string& name) {
    const auto same = [&](const DigitSet& set) { return name == set.name; };
    const auto found = std::find_if(std::begin(known_digits), std::end(known_digits), same);
    if (found != std::end(known_digits)) return *found;
    const std::vector<std::string> names = digit_sets();
    throw DataError(fmt::format("{} is no set of digit images; there are {}.{}", in_quotes(name),
                                fmt::join(names, ", "), did_you_mean(name, names)));
}

}  // namespace

std::vector<std::string> digit_sets() {
    std::vector<std::string> names;
    for (const DigitSet& set : known_digits) names.emplace_back(set.name);
    return names;
}

Points digit_points(const Table& table, std::size_t rows, std::size_t columns, unsigned brightest) {
    const std::size_t pixels = rows * columns;
    if (static_cast<std::size_t>(table.values.cols()) != pixels) {
        throw DataError(fmt::format("images of {} x {} pixels need {} columns; the table has {}", rows, columns, pixels,
                                    table.values.cols()));
    }
    Points points(table.values.rows(), static_cast<Index>(small_pixels));
    std::vector<std::uint8_t> image(pixels);
    // A sum over rows * columns is the mean grey of a small pixel (image.hpp); over the brightest grey it is in [0, 1].
    const double whole = static_cast<double>(pixels * brightest);
    for (Index row = 0; row < points.rows(); ++row) {
        for (std::size_t i = 0; i < pixels; ++i) {
            const double grey = table.values(row, static_cast<Index>(i));
            // A value that is not a whole number from 0 to the brightest, NaN included, differs from its pixel.
            image[i] = grey >= 0 && grey <= brightest ? static_cast<std::uint8_t>(grey) : std::uint8_t{0};
            if (image[i] == grey) continue;
            throw DataError(
                fmt::format("pixel {} of image {} (counted from 0) is {}; whole numbers from 0 to {} are "
                            "allowed",
                            i, row, grey, brightest));
        }
        const auto sums = area_sums(image.data(), rows, columns);
        for (std::size_t i = 0; i < small_pixels; ++i) {
            points(row, static_cast<Index>(i)) = static_cast<double>(sums[i]) / whole;
        }
    }
    return points;
}

Digits digits(const std::string& name, const Manifest& manifest, const Places& places, const Warn& warn) {
    const DigitSet& set = digit_set(name);
    const Entry& entry = manifest.find(name);
    const std::vector<FoundFile> files = locate(entry, places, warn);
    const Table table = load(entry, files);

    Digits result{digit_points(table, set.side, set.side, set.brightest), {}, files.front().sha256};
    for (const int code : table.classes) {
        result.labels.push_back(std::stoi(table.class_names[static_cast<std::size_t>(code)]));
    }
    return result;
}

}  // namespace rfbench::datasets
