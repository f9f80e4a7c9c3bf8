#include "rfbench/store/hdf5_handle.hpp"

#include <fmt/format.h>

#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

std::mutex one_at_a_time;

// The stack begins with what went wrong first.
herr_t take_first(unsigned number, const H5E_error2_t* entry, void* text) {
    if (number == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}

}  // namespace

void throw_hdf5_error(const std::string& what) {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
    throw Error(fmt::format("HDF5 cannot {}: {}", what, reason.empty() ? "it does not say why" : reason));
}

Handle::Handle(hid_t id, Close closer, const std::string& what) : id_(check_hdf5(id, what)), close_(closer) {}

std::optional<Handle> Handle::if_there(hid_t id, Close closer) {
    if (id < 0) return std::nullopt;
    return Handle(id, closer);
}

void Handle::close(const std::string& what) { check_hdf5(close_(std::exchange(id_, -1)), what); }

Hdf5Session::Hdf5Session() : alone_(one_at_a_time) {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Handle text_type() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
    check_hdf5(H5Tset_size(type, H5T_VARIABLE), "make a text type of any length");
    check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), "make a UTF-8 text type");
    return type;
}

std::vector<hsize_t> extents(hid_t dataset, const std::string& name) {
    const std::string what = fmt::format("tell the shape of '{}'", name);
    const Handle space(H5Dget_space(dataset), H5Sclose, what);
    std::vector<hsize_t> sizes(std::size_t(check_hdf5(H5Sget_simple_extent_ndims(space), what)));
    if (!sizes.empty()) check_hdf5(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), what);
    return sizes;
}

Handle memory_access() {
    constexpr std::size_t growth = std::size_t{1} << 20;
    constexpr hbool_t backing_store = false;
    Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make an access list");
    check_hdf5(H5Pset_fapl_core(access, growth, backing_store), "choose the memory driver");
    // One format whatever the library: MemoryFile::image() knows its first bytes, and equal data have equal files.
    check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the format of HDF5 1.10");
    return access;
}

}  // namespace rfbench::store
