#include <fmt/format.h>
#include <hdf5_hl.h>

#include <new>

#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_handle.hpp"
#include "rfbench/store/hdf5_image.hpp"

namespace rfbench::store {
namespace {

Handle open_image(std::span<const std::byte> image) {
    const Handle access = memory_access();
    // The library copies the image; it only fails to say const.
    check_hdf5(H5Pset_file_image(access, const_cast<std::byte*>(image.data()), image.size()), "take the file's bytes");
    return {H5Fopen("image in memory", H5F_ACC_RDONLY, access), H5Fclose, "open the file"};
}

Handle open(hid_t file, const std::string& name) {
    return {H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, fmt::format("open '{}'", name)};
}

// In the order of their creation.
std::vector<std::string> names(hid_t file) {
    std::vector<std::string> list;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
        static_cast<std::vector<std::string>*>(into)->push_back(name);
        return 0;
    };
    hsize_t at = 0;
    check_hdf5(H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, add, &list), "list what the file contains");
    return list;
}

H5T_class_t type_class(hid_t type) {
    // Texts of fixed length are not ours: they count as a class that nobody expects.
    const H5T_class_t found = H5Tget_class(type);
    return found == H5T_STRING && H5Tis_variable_str(type) <= 0 ? H5T_OPAQUE : found;
}

void expect_type(hid_t type, H5T_class_t expected, const std::string& name) {
    if (type_class(type) != expected)
        throw Error(fmt::format("'{}' is not {}", name,
                                expected == H5T_STRING ? "text of variable length" : "made of floating-point numbers"));
}

std::vector<double> read_numbers(hid_t dataset, const std::string& name) {
    const Handle type(H5Dget_type(dataset), H5Tclose, fmt::format("tell the type of '{}'", name));
    expect_type(type, H5T_FLOAT, name);
    std::size_t count = 1;
    for (const hsize_t size : extents(dataset, name))
        // A damaged shape asks for too much memory, whether that can be counted or not.
        if (__builtin_mul_overflow(count, std::size_t(size), &count)) throw std::bad_alloc();
    std::vector<double> values(count);
    if (count > 0)
        check_hdf5(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                   fmt::format("read '{}'", name));
    return values;
}

// Texts that the library has allocated, given back to it.
class Texts {
public:
    Texts(hid_t type, hid_t space, std::size_t count) : type_(type), space_(space), pointers_(count, nullptr) {}
    ~Texts() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, pointers_.data()); }
    Texts(const Texts&) = delete;
    Texts& operator=(const Texts&) = delete;

    void* data() { return pointers_.data(); }
    std::vector<std::string> strings() const {
        std::vector<std::string> list;
        for (const char* text : pointers_) list.emplace_back(text == nullptr ? "" : text);
        return list;
    }

private:
    hid_t type_, space_;
    std::vector<char*> pointers_;
};

std::vector<std::string> read_words(hid_t dataset, const std::string& name, std::size_t count) {
    if (count == 0) return {};
    const Handle type = text_type();
    const Handle space(H5Dget_space(dataset), H5Sclose, fmt::format("tell the shape of '{}'", name));
    Texts texts(type, space, count);
    check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), fmt::format("read '{}'", name));
    return texts.strings();
}

std::string read_text(hid_t object, const std::string& name) {
    const std::string what = fmt::format("read the attribute '{}'", name);
    const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what);
    const Handle stored(H5Aget_type(attribute), H5Tclose, what), space(H5Aget_space(attribute), H5Sclose, what);
    expect_type(stored, H5T_STRING, name);
    if (check_hdf5(H5Sget_simple_extent_npoints(space), what) != 1)
        throw Error(fmt::format("the attribute '{}' is not a single text", name));
    const Handle type = text_type();
    Texts texts(type, space, 1);
    check_hdf5(H5Aread(attribute, type, texts.data()), what);
    return texts.strings().front();
}

std::string text_if_there(hid_t object, const char* name) {
    return check_hdf5(H5Aexists(object, name), "look for an attribute") > 0 ? read_text(object, name) : std::string();
}

Axis read_axis(hid_t dataset, const std::string& name) {
    Axis axis{name, std::vector<double>{}, text_if_there(dataset, "units"), text_if_there(dataset, "long_name")};
    const auto shape = extents(dataset, name);
    if (shape.size() != 1) throw Error(fmt::format("the axis '{}' has {} dimensions", name, shape.size()));
    const Handle type(H5Dget_type(dataset), H5Tclose, fmt::format("tell the type of '{}'", name));
    if (type_class(type) == H5T_STRING)
        axis.labels = read_words(dataset, name, std::size_t(shape[0]));
    else
        axis.labels = read_numbers(dataset, name);
    return axis;
}

// The name of the one scale of a dimension.
std::string axis_name(hid_t dataset, unsigned dimension, const std::string& variable) {
    std::string path;
    const auto take = [](hid_t, unsigned, hid_t scale, void* into) -> herr_t {
        auto& text = *static_cast<std::string*>(into);
        // The length of the name, then the name; the 1 that is returned ends the iteration at the first scale.
        const ssize_t length = H5Iget_name(scale, nullptr, 0);
        if (length <= 0) return -1;
        text.resize(std::size_t(length) + 1);
        H5Iget_name(scale, text.data(), text.size());
        text.pop_back();
        return 1;
    };
    check_hdf5(H5DSiterate_scales(dataset, dimension, nullptr, take, &path),
               fmt::format("tell the axes of '{}'", variable));
    if (path.size() < 2) throw Error(fmt::format("dimension {} of '{}' has no axis", dimension, variable));
    // Without the '/' that all paths in a file begin with.
    return path.substr(1);
}

Variable read_variable(hid_t dataset, const std::string& name) {
    Variable variable{
        name, {}, read_numbers(dataset, name), text_if_there(dataset, "units"), text_if_there(dataset, "long_name")};
    for (unsigned i = 0; i < extents(dataset, name).size(); ++i) variable.axes.push_back(axis_name(dataset, i, name));
    return variable;
}

std::map<std::string, std::string> read_attributes(hid_t file) {
    std::vector<std::string> list;
    const auto add = [](hid_t, const char* name, const H5A_info_t*, void* into) -> herr_t {
        static_cast<std::vector<std::string>*>(into)->push_back(name);
        return 0;
    };
    hsize_t at = 0;
    check_hdf5(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &at, add, &list), "list the attributes of the file");
    std::map<std::string, std::string> attributes;
    for (const std::string& name : list) attributes[name] = read_text(file, name);
    return attributes;
}

}  // namespace

Dataset from_image(std::span<const std::byte> image) {
    const Hdf5Session quiet;
    const Handle file = open_image(image);
    Dataset data;
    for (const std::string& name : names(file)) {
        const Handle dataset = open(file, name);
        // Axes are dimension scales, and all other datasets are variables.
        if (H5DSis_scale(dataset) > 0)
            data.axes.push_back(read_axis(dataset, name));
        else
            data.variables.push_back(read_variable(dataset, name));
    }
    data.attributes = read_attributes(file);
    return data;
}

}  // namespace rfbench::store
