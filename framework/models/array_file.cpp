#include "rfbench/models/array_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/foreign.hpp"
#include "rfbench/datasets/hdf5_array.hpp"
#include "rfbench/datasets/hdf5_datasets.hpp"
#include "rfbench/datasets/npz.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/models/safetensors.hpp"
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

constexpr std::size_t max_archive_bytes = std::size_t{8} << 30;

class Hdf5Arrays final : public ArrayFile::Format {
public:
    explicit Hdf5Arrays(std::string file) : file_(std::move(file)) {}

    std::vector<std::string> names() const override {
        const store::Hdf5Session quiet;
        std::vector<std::string> names = datasets::hdf5_datasets(datasets::open_hdf5(file_), file_);
        // Paths in HDF5 begin with a slash.
        for (std::string& name : names) name.erase(0, 1);
        return names;
    }

    Array array(const std::string& name, const std::string& place) const override {
        const store::Hdf5Session quiet;
        const store::Handle file = datasets::open_hdf5(file_);
        return datasets::naming(place, [&] {
            const store::Handle data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "open it");
            return datasets::read_hdf5(place, file, data);
        });
    }

private:
    std::string file_;
};

class NpzArrays final : public ArrayFile::Format {
public:
    NpzArrays(const std::string& file, std::string bytes) : bytes_(std::move(bytes)), archive_(bytes_, file) {}

    std::vector<std::string> names() const override { return datasets::npz_names(archive_); }
    Array array(const std::string& name, const std::string& place) const override {
        return datasets::read_npz(archive_, name, place);
    }

private:
    std::string bytes_;
    datasets::Zip archive_;
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
    const std::string file = path.string(), front = datasets::front_bytes(path, 16);
    if (datasets::is_hdf5(path)) return std::make_unique<Hdf5Arrays>(file);
    if (datasets::is_zip(front))
        return std::make_unique<NpzArrays>(file, datasets::file_bytes(file, max_archive_bytes));
    // safetensors has no mark; after eight bytes of length its header begins, which is a JSON object.
    if (front.size() > 8 && front[8] == '{') return std::make_unique<Tensors>(path);
    datasets::refuse_foreign(file, front);
    refuse({file}, "is neither HDF5 nor .npz nor safetensors");
}

}  // namespace

ArrayFile::ArrayFile(const std::filesystem::path& path)
    : file_(path.string()), format_(format_of(path)), names_(format_->names()), known_(names_.begin(), names_.end()) {}
ArrayFile::ArrayFile(ArrayFile&&) noexcept = default;
ArrayFile::~ArrayFile() = default;

Array ArrayFile::array(const std::string& name) const {
    const std::string own = name.starts_with('/') ? name.substr(1) : name, place = file_ + ":" + own;
    if (!known_.contains(own))
        refuse({place}, fmt::format("there is no such array; there are {}.{}",
                                    names_.empty() ? "none" : fmt::format("{}", fmt::join(names_, ", ")),
                                    did_you_mean(own, names_)));
    Array array = format_->array(own, place);
    datasets::require_finite(place, array);
    return array;
}

}  // namespace rfbench::models
