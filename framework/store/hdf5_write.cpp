#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>

#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/store/hdf5_image.hpp"
#include "rfbench/store/hdf5_memory.hpp"

namespace rfbench::store {
namespace {

using Extents = std::vector<hsize_t>;

Handle utf8_names(hid_t list_class) {
    Handle list(H5Pcreate(list_class), H5Pclose, "make a list of properties");
    check_hdf5(H5Pset_char_encoding(list, H5T_CSET_UTF8), "choose UTF-8 for names");
    return list;
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
    const std::string what = fmt::format("write the attribute '{}'", name);
    const Handle type = text_type(), list = utf8_names(H5P_ATTRIBUTE_CREATE);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, what);
    const Handle attribute(H5Acreate2(object, name.c_str(), type, space, list, H5P_DEFAULT), H5Aclose, what);
    const char* characters = text.c_str();
    check_hdf5(H5Awrite(attribute, type, &characters), what);
}

void describe(hid_t dataset, const std::string& unit, const std::string& description) {
    if (!unit.empty()) write_text(dataset, "units", unit);
    if (!description.empty()) write_text(dataset, "long_name", description);
}

// Chunks of at most 2^17 elements (1 MiB of numbers): whole trailing axes, part of one, single steps of those before.
Extents chunks(Extents extents) {
    hsize_t room = hsize_t{1} << 17;
    for (std::size_t i = extents.size(); i-- > 0; room /= extents[i])
        extents[i] = std::clamp<hsize_t>(room, 1, extents[i]);
    return extents;
}

// Only chunks of numbers can carry checksums. A single number lies in the object's header, which has its own. Texts
// have none inside HDF5; the sha256 of the file covers them.
Handle storage(const Extents& extents, bool numbers) {
    Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a list of properties");
    check_hdf5(H5Pset_obj_track_times(list, false), "leave times out of the file");
    const bool empty = std::find(extents.begin(), extents.end(), hsize_t{0}) != extents.end();
    if (extents.empty()) {
        check_hdf5(H5Pset_layout(list, H5D_COMPACT), "store a single number");
    } else if (numbers && !empty) {
        const Extents chunk = chunks(extents);
        check_hdf5(H5Pset_chunk(list, int(chunk.size()), chunk.data()), "choose chunks");
        check_hdf5(H5Pset_fletcher32(list), "choose checksums");
    }
    return list;
}

Handle create(hid_t file, const std::string& name, hid_t type, const Extents& extents) {
    const std::string what = fmt::format("create '{}'", name);
    const Handle space(
        extents.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(extents.size()), extents.data(), nullptr),
        H5Sclose, what);
    const Handle links = utf8_names(H5P_LINK_CREATE), properties = storage(extents, H5Tget_class(type) == H5T_FLOAT);
    return {H5Dcreate2(file, name.c_str(), type, space, links, properties, H5P_DEFAULT), H5Dclose, what};
}

void fill(hid_t dataset, const std::string& name, hid_t type, const void* values) {
    check_hdf5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), fmt::format("write '{}'", name));
}

Handle write_labels(hid_t file, const Axis& axis) {
    const Extents extents = {axis.size()};
    if (const auto* numbers = std::get_if<std::vector<double>>(&axis.labels)) {
        Handle dataset = create(file, axis.name, H5T_IEEE_F64LE, extents);
        if (!numbers->empty()) fill(dataset, axis.name, H5T_NATIVE_DOUBLE, numbers->data());
        return dataset;
    }
    const Handle type = text_type();
    Handle dataset = create(file, axis.name, type, extents);
    std::vector<const char*> words;
    for (const auto& word : std::get<std::vector<std::string>>(axis.labels)) words.push_back(word.c_str());
    if (!words.empty()) fill(dataset, axis.name, type, words.data());
    return dataset;
}

Handle write_axis(hid_t file, const Axis& axis) {
    Handle dataset = write_labels(file, axis);
    check_hdf5(H5DSset_scale(dataset, axis.name.c_str()), fmt::format("make '{}' a dimension scale", axis.name));
    describe(dataset, axis.unit, axis.description);
    return dataset;
}

void write_variable(hid_t file, const Variable& variable, const Dataset& data, const std::vector<Handle>& scales) {
    Extents extents;
    for (const std::string& name : variable.axes) extents.push_back(data.axis(name).size());
    const Handle dataset = create(file, variable.name, H5T_IEEE_F64LE, extents);
    if (!variable.values.empty()) fill(dataset, variable.name, H5T_NATIVE_DOUBLE, variable.values.data());

    // Dimension scales, which netCDF and xarray know: each dimension is attached to its axis, and has its name.
    for (unsigned i = 0; i < variable.axes.size(); ++i) {
        const auto which = std::size_t(&data.axis(variable.axes[i]) - data.axes.data());
        check_hdf5(H5DSattach_scale(dataset, scales[which], i),
                   fmt::format("attach the axis '{}' to '{}'", variable.axes[i], variable.name));
        check_hdf5(H5DSset_label(dataset, i, variable.axes[i].c_str()),
                   fmt::format("label the axis '{}' of '{}'", variable.axes[i], variable.name));
    }
    describe(dataset, variable.unit, variable.description);
}

// The order in which axes and variables are given is kept.
Handle create_file(MemoryFile& memory) {
    const Handle list(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make a list of properties");
    check_hdf5(H5Pset_obj_track_times(list, false), "leave times out of the file");
    check_hdf5(H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "keep the order");
    const Handle access = memory_access();
    memory.hold(access);
    return {H5Fcreate("dataset in memory", H5F_ACC_TRUNC, list, access), H5Fclose, "create a file in memory"};
}

// HDF5 1.10 may end the program where it finds no memory. What it takes is asked for and given back before, so that
// std::bad_alloc says it instead: its own blocks, and a few copies of the numbers while the image grows.
void require_memory(const Dataset& data) {
    std::size_t bytes = std::size_t{1} << 24;
    for (const Variable& variable : data.variables) bytes += 3 * sizeof(double) * variable.values.size();
    std::vector<std::byte>().reserve(bytes);
}

}  // namespace

std::vector<std::byte> to_image(const Dataset& data) {
    require_memory(data);
    const Hdf5Session quiet;
    MemoryFile memory;
    // All that is in the file is closed before the file itself: only then are its bytes complete.
    Handle file = create_file(memory);
    {
        std::vector<Handle> scales;
        for (const Axis& axis : data.axes) scales.push_back(write_axis(file, axis));
        for (const Variable& variable : data.variables) write_variable(file, variable, data, scales);
        for (const auto& [name, text] : data.attributes) write_text(file, name, text);
    }
    file.close("complete the file in memory");
    const auto image = memory.image();
    return {image.begin(), image.end()};
}

}  // namespace rfbench::store
