#include <hdf5.h>

#include <cmath>
#include <utility>
#include <vector>

#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/points.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

constexpr hsize_t most_numbers = hsize_t{1} << 28;
constexpr int deepest_group = 16;

/// An HDF5 identifier, closed by the function that fits its kind.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    hid_t get() const { return id_; }
    bool open() const { return id_ >= 0; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

struct Shape {
    std::vector<hsize_t> extents;
    bool numbers = false;

    std::string text() const {
        std::string out;
        for (const hsize_t extent : extents) out += (out.empty() ? "" : " x ") + std::to_string(extent);
        return out.empty() ? "a single value" : out;
    }
};

Shape shape_of(hid_t dataset) {
    Shape shape;
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank > 0) {
        shape.extents.resize(static_cast<std::size_t>(rank));
        H5Sget_simple_extent_dims(space.get(), shape.extents.data(), nullptr);
    }
    const H5T_class_t kind = H5Tget_class(type.get());
    shape.numbers = kind == H5T_FLOAT || kind == H5T_INTEGER;
    return shape;
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

        const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
        if (!object.open()) continue;
        const std::string full = prefix + "/" + name;
        if (H5Iget_type(object.get()) == H5I_GROUP) {
            collect(object.get(), full, depth + 1, found);
        } else if (H5Iget_type(object.get()) == H5I_DATASET) {
            const Shape shape = shape_of(object.get());
            if (shape.numbers && shape.extents.size() == 2) found.push_back(full);
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

void require_points(const std::string& place, const Shape& shape) {
    if (!shape.numbers) refuse({place}, "does not hold numbers");
    if (shape.extents.size() != 2) {
        refuse({place}, "has the shape " + shape.text() + "; points are two-dimensional, one point a row");
    }
    if (shape.extents[0] == 0 || shape.extents[1] == 0) refuse({place}, "is empty (" + shape.text() + ")");
    if (shape.extents[0] > most_numbers / shape.extents[1]) {
        refuse({place}, "is " + shape.text() + "; at most " + std::to_string(most_numbers) + " numbers are read");
    }
}

}  // namespace

Points read_points_hdf5(const std::string& file, const std::string& dataset) {
    const store::QuietHdf5 quiet;
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!opened.open()) refuse({file}, "cannot be opened as HDF5 (is it complete?)");

    std::vector<std::string> candidates;
    collect(opened.get(), "", 0, candidates);
    std::string name = dataset.empty() ? only_dataset(file, candidates) : dataset;
    if (!name.starts_with('/')) name = std::string("/").append(name);
    const std::string place = file + ":" + name;

    const Handle points(H5Dopen2(opened.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!points.open()) {
        refuse({place}, "there is no such dataset; two-dimensional ones: " +
                            (candidates.empty() ? "none" : listed(candidates)) + "." + did_you_mean(name, candidates));
    }
    const Shape shape = shape_of(points.get());
    require_points(place, shape);

    Points values(static_cast<Index>(shape.extents[0]), static_cast<Index>(shape.extents[1]));
    if (H5Dread(points.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
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
