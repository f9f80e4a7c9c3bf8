#pragma once
// Named arrays of numbers, as programs that hold queries and keys write them: HDF5, NumPy's .npz, safetensors.
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "rfbench/datasets/npy.hpp"

namespace rfbench::models {

using datasets::Array;

/// A file of named arrays. What it is follows from its content.
class ArrayFile {
public:
    /// Throws DataError, naming the file, where there is none, it is neither HDF5 nor .npz nor safetensors, or damaged.
    explicit ArrayFile(const std::filesystem::path&);
    ArrayFile(ArrayFile&&) noexcept;
    ~ArrayFile();

    /// HDF5: paths of datasets without the first slash; .npz: members without .npy; safetensors: tensors.
    const std::vector<std::string>& names() const { return names_; }

    /// The array of that name. HDF5: numbers of any type and width; .npz: as read_npy does; safetensors: floats of
    /// 16, 32 and 64 bits, whole numbers and truth values. Throws DataError, naming the file, the array and the entry
    /// (from 0), for an array that is not there (with those that are), of another type, of more than 2^28 numbers, and
    /// an entry that is not finite, as of a float16 that overflowed.
    Array array(const std::string& name) const;

    /// One kind of file.
    struct Format;

private:
    std::string file_;
    std::unique_ptr<const Format> format_;
    std::vector<std::string> names_;
    std::unordered_set<std::string> known_;
};

}  // namespace rfbench::models
