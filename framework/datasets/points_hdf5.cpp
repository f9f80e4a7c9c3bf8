#include <cmath>
#include <vector>

#include "rfbench/datasets/hdf5_datasets.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

constexpr hsize_t most_values = hsize_t{1} << 28;

std::string text(const std::vector<hsize_t>& extents) {
    std::string out;
    for (const hsize_t extent : extents) out += (out.empty() ? "" : " x ") + std::to_string(extent);
    return out.empty() ? "a single value" : out;
}

/// Of every two-dimensional dataset of numbers, in order of names.
std::vector<std::string> two_dimensional(hid_t file) {
    std::vector<std::string> found = hdf5_datasets(file);
    std::erase_if(found, [&](const std::string& name) {
        const auto dataset = Handle::if_there(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
        return !dataset || !holds_numbers(*dataset, name) || store::extents(*dataset, name).size() != 2;
    });
    return found;
}

std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

std::string only_dataset(const std::string& file, const std::vector<std::string>& candidates) {
    if (candidates.empty()) refuse({file}, "holds no two-dimensional dataset of numbers");
    if (candidates.size() > 1) {
        refuse({file}, "holds several two-dimensional datasets; name one, as in " + file + ":" + candidates.front() +
                           " (there are " + listed(candidates) + ")");
    }
    return candidates.front();
}

/// The extents of what is two-dimensional, made of numbers, not empty and not too large.
std::vector<hsize_t> extents_of_points(const std::string& place, hid_t dataset) {
    if (!holds_numbers(dataset, place)) refuse({place}, "does not hold numbers");
    std::vector<hsize_t> extents = store::extents(dataset, place);
    if (extents.size() != 2)
        refuse({place}, "has the shape " + text(extents) + "; points are two-dimensional, one point a row");
    if (extents[0] == 0 || extents[1] == 0) refuse({place}, "is empty (" + text(extents) + ")");
    // Compared by division, since the product might overflow.
    if (extents[0] > most_values / extents[1])
        refuse({place}, "is " + text(extents) + "; at most " + std::to_string(most_values) + " numbers are read");
    return extents;
}

}  // namespace

Points read_points_hdf5(const std::string& file, const std::string& dataset) {
    const store::QuietHdf5 quiet;
    const auto opened = Handle::if_there(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!opened) refuse({file}, "cannot be opened as HDF5 (is it complete?)");

    // Found even where a name is given: a wrong one is answered by those there are.
    const std::vector<std::string> candidates = two_dimensional(*opened);
    std::string name = dataset.empty() ? only_dataset(file, candidates) : dataset;
    if (!name.starts_with('/')) name = std::string("/").append(name);
    const std::string place = file + ":" + name;

    const auto points = Handle::if_there(H5Dopen2(*opened, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!points) {
        refuse({place}, "there is no such dataset; two-dimensional ones: " +
                            (candidates.empty() ? "none" : listed(candidates)) + "." + did_you_mean(name, candidates));
    }
    const std::vector<hsize_t> extents = extents_of_points(place, *points);
    require_own_numbers(place, *opened, *points);

    Points values(static_cast<Index>(extents[0]), static_cast<Index>(extents[1]));
    if (H5Dread(*points, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        refuse({place}, "cannot be read (damaged, or stored with a filter that this HDF5 library lacks)");
    }
    for (Index row = 0; row < values.rows(); ++row) {
        for (Index column = 0; column < values.cols(); ++column) {
            if (std::isfinite(values(row, column))) continue;
            refuse({place + "[" + std::to_string(row) + ", " + std::to_string(column) + "]"},
                   std::string(std::isnan(values(row, column)) ? "NaN" : "an infinity") +
                       " is not finite; every number must be");
        }
    }
    return values;
}

}  // namespace rfbench::datasets
