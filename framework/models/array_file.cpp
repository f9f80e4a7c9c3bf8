#include "rfbench/models/array_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/models/safetensors.hpp"
#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::models {
namespace {

using datasets::refuse;

constexpr std::size_t most_numbers = std::size_t{1} << 28;
constexpr std::size_t largest_file = std::size_t{8} << 30;

std::size_t size_of(const std::string& place, const std::vector<Index>& shape) {
    std::size_t size = 1;
    for (const Index extent : shape) {
        if (extent < 1) refuse({place}, fmt::format("is empty ({})", fmt::join(shape, " x ")));
        if (static_cast<std::size_t>(extent) > most_numbers / size)
            refuse({place}, fmt::format("is {}; at most {} numbers are read", fmt::join(shape, " x "), most_numbers));
        size *= static_cast<std::size_t>(extent);
    }
    return size;
}

/// Refuses the first entry that is not finite, by its indices.
void require_finite(const std::string& place, const Array& array) {
    for (std::size_t at = 0; at < array.values.size(); ++at) {
        if (std::isfinite(array.values[at])) continue;
        std::vector<std::size_t> indices(array.shape.size());
        std::size_t rest = at;
        for (std::size_t axis = array.shape.size(); axis-- > 0;) {
            indices[axis] = rest % static_cast<std::size_t>(array.shape[axis]);
            rest /= static_cast<std::size_t>(array.shape[axis]);
        }
        refuse({place + fmt::format("[{}]", fmt::join(indices, ", "))},
               fmt::format("is {}; every number must be finite", array.values[at]));
    }
}

Array from_hdf5(const std::string& file, const std::string& name) {
    using store::Handle;
    const store::QuietHdf5 quiet;
    const std::string place = file + ":" + name;
    const auto opened = Handle::if_there(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!opened) refuse({file}, "cannot be opened as HDF5 (is it complete?)");
    const auto data = Handle::if_there(H5Dopen2(*opened, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data) refuse({place}, "there is no such dataset");
    const Handle type(H5Dget_type(*data), H5Tclose, "tell the type of '" + name + "'");
    if (H5Tget_class(type) != H5T_FLOAT) refuse({place}, "does not hold floating-point numbers");
    Array array;
    for (const hsize_t extent : store::extents(*data, name)) array.shape.push_back(static_cast<Index>(extent));
    array.values.resize(size_of(place, array.shape));
    if (H5Dread(*data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0)
        refuse({place}, "cannot be read (damaged, or stored with a filter that this HDF5 library lacks)");
    return array;
}

/// What stands behind 'key': in the header of an .npy file, up to the end of the value.
std::string_view header_value(std::string_view header, std::string_view key, std::string_view until) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    const std::size_t begin = header.find_first_not_of(" :", at + key.size());
    const std::size_t end = header.find_first_of(until, begin);
    return end == std::string_view::npos ? std::string_view() : header.substr(begin, end - begin);
}

template <class Stored>
void copy(std::string_view bytes, std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        Stored value;
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        out[i] = static_cast<double>(value);
    }
}

/// One member of an .npz archive: NumPy's format version 1 to 3.
Array from_npy(const std::string& place, std::string_view bytes) {
    if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) refuse({place}, "is no NumPy array");
    const bool wide = bytes[6] > 1;
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 8, wide ? 4 : 2);
    const std::size_t begin = (wide ? 12u : 10u) + std::size_t{length};
    if (begin > bytes.size()) refuse({place}, "is cut short");
    const std::string_view header = bytes.substr(wide ? 12 : 10, length);
    const std::string_view type = header_value(header, "'descr'", ",");
    const std::size_t width = type == "'<f2'" ? 2 : type == "'<f4'" ? 4 : type == "'<f8'" ? 8 : 0;
    if (width == 0) refuse({place}, fmt::format("is of type {}; '<f2', '<f4' and '<f8' are read", type));
    if (header_value(header, "'fortran_order'", ",") != "False")
        refuse({place}, "is in Fortran order; C order is read");

    Array array;
    std::string_view extents = header_value(header, "'shape'", ")");
    for (const char* at = extents.data(); at < extents.data() + extents.size();) {
        Index extent = 0;
        const auto [end, error] = std::from_chars(at, extents.data() + extents.size(), extent);
        if (error == std::errc{}) array.shape.push_back(extent);
        at = error == std::errc{} ? end : at + 1;
    }
    array.values.resize(size_of(place, array.shape));
    if (bytes.size() - begin != width * array.values.size())
        refuse({place},
               fmt::format("has {} bytes for {} numbers of {}", bytes.size() - begin, array.values.size(), width));
    const std::string_view numbers = bytes.substr(begin);
    if (width == 2) copy<Eigen::half>(numbers, array.values);
    if (width == 4) copy<float>(numbers, array.values);
    if (width == 8) copy<double>(numbers, array.values);
    return array;
}

}  // namespace

Array read_array(const std::filesystem::path& path, const std::string& name) {
    const std::string file = path.string(), place = file + ":" + name;
    const std::string bytes = datasets::file_bytes(file, largest_file);
    Array array;
    if (bytes.starts_with("\x89HDF\r\n\x1a\n"))
        array = from_hdf5(file, name);
    else if (bytes.starts_with("PK"))
        array = from_npy(place, datasets::unzip(bytes, name + ".npy", largest_file, file));
    else if (bytes.size() > 8 && bytes[8] == '{')
        array = Safetensors(path).array(name);
    else
        refuse({file}, "is neither HDF5 nor .npz nor safetensors");
    require_finite(place, array);
    return array;
}

}  // namespace rfbench::models
