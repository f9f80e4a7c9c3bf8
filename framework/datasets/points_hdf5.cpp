#include <cmath>
#include <vector>

#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

constexpr hsize_t most_numbers = hsize_t{1} << 28;
constexpr int deepest_group = 16;

std::string text(const std::vector<hsize_t>& extents) {
    std::string out;
    for (const hsize_t extent : extents) out += (out.empty() ? "" : " x ") + std::to_string(extent);
    return out.empty() ? "a single value" : out;
}

bool holds_numbers(hid_t dataset, const std::string& name) {
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell the type of '" + name + "'");
    const H5T_class_t kind = H5Tget_class(type);
    return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

/// Adds to `found` the full name of every two-dimensional dataset of numbers at or below `group`, in order of names.
void collect(hid_t group, const std::string& prefix, int depth, std::vector<std::string>& found) {
    H5G_info_t info;
    if (depth > deepest_group || H5Gget_info(group, &info) < 0) return;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        const auto name_of = [&](char* out, std::size_t room) {
            return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, room, H5P_DEFAULT);
        };
        const ssize_t length = name_of(nullptr, 0);
        if (length <= 0) continue;
        std::string name(static_cast<std::size_t>(length), '\0');
        name_of(name.data(), name.size() + 1);

        const auto object = Handle::if_there(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
        if (!object) continue;
        const std::string full = prefix + "/" + name;
        if (H5Iget_type(*object) == H5I_GROUP) {
            collect(*object, full, depth + 1, found);
        } else if (H5Iget_type(*object) == H5I_DATASET) {
            if (holds_numbers(*object, full) && store::extents(*object, full).size() == 2) found.push_back(full);
        }
    }
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
    if (extents[0] > most_numbers / extents[1])
        refuse({place}, "is " + text(extents) + "; at most " + std::to_string(most_numbers) + " numbers are read");
    return extents;
}

}  // namespace

Points read_points_hdf5(const std::string& file, const std::string& dataset) {
    const store::QuietHdf5 quiet;
    const auto opened = Handle::if_there(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!opened) refuse({file}, "cannot be opened as HDF5 (is it complete?)");

    std::vector<std::string> candidates;
    collect(*opened, "", 0, candidates);
    std::string name = dataset.empty() ? only_dataset(file, candidates) : dataset;
    if (!name.starts_with('/')) name = std::string("/").append(name);
    const std::string place = file + ":" + name;

    const auto points = Handle::if_there(H5Dopen2(*opened, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!points) {
        refuse({place}, "there is no such dataset; two-dimensional ones: " +
                            (candidates.empty() ? "none" : listed(candidates)) + "." + did_you_mean(name, candidates));
    }
    const std::vector<hsize_t> extents = extents_of_points(place, *points);

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
