#pragma once
// Weights of a model on disk, as Hugging Face's programs store them: one safetensors file, or several with an index.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "rfbench/models/safetensors.hpp"

namespace rfbench::models {

/// The files of a folder's weights: model.safetensors, or model.safetensors.index.json and the parts that it names;
/// empty where it has neither.
std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder);

/// Tensors by GPT-2's names, wherever they are. A name may have the prefix "transformer." or "model.", and wte.weight
/// may be stored as lm_head.weight, to which it is tied.
class WeightFiles {
public:
    /// Reads the headers. Throws DataError as Safetensors, for an index that is none, and naming a part that is
    /// missing.
    explicit WeightFiles(const std::filesystem::path& folder);

    /// Bytes of all files.
    std::uintmax_t bytes() const;

    /// Throws DataError naming file and tensor where it is not there or has another shape or type than a matrix or
    /// vector of weights, without reading an entry. Matrices of layers may be stored as nn.Linear does, transposed,
    /// when all of them are.
    void require_matrix(const std::string& name, Index rows, Index columns) const;
    void require_vector(const std::string& name, Index columns) const;

    /// The entries. Throw as above, and where one is not finite.
    Rows<float> matrix(const std::string& name, Index rows, Index columns) const;
    Eigen::RowVectorXf vector(const std::string& name, Index columns) const;

private:
    /// A tensor's file and its name there.
    struct Stored {
        const Safetensors* file;
        std::string name;
    };
    Stored find(const std::string& name) const;
    bool is_transposed(const std::string& name) const;

    std::vector<std::filesystem::path> paths_;
    std::vector<Safetensors> files_;
    std::map<std::string, std::size_t> file_of_;
};

}  // namespace rfbench::models
