#include "rfbench/models/array_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/hdf5_datasets.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/models/safetensors.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::models {

struct ArrayFile::Format {
    virtual ~Format() = default;
    virtual std::vector<std::string> names() const = 0;
    /// `place` names the array in messages.
    virtual Array array(const std::string& name, const std::string& place) const = 0;
};

namespace {

using datasets::refuse;
using datasets::size_of;

constexpr std::size_t largest_archive = std::size_t{8} << 30;
constexpr std::string_view hdf5_mark = "\x89HDF\r\n\x1a\n";

class Hdf5Arrays final : public ArrayFile::Format {
public:
    explicit Hdf5Arrays(std::string file) : file_(std::move(file)) {}

    std::vector<std::string> names() const override {
        const store::QuietHdf5 quiet;
        std::vector<std::string> names = datasets::hdf5_datasets(opened());
        // Paths in HDF5 begin with a slash.
        for (std::string& name : names) name.erase(0, 1);
        return names;
    }

    Array array(const std::string& name, const std::string& place) const override {
        const store::QuietHdf5 quiet;
        const store::Handle file = opened(), data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open " + place);
        if (!datasets::holds_numbers(data, name)) refuse({place}, "does not hold numbers");
        datasets::require_own_numbers(place, file, data);
        Array array;
        for (const hsize_t extent : store::extents(data, name)) array.shape.push_back(static_cast<Index>(extent));
        array.values.resize(size_of(place, array.shape));
        // HDF5 converts numbers of any type and byte order.
        if (H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0)
            refuse({place}, "cannot be read (damaged, or stored with a filter that this HDF5 library lacks)");
        return array;
    }

private:
    store::Handle opened() const {
        auto file = store::Handle::if_there(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
        if (!file) refuse({file_}, "cannot be opened as HDF5 (is it complete?)");
        return std::move(*file);
    }

    std::string file_;
};

class NpzArrays final : public ArrayFile::Format {
public:
    NpzArrays(std::string file, std::string bytes) : file_(std::move(file)), bytes_(std::move(bytes)) {}

    std::vector<std::string> names() const override {
        std::vector<std::string> names;
        for (const std::string& member : datasets::zip_members(bytes_, file_))
            if (member.ends_with(".npy")) names.push_back(member.substr(0, member.size() - 4));
        return names;
    }

    Array array(const std::string& name, const std::string& place) const override {
        return datasets::read_npy(place, datasets::unzip(bytes_, name + ".npy", largest_archive, file_));
    }

private:
    std::string file_, bytes_;
};

class Tensors final : public ArrayFile::Format {
public:
    explicit Tensors(const std::filesystem::path& path) : file_(path) {}

    std::vector<std::string> names() const override { return file_.names(); }
    Array array(const std::string& name, const std::string& place) const override { return file_.array(name, place); }

private:
    Safetensors file_;
};

std::unique_ptr<const ArrayFile::Format> format_of(const std::filesystem::path& path) {
    const std::string file = path.string(), front = datasets::front_bytes(path, 9);
    if (front.starts_with(hdf5_mark)) return std::make_unique<Hdf5Arrays>(file);
    if (front.starts_with("PK")) return std::make_unique<NpzArrays>(file, datasets::file_bytes(file, largest_archive));
    // safetensors has no mark; behind eight bytes of length its header begins, which is a JSON object.
    if (front.size() == 9 && front[8] == '{') return std::make_unique<Tensors>(path);
    refuse({file}, "is neither HDF5 nor .npz nor safetensors");
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& path)
    : file_(path.string()), format_(format_of(path)), names_(format_->names()) {}
ArrayFile::ArrayFile(ArrayFile&&) noexcept = default;
ArrayFile::~ArrayFile() = default;

Array ArrayFile::array(const std::string& name) const {
    const std::string own = name.starts_with('/') ? name.substr(1) : name, place = file_ + ":" + own;
    if (std::find(names_.begin(), names_.end(), own) == names_.end())
        refuse({place}, fmt::format("there is no such array; there are {}.{}",
                                    names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", ")),
                                    did_you_mean(own, names_)));
    Array array = format_->array(own, place);
    datasets::require_finite(place, array);
    return array;
}

}  // namespace rfbench::models
