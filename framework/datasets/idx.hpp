#pragma once
// The IDX format of the MNIST files: two zero bytes, the element type, the number of dimensions, each dimension as a
// big-endian 32-bit number, then the elements in row-major order. Source: LeCun, Cortes, Burges, "The MNIST database".
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rfbench::datasets {

struct IdxArray {
    std::vector<std::size_t> shape;    ///< at least one dimension
    std::vector<std::uint8_t> values;  ///< product of the shape, the last dimension varies fastest
};

/// Reads unsigned bytes (type 0x08) in `dimensions` dimensions. `file` names the data in messages. Throws DataError
/// when the mark, the type, the number of dimensions or the length is not right.
IdxArray read_idx(std::string_view bytes, std::size_t dimensions, std::string_view file);

}  // namespace rfbench::datasets
