#pragma once
// The safetensors format of trained weights: the length of a header (8 bytes, little-endian), the header in JSON (each
// tensor's type, shape and place), then the tensors' entries in row-major order, little-endian, without gaps.
// Source: Hugging Face, "Safetensors", section Format.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/models/array_file.hpp"

namespace rfbench::models {

/// A tensor of floats to be written.
struct NamedTensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::span<const float> entries;
};

/// A whole file: the header, padded with spaces to a multiple of eight bytes, then the entries as F32, in the order
/// given. Throws std::invalid_argument naming a tensor whose entries are not as many as its shape says.
std::string safetensors_text(const std::vector<NamedTensor>&);

class Safetensors {
public:
    /// Reads and checks the header; entries are read when they are asked for. Throws DataError naming the file and the
    /// tensor when the file is cut short, the header is no JSON, a type has no name, a shape does not fit the bytes, or
    /// tensors overlap, leave gaps or go beyond the file's end.
    explicit Safetensors(const std::filesystem::path&);

    bool has(const std::string& tensor) const { return tensors_.contains(tensor); }

    /// The extents of a tensor. Throws DataError where there is none.
    const std::vector<std::size_t>& shape(const std::string& tensor) const { return find(tensor).shape; }
    /// Throws DataError naming the tensor when there is none, or its type or shape is not that of such weights.
    void require(const std::string& tensor, const std::vector<std::size_t>& shape) const;

    /// The entries of a tensor of type F32, F16 or BF16 and of shape [rows, columns], or [columns]. Throws DataError
    /// naming the tensor when there is none, its type or shape is another, or an entry is not finite.
    Rows<float> matrix(const std::string& tensor, Index rows, Index columns) const;
    Eigen::RowVectorXf vector(const std::string& tensor, Index columns) const;
    /// The names of all tensors.
    std::vector<std::string> names() const;
    /// The entries of a tensor of any shape, of floats, whole numbers or truth values, finite or not. Throws DataError
    /// at `place` where its type is another, it has no entries, or a whole number is none that double holds.
    Array array(const std::string& name, const std::string& place) const;

private:
    struct Tensor {
        std::string type;
        std::vector<std::size_t> shape;
        std::size_t begin, end;  // from the end of the header
    };

    void read_header();
    void check_places() const;
    const Tensor& find(const std::string& name) const;
    /// Into room for as many numbers as the tensor has entries.
    template <class Number>
    void copy_entries(const Tensor&, const std::string& what, Number* out) const;
    void read(const std::string& name, const std::vector<std::size_t>& shape, float* out) const;

    std::string name_;
    mutable std::ifstream file_;
    std::size_t data_begin_ = 0, data_size_ = 0;
    std::map<std::string, Tensor> tensors_;
};

}  // namespace rfbench::models
