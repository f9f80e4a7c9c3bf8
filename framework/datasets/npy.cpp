#include "rfbench/datasets/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "rfbench/datasets/place.hpp"

namespace rfbench::datasets {
namespace {

constexpr std::size_t max_numbers = std::size_t{1} << 28;
constexpr std::string_view mark = "\x93NUMPY";

/// Value after 'key': in the header of an .npy file.
std::string_view header_value(std::string_view header, std::string_view key, std::string_view until,
                              const std::string& place) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    if (header.find(key, at + key.size()) != std::string_view::npos)
        refuse({place}, fmt::format("has the key {} twice in its header", key));
    const std::size_t begin = header.find_first_not_of(" :", at + key.size());
    const std::size_t end = header.find_first_of(until, begin);
    return end == std::string_view::npos ? std::string_view() : header.substr(begin, end - begin);
}

template <class Stored>
double number_at(const char* at) {
    Stored value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
}

/// A type as the header has it, without its quotes and byte order; its bytes, and the number in them.
struct Type {
    std::string_view name;
    std::size_t width;
    double (*read)(const char*);
};

constexpr Type types[] = {
    {"f2", 2, number_at<Eigen::half>},     {"f4", 4, number_at<float>},         {"f8", 8, number_at<double>},
    {"V2", 2, number_at<Eigen::bfloat16>}, {"b1", 1, number_at<std::uint8_t>},  {"i1", 1, number_at<std::int8_t>},
    {"u1", 1, number_at<std::uint8_t>},    {"i2", 2, number_at<std::int16_t>},  {"u2", 2, number_at<std::uint16_t>},
    {"i4", 4, number_at<std::int32_t>},    {"u4", 4, number_at<std::uint32_t>}, {"i8", 8, number_at<std::int64_t>},
    {"u8", 8, number_at<std::uint64_t>},
};

/// `descr` is as in the header: '<f4', its byte order first.
const Type& type_of(std::string_view descr, const std::string& place) {
    if (descr.size() == 5)
        for (const Type& type : types)
            if (type.name == descr.substr(2, 2)) return type;
    refuse({place}, fmt::format("is of type {}; floats of 16, 32 and 64 bits ('<f4'), whole numbers ('<i8') and truth "
                                "values ('|b1') are read",
                                descr));
}

/// Whole numbers beyond this are not all double's.
constexpr double first_rounded = 9007199254740992;  // 2^53, which 2^53 + 1 is read as, too

}  // namespace

std::size_t size_of(const std::string& place, const std::vector<Index>& shape) {
    std::size_t size = 1;
    for (const Index extent : shape) {
        if (extent < 1) refuse({place}, fmt::format("is empty ({})", fmt::join(shape, " x ")));
        if (static_cast<std::size_t>(extent) > max_numbers / size)
            refuse({place}, fmt::format("is {}; at most {} numbers are read", fmt::join(shape, " x "), max_numbers));
        size *= static_cast<std::size_t>(extent);
    }
    return size;
}

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

void require_exact(const std::string& place, const Array& array) {
    for (std::size_t i = 0; i < array.values.size(); ++i)
        if (std::abs(array.values[i]) >= first_rounded)
            refuse({place}, fmt::format("holds the whole number {:.0f} (entry {}), which double does not hold exactly",
                                        array.values[i], i));
}

Array with_axes(const Array& array, const std::vector<std::size_t>& from) {
    const std::size_t axes = from.size();
    std::vector<Index> strides(axes, 1), at(axes);
    for (std::size_t axis = axes; axis-- > 1;) strides[axis - 1] = strides[axis] * array.shape[axis];
    Array out;
    for (const std::size_t axis : from) out.shape.push_back(array.shape[axis]);
    out.values.reserve(array.values.size());
    Index place = 0;
    while (out.values.size() < array.values.size()) {
        out.values.push_back(array.values[static_cast<std::size_t>(place)]);
        // Counts up in the order of the result; where an axis begins again, the next slower one goes on.
        for (std::size_t axis = axes; axis-- > 0;) {
            place += strides[from[axis]];
            if (++at[axis] < out.shape[axis]) break;
            place -= at[axis] * strides[from[axis]];
            at[axis] = 0;
        }
    }
    return out;
}

void to_row_major(Array& array) {
    std::vector<std::size_t> reversed;
    for (std::size_t axis = array.shape.size(); axis-- > 0;) reversed.push_back(axis);
    std::reverse(array.shape.begin(), array.shape.end());
    array = with_axes(array, reversed);
}

Points points_of(const std::string& place, const Array& array) {
    if (array.shape.size() != 2)
        refuse({place}, "has " + std::to_string(array.shape.size()) + (array.shape.size() == 1 ? " axis" : " axes") +
                            "; points are two-dimensional, one point a row");
    require_finite(place, array);
    return Eigen::Map<const Points>(array.values.data(), array.shape[0], array.shape[1]);
}

bool is_npy(std::string_view bytes) { return bytes.starts_with(mark); }

Array read_npy(const std::string& place, std::string_view bytes) {
    if (bytes.size() < 12 || !is_npy(bytes)) refuse({place}, "is no NumPy array");
    // Version 1 has the length of its header in two bytes, later ones have it in four.
    const bool wide = bytes[6] > 1;
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 8, wide ? 4 : 2);
    const std::size_t begin = (wide ? 12u : 10u) + std::size_t{length};
    if (begin > bytes.size()) refuse({place}, "is cut short");
    const std::string_view header = bytes.substr(wide ? 12 : 10, length);
    const std::string_view descr = header_value(header, "'descr'", ",}", place);
    const Type& type = type_of(descr, place);

    Array array;
    std::string_view extents = header_value(header, "'shape'", ")", place);
    // "(3, 4" or "(3,": numbers, with commas and spaces between them.
    for (const char* at = extents.data(); at < extents.data() + extents.size();) {
        Index extent = 0;
        const auto [end, error] = std::from_chars(at, extents.data() + extents.size(), extent);
        if (error == std::errc{}) array.shape.push_back(extent);
        if (error != std::errc{} && std::string_view("(, ").find(*at) == std::string_view::npos)
            refuse({place}, "has a shape that is none: " + in_quotes(std::string(extents) + ")"));
        at = error == std::errc{} ? end : at + 1;
    }
    // Looked at before there is room for them: a header may claim any number.
    const std::size_t size = size_of(place, array.shape);
    if (bytes.size() - begin != type.width * size)
        refuse({place}, fmt::format("has {} bytes for {} numbers of {}", bytes.size() - begin, size, type.width));
    array.values.resize(size);
    // Whole numbers of 32 bits and less are all double's.
    const bool whole = type.width == 8 && type.read != number_at<double>;
    const bool big_endian = descr[1] == '>';
    char number[8] = {};
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        std::memcpy(number, bytes.data() + begin + i * type.width, type.width);
        if (big_endian) std::reverse(number, number + type.width);
        array.values[i] = type.read(number);
    }
    if (whole) require_exact(place, array);
    const std::string_view order = header_value(header, "'fortran_order'", ",} \n", place);
    if (order != "True" && order != "False") refuse({place}, "does not say whether 'fortran_order' is True or False");
    if (order == "True") to_row_major(array);
    return array;
}

std::string npy_text(const std::vector<std::size_t>& shape, std::span<const double> values) {
    std::size_t size = 1;
    std::string extents;
    for (const std::size_t extent : shape) {
        size *= extent;
        extents += fmt::format("{},", extent);
    }
    if (size != values.size())
        throw std::invalid_argument(fmt::format("npy_text: {} values of the shape ({})", values.size(), extents));
    std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", extents);
    // So that numbers begin at a multiple of 64 bytes.
    header.append(63 - (mark.size() + 4 + header.size()) % 64, ' ');
    header += '\n';
    const auto length = static_cast<std::uint16_t>(header.size());
    std::string text(mark);
    text.append("\1\0", 2).append(reinterpret_cast<const char*>(&length), sizeof length).append(header);
    return text.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

}  // namespace rfbench::datasets
