#include "rfbench/datasets/hdf5_datasets.hpp"

#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

constexpr int deepest_group = 16;

/// Adds to `found` the full name of every dataset at or below `group`.
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
        if (H5Iget_type(*object) == H5I_GROUP) collect(*object, full, depth + 1, found);
        if (H5Iget_type(*object) == H5I_DATASET) found.push_back(full);
    }
}

}  // namespace

std::vector<std::string> hdf5_datasets(hid_t file) {
    std::vector<std::string> found;
    collect(file, "", 0, found);
    return found;
}

bool holds_numbers(hid_t dataset, const std::string& name) {
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell the type of '" + name + "'");
    const H5T_class_t kind = H5Tget_class(type);
    return kind == H5T_FLOAT || kind == H5T_INTEGER;
}

}  // namespace rfbench::datasets
