#include "rfbench/datasets/idx.hpp"

#include <string>

#include "rfbench/datasets/place.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::datasets {

namespace {

std::size_t big_endian(std::string_view bytes) {
    std::size_t value = 0;
    for (const char c : bytes) value = value * 256 + static_cast<unsigned char>(c);
    return value;
}

std::string hexadecimal(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += out.empty() ? "" : " ";
        out += {digits[byte / 16], digits[byte % 16]};
    }
    return out;
}

}  // namespace

IdxArray read_idx(std::string_view bytes, std::size_t dimensions, std::string_view file) {
    if (bytes.size() < 4) {
        refuse({file}, "is no IDX file: it has " + std::to_string(bytes.size()) + " bytes, the header alone needs 4");
    }
    if (bytes[0] != 0 || bytes[1] != 0) {
        refuse({file}, "is no IDX file: it begins with " + hexadecimal(bytes.substr(0, 4)) + ", not with 00 00");
    }
    // Byte 2 is the type of elements, byte 3 the number of dimensions.
    if (bytes[2] != 0x08) {
        refuse({file}, "holds IDX elements of type " + hexadecimal(bytes.substr(2, 1)) +
                           "; only 08 (unsigned bytes) is read here");
    }
    const std::size_t found = big_endian(bytes.substr(3, 1));
    if (found != dimensions) {
        refuse({file},
               "has " + counted(found, "IDX dimension") + "; " + std::to_string(dimensions) + " are expected here");
    }
    const std::size_t header = 4 + 4 * dimensions;
    if (bytes.size() < header) {
        refuse({file}, "is cut short inside its header: " + std::to_string(bytes.size()) + " bytes of " +
                           std::to_string(header));
    }

    // The product is compared by division: a hostile header must not overflow it.
    IdxArray array;
    const std::size_t present = bytes.size() - header;
    std::size_t expected = 1;
    std::string shape;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::size_t extent = big_endian(bytes.substr(4 + 4 * i, 4));
        shape += (i ? " x " : "") + std::to_string(extent);
        array.shape.push_back(extent);
        if (extent == 0) refuse({file}, "is empty: its header says " + shape);
        expected = expected > present / extent ? present + 1 : expected * extent;
    }
    if (expected != present) {
        refuse({file}, "holds " + std::to_string(present) + " elements, but its header says " + shape);
    }
    array.values.assign(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end());
    return array;
}

}  // namespace rfbench::datasets
