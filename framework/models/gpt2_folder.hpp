#pragma once
// A GPT-2 model on disk, in the Hugging Face layout: config.json, model.safetensors, vocab.json and merges.txt in one
// folder. Weights may be in parts with an index (weight_files.hpp). A tokenizer.json goes before the other two files of
// tokens.
#include <filesystem>
#include <string>

#include "rfbench/datasets/places.hpp"
#include "rfbench/models/byte_pairs.hpp"
#include "rfbench/models/gpt2.hpp"

namespace rfbench::models {

/// The first folder there is: `name` as a path, $RFBENCH_DATA/name, data/cache/name in the project, then the user's
/// cache. Throws DataError that lists the places and says how to get GPT-2.
std::filesystem::path find_model(const std::string& name, const datasets::Places&);

/// The model's shape and weights. Throws DataError naming the file and the key or tensor: a file that is missing (with
/// the way to get it), keys that are missing, an architecture that is not that of gpt2.hpp, tensors of other shapes.
/// Tensors may have the names of weight_files.hpp; those that the model does not use are not read.
networks::TransformerShape read_shape(const std::filesystem::path& folder);
template <class Scalar>
Gpt2<Scalar> read_gpt2(const std::filesystem::path& folder);

/// Tokens of models that are trained here: bytes, whose numbers are their values.
inline constexpr int byte_tokens = 256;

/// Writes a network over bytes with these values of its parameters as the four files, each whole or not at all; pairs
/// of bytes are never joined. Throws std::invalid_argument for a network that these files cannot say, and store::Error
/// as store::write_file does.
void write_gpt2(const std::filesystem::path& folder, const networks::Transformer&, const Eigen::VectorXf& values);

/// Throws DataError as read_gpt2() for all that names, types and shapes show, without reading a weight.
void require_weights(const std::filesystem::path& folder);

/// Throws DataError as BytePairs, and when there are more tokens than the model has.
BytePairs read_byte_pairs(const std::filesystem::path& folder);

/// All files that a model is read from.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& folder);

/// Q, K and V of every layer and head, [layer][head], for the first `most` tokens of a UTF-8 text, or all when it has
/// fewer. Throws DataError as above, and when the text is empty or `most` is not within 1 .. positions.
template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const std::filesystem::path& folder, const std::filesystem::path& text,
                                                 Index most);

}  // namespace rfbench::models
