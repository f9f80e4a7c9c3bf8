#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "rfbench/datasets/hdf5_array.hpp"
#include "rfbench/datasets/hdf5_datasets.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

/// Paths of every two-dimensional dataset of numbers, in order of names.
std::vector<std::string> two_dimensional(hid_t file, const std::string& path) {
    std::vector<std::string> found = hdf5_datasets(file, path);
    std::erase_if(found, [&](const std::string& name) {
        const auto dataset = Handle::if_there(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
        return naming(path + ":" + name, [&] {
            return !dataset || !holds_numbers(*dataset, name) || shape_of(*dataset, name).size() != 2;
        });
    });
    return found;
}

std::string only_dataset(const std::string& file, const std::vector<std::string>& candidates) {
    if (candidates.empty()) refuse({file}, "holds no two-dimensional dataset of numbers");
    if (candidates.size() > 1)
        refuse({file}, fmt::format("holds several two-dimensional datasets; name one, as in {}:{} (there are {})", file,
                                   candidates.front(), fmt::join(candidates, ", ")));
    return candidates.front();
}

}  // namespace

Points read_points_hdf5(const std::string& file, const std::string& dataset) {
    const store::Hdf5Session quiet;
    const Handle opened = open_hdf5(file);
    // Found even where a name is given: a wrong one is answered by those there are.
    const std::vector<std::string> candidates = two_dimensional(opened, file);
    std::string name = dataset.empty() ? only_dataset(file, candidates) : dataset;
    if (!name.starts_with('/')) name = std::string("/").append(name);
    const std::string place = file + ":" + name;

    const auto points = Handle::if_there(H5Dopen2(opened, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!points)
        refuse({place}, fmt::format("there is no such dataset; two-dimensional ones: {}.{}",
                                    candidates.empty() ? "none" : fmt::format("{}", fmt::join(candidates, ", ")),
                                    did_you_mean(name, candidates)));
    return naming(place, [&] {
        if (!holds_numbers(*points, place)) refuse({place}, "does not hold numbers");
        const std::vector<Index> shape = shape_of(*points, place);
        if (shape.size() != 2)
            refuse({place}, fmt::format("has the shape {}; points are two-dimensional, one point a row",
                                        shape.empty() ? "a single value" : fmt::format("{}", fmt::join(shape, " x "))));
        return points_of(place, read_hdf5(place, opened, *points));
    });
}

}  // namespace rfbench::datasets
