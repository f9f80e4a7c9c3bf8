#include "rfbench/datasets/hdf5_datasets.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "rfbench/datasets/place.hpp"
#include "rfbench/store/hdf5_handle.hpp"

namespace rfbench::datasets {

namespace {

using store::Handle;

constexpr int max_group_depth = 16;
constexpr std::size_t max_names = 10'000;
// One byte stands for at most so many where they are compressed: deflate's limit is 1032.
constexpr hsize_t max_per_byte = 1100;

/// Which object of which file it is, whatever its name.
using Identity = std::pair<unsigned long, haddr_t>;

Identity identity(hid_t object, const std::string& name) {
    H5O_info_t info;
    store::check_hdf5(H5Oget_info(object, &info), fmt::format("look at '{}'", name));
    return {info.fileno, info.addr};
}

/// Adds every dataset at or below a group that is not known yet: links may lead in rings, or to other files.
class Search {
public:
    explicit Search(hid_t file) : file_(identity(file, "/").first) { look(file, "", 0); }

    std::vector<std::string> found;

private:
    void look(hid_t group, const std::string& prefix, int depth) {
        const std::string own = prefix.empty() ? "/" : prefix;
        if (depth > max_group_depth || !seen_.insert(identity(group, own)).second) return;
        H5G_info_t info;
        store::check_hdf5(H5Gget_info(group, &info), fmt::format("list what is in '{}'", own));
        for (hsize_t i = 0; i < info.nlinks; ++i) {
            // Called twice: once for the length of a name, once for the name.
            const auto name_of = [&](char* out, std::size_t room) {
                return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, room, H5P_DEFAULT);
            };
            const ssize_t length =
                store::check_hdf5(name_of(nullptr, 0), fmt::format("tell the names of what is in '{}'", own));
            if (length == 0) continue;
            if (++names_ > max_names) throw store::Error(fmt::format("has more than {} names", max_names));
            std::string name(static_cast<std::size_t>(length), '\0');
            name_of(name.data(), name.size() + 1);
            open(group, name, prefix + "/" + name, depth);
        }
    }

    void open(hid_t group, const std::string& name, const std::string& full, int depth) {
        H5L_info_t link;
        // To open an external link would open another file, so its kind is looked at first.
        const bool inside = H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_EXTERNAL;
        if (!inside) return;
        const auto object = Handle::if_there(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
        // A soft link may still lead through an external one: what it led to says in which file it is.
        if (!object || identity(*object, full).first != file_) return;
        if (H5Iget_type(*object) == H5I_GROUP) look(*object, full, depth + 1);
        if (H5Iget_type(*object) == H5I_DATASET && seen_.insert(identity(*object, full)).second) found.push_back(full);
    }

    unsigned long file_;
    std::set<Identity> seen_;
    std::size_t names_ = 0;
};

}  // namespace

std::vector<std::string> hdf5_datasets(hid_t file, const std::string& name) {
    return naming(name, [&] { return Search(file).found; });
}

void require_own_numbers(const std::string& place, hid_t file, hid_t dataset) {
    if (identity(dataset, place).first != identity(file, "/").first)
        refuse({place}, "lies in another file; only what a file itself holds is read");
    const Handle how(H5Dget_create_plist(dataset), H5Pclose, "tell how it is stored");
    if (H5Pget_layout(how) == H5D_VIRTUAL || H5Pget_external_count(how) > 0)
        refuse({place}, "has its numbers in other files; only what a file itself holds is read");
    const Handle type(H5Dget_type(dataset), H5Tclose, "tell its type");
    hsize_t bytes = H5Tget_size(type);
    for (const hsize_t extent : store::extents(dataset, place))
        // More bytes than can be counted are more than any file holds.
        if (__builtin_mul_overflow(bytes, extent, &bytes)) bytes = HSIZE_UNDEF;
    const hsize_t held = H5Dget_storage_size(dataset);
    if (bytes / max_per_byte > held || (held == 0 && bytes > 0))
        refuse({place}, fmt::format("claims {} bytes of numbers, of which the file holds {}: the others were never "
                                    "written",
                                    bytes, held));
}

}  // namespace rfbench::datasets
