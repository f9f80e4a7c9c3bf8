#pragma once
// A small model in GPT-2's files: weights by the rule of reference.py, the vocabulary that it wrote.
#include <bit>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/scene.hpp"
#include "rfbench/matrix.hpp"
#include "rfbench_places.hpp"
#include "support/temporary_folder.hpp"

namespace small_model {

using nlohmann::json;
using rfbench::Index;
using rfbench::tests::bytes_of;

inline const std::string source_folder = RFBENCH_SOURCE_DIR "/tests/models/";

/// Values that reference.py has computed.
inline const json& reference() {
    static const json value = json::parse(bytes_of(source_folder + "reference.json"));
    return value;
}

struct Stored {
    std::string name, type;
    std::vector<Index> shape;
    std::string bytes;
};

/// A header and what follows it.
inline std::string framed(const std::string& header, const std::string& data) {
    return scene::little_endian(header.size(), 8) + header + data;
}

inline std::string safetensors(const std::vector<Stored>& tensors) {
    json header = {{"__metadata__", {{"format", "pt"}}}};
    std::string data;
    for (const Stored& tensor : tensors) {
        header[tensor.name] = {{"dtype", tensor.type},
                               {"shape", tensor.shape},
                               {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
        data += tensor.bytes;
    }
    return framed(header.dump(), data);
}

inline std::string bytes_of_float(float value) { return scene::little_endian(std::bit_cast<std::uint32_t>(value), 4); }

/// The weights of reference.py, whose numbers have 16 bits and so are exact in float.
class Weights {
public:
    explicit Weights(const json& shape) : width_(shape["n_embd"]) {
        const Index inner = shape["n_inner"];
        draw("wte.weight", {shape["vocab_size"], width_}, 1);
        draw("wpe.weight", {shape["n_positions"], width_}, 1);
        for (Index i = 0; i < shape["n_layer"]; ++i) {
            const std::string layer = "h." + std::to_string(i) + ".";
            norm(layer + "ln_1");
            affine(layer + "attn.c_attn", width_, 3 * width_);
            affine(layer + "attn.c_proj", width_, width_);
            norm(layer + "ln_2");
            affine(layer + "mlp.c_fc", width_, inner);
            affine(layer + "mlp.c_proj", inner, width_);
        }
        norm("ln_f");
    }

    std::vector<Stored> tensors;

private:
    void draw(const std::string& name, const std::vector<Index>& shape, double scale, double offset = 0) {
        Index count = 1;
        for (const Index extent : shape) count *= extent;
        std::string bytes;
        for (Index i = 0; i < count; ++i) {
            state_ = state_ * 1664525u + 1013904223u;
            const double v = (static_cast<int>(state_ >> 16) - 32768) / 32768.0;
            bytes += bytes_of_float(static_cast<float>(offset + scale * v));
        }
        tensors.push_back({name, "F32", shape, bytes});
    }
    void norm(const std::string& name) {
        draw(name + ".weight", {width_}, 0.25, 1);
        draw(name + ".bias", {width_}, 0.25);
    }
    void affine(const std::string& name, Index rows, Index columns) {
        draw(name + ".weight", {rows, columns}, 0.5);
        draw(name + ".bias", {columns}, 0.25);
    }

    Index width_;
    std::uint32_t state_ = 1;
};

inline json configuration() {
    json config = reference()["shape"];
    config["model_type"] = "gpt2";
    config["activation_function"] = "gelu_new";
    return config;
}

/// A folder with the four files.
struct Folder : scene::Folder {
    Folder() {
        write("config.json", configuration().dump());
        write("model.safetensors", safetensors(Weights(reference()["shape"]).tensors));
        for (const char* name : {"vocab.json", "merges.txt"}) write(name, bytes_of(source_folder + name));
    }
};

}  // namespace small_model
