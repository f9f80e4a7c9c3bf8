#include "rfbench/models/array_file.hpp"

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/models/safetensors.hpp"
#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::models {
namespace {

using datasets::refuse;
using datasets::size_of;

constexpr std::size_t largest_file = std::size_t{8} << 30;

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

}  // namespace

Array read_array(const std::filesystem::path& path, const std::string& name) {
    const std::string file = path.string(), place = file + ":" + name;
    const std::string bytes = datasets::file_bytes(file, largest_file);
    Array array;
    if (bytes.starts_with("\x89HDF\r\n\x1a\n"))
        array = from_hdf5(file, name);
    else if (bytes.starts_with("PK"))
        array = datasets::read_npy(place, datasets::unzip(bytes, name + ".npy", largest_file, file));
    else if (bytes.size() > 8 && bytes[8] == '{')
        array = Safetensors(path).array(name);
    else
        refuse({file}, "is neither HDF5 nor .npz nor safetensors");
    datasets::require_finite(place, array);
    return array;
}

}  // namespace rfbench::models
