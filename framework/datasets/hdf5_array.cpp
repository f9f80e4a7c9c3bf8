#include "rfbench/datasets/hdf5_array.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "rfbench/datasets/hdf5_datasets.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

/// How the stored entries become numbers.
enum class Kind { numbers, truths, brain_floats, other };

Kind kind_of(hid_t dataset, const std::string& name) {
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell the type of '" + name + "'");
    const std::size_t width = H5Tget_size(type);
    switch (H5Tget_class(type)) {
        case H5T_FLOAT:
        case H5T_INTEGER: return Kind::numbers;
        case H5T_ENUM:
        case H5T_BITFIELD: return width == 1 ? Kind::truths : Kind::other;
        case H5T_OPAQUE: return width == 2 ? Kind::brain_floats : Kind::other;
        default: return Kind::other;
    }
}

/// The class that MATLAB gives an array; empty where another program wrote it.
std::string matlab_class(hid_t dataset) {
    if (H5Aexists(dataset, "MATLAB_class") <= 0) return {};
    const auto attribute = Handle::if_there(H5Aopen(dataset, "MATLAB_class", H5P_DEFAULT), H5Aclose);
    if (!attribute) return {};
    const Handle type(H5Aget_type(*attribute), H5Tclose, "tell MATLAB's class");
    std::string name(H5Tget_size(type), '\0');
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || H5Aread(*attribute, type, name.data()) < 0)
        return {};
    return name.substr(0, name.find('\0'));
}

/// Entries of one byte or two, as they are stored, each made a number.
template <class Stored>
bool read_stored(hid_t dataset, std::vector<double>& values) {
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell a type");
    std::vector<Stored> stored(values.size());
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()) < 0) return false;
    std::transform(stored.begin(), stored.end(), values.begin(), [](Stored one) { return static_cast<double>(one); });
    return true;
}

bool read_entries(hid_t dataset, Kind kind, std::vector<double>& values) {
    if (kind == Kind::truths) return read_stored<std::uint8_t>(dataset, values);
    if (kind == Kind::brain_floats) return read_stored<Eigen::bfloat16>(dataset, values);
    return H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
}

/// The first filter that the library cannot undo; empty where there is none.
std::string missing_filter(hid_t dataset) {
    const Handle how(H5Dget_create_plist(dataset), H5Pclose, "tell how a dataset is stored");
    for (int i = 0; i < H5Pget_nfilters(how); ++i) {
        char name[64] = {};
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(how, static_cast<unsigned>(i), &flags, &values, nullptr, sizeof name - 1, name, &config);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0) return fmt::format("'{}' ({})", name, filter);
    }
    return {};
}

/// Why the file cannot be opened; it may be whole all the same.
std::string reason_closed(const std::string& file) {
    constexpr const char* unlocked = "set HDF5_USE_FILE_LOCKING=FALSE to read it all the same";
    const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return "cannot be opened: " + std::generic_category().message(errno);
    const int failure = flock(opened, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
    close(opened);
    if (failure == EWOULDBLOCK)
        return fmt::format("is open for writing in another program, which has locked it; close it there, or {}",
                           unlocked);
    if (failure != 0)
        return fmt::format("cannot be locked ({}), as on some file systems; {}",
                           std::generic_category().message(failure), unlocked);
    return "cannot be opened as HDF5 (is it complete?)";
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    const store::Hdf5Session quiet;
    return H5Fis_hdf5(path.c_str()) > 0;
}

Handle open_hdf5(const std::string& file) {
    auto opened = Handle::if_there(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!opened) refuse({file}, reason_closed(file));
    return std::move(*opened);
}

bool holds_numbers(hid_t dataset, const std::string& name) {
    // Texts of MATLAB are 16-bit integers.
    return kind_of(dataset, name) != Kind::other && matlab_class(dataset) != "char";
}

std::vector<Index> shape_of(hid_t dataset, const std::string& place) {
    const std::vector<hsize_t> extents = store::extents(dataset, place);
    std::vector<Index> shape(extents.begin(), extents.end());
    if (!matlab_class(dataset).empty()) std::reverse(shape.begin(), shape.end());
    return shape;
}

Array read_hdf5(const std::string& place, hid_t file, hid_t dataset) {
    if (!holds_numbers(dataset, place)) refuse({place}, "does not hold numbers");
    require_own_numbers(place, file, dataset);
    Array array{shape_of(dataset, place), {}};
    array.values.resize(size_of(place, array.shape));
    if (!read_entries(dataset, kind_of(dataset, place), array.values)) {
        const std::string filter = missing_filter(dataset);
        if (filter.empty()) refuse({place}, "cannot be read (damaged)");
        refuse({place}, "is stored with the filter " + filter +
                            ", which this HDF5 library lacks; write it with gzip or without a filter");
    }
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell the type of '" + place + "'");
    // Whole numbers of 32 bits and less are all double's.
    if (H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) > 4) require_exact(place, array);
    if (!matlab_class(dataset).empty()) to_row_major(array);
    return array;
}

}  // namespace rfbench::datasets
