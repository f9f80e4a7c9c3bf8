#include "rfbench/models/gpt2_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/models/safetensors.hpp"

namespace rfbench::models {

using datasets::in_quotes;
using datasets::refuse;
using nlohmann::json;

namespace {

constexpr const char* file_names[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
constexpr std::size_t largest_config = std::size_t{1} << 20, largest_text = std::size_t{1} << 30;

const std::string how_to_get = fmt::format(
    "A model is the files {}; GPT-2's are at https://huggingface.co/openai-community/gpt2/resolve/main/FILE"
    " (curl --location --create-dirs --output FOLDER/FILE ADDRESS, then name the model FOLDER)",
    fmt::join(file_names, ", "));

/// Refuses a folder in which one of the files is missing.
void check_folder(const std::filesystem::path& folder) {
    if (!std::filesystem::is_directory(folder)) refuse({folder.string()}, "there is no such folder. " + how_to_get);
    std::vector<std::string> missing;
    for (const char* name : file_names)
        if (!std::filesystem::exists(folder / name)) missing.push_back(name);
    if (!missing.empty()) refuse({folder.string()}, fmt::format("has no {}. {}", fmt::join(missing, ", "), how_to_get));
}

/// config.json, whose keys have one meaning each.
class Configuration {
public:
    explicit Configuration(const std::string& file)
        : file_(file), keys_(parse_json(datasets::file_bytes(file, largest_config), file)) {
        if (!keys_.is_object()) refuse({file_}, "is no JSON object");
    }

    bool has(const char* key) const { return keys_.contains(key) && !keys_.at(key).is_null(); }

    Index count(const char* key) const {
        const json& value = at(key);
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > 1'000'000'000)
            refuse({file_}, fmt::format("{} is {}; a whole number from 1 is needed", key, value.dump()));
        return value.get<Index>();
    }

    double positive(const char* key) const {
        const json& value = at(key);
        if (!value.is_number() || !(value.get<double>() > 0))
            refuse({file_}, fmt::format("{} is {}; a number above 0 is needed", key, value.dump()));
        return value.get<double>();
    }

    /// Refuses another value than `allowed`; a key that is left out has it.
    void only(const char* key, const json& allowed) const {
        if (has(key) && keys_.at(key) != allowed)
            refuse({file_},
                   fmt::format("{} is {}; only {} is computed here", key, keys_.at(key).dump(), allowed.dump()));
    }

    const std::string& file() const { return file_; }

private:
    const json& at(const char* key) const {
        if (!has(key)) refuse({file_}, fmt::format("has no key {}", key));
        return keys_.at(key);
    }

    std::string file_;
    json keys_;
};

/// Tensors under the names of the Hugging Face layout.
template <class Scalar>
class Weights {
public:
    Weights(const std::filesystem::path& file, Index width) : file_(file), width_(width) {
        if (file_.has("transformer.wte.weight")) prefix_ = "transformer.";
    }

    Rows<Scalar> matrix(const std::string& name, Index rows, Index columns) const {
        return file_.matrix(prefix_ + name, rows, columns).template cast<Scalar>();
    }
    RowVector<Scalar> vector(const std::string& name, Index columns) const {
        return file_.vector(prefix_ + name, columns).template cast<Scalar>();
    }
    Norm<Scalar> norm(const std::string& name) const {
        return {vector(name + ".weight", width_), vector(name + ".bias", width_)};
    }
    Affine<Scalar> affine(const std::string& name, Index rows, Index columns) const {
        return {matrix(name + ".weight", rows, columns), vector(name + ".bias", columns)};
    }

private:
    Safetensors file_;
    Index width_;
    std::string prefix_;
};

}  // namespace

std::filesystem::path find_model(const std::string& name, const datasets::Places& places) {
    std::vector<std::filesystem::path> looked{name};
    if (!places.data_folder.empty()) looked.push_back(places.data_folder / name);
    for (const auto& cache : places.caches) looked.push_back(cache / name);
    std::vector<std::string> names;
    for (const auto& folder : looked) {
        if (std::filesystem::is_directory(folder)) return folder;
        names.push_back(folder.string());
    }
    throw datasets::DataError(fmt::format("there is no folder of the model {}: looked at {}. {}", in_quotes(name),
                                          fmt::join(names, ", "), how_to_get));
}

Gpt2Shape read_shape(const std::filesystem::path& folder) {
    check_folder(folder);
    const Configuration config((folder / "config.json").string());
    config.only("model_type", "gpt2");
    config.only("activation_function", "gelu_new");
    config.only("scale_attn_weights", true);
    config.only("scale_attn_by_inverse_layer_idx", false);
    config.only("add_cross_attention", false);
    config.only("tie_word_embeddings", true);
    Gpt2Shape shape{config.count("n_layer"),
                    config.count("n_head"),
                    config.count("n_embd"),
                    0,
                    0,
                    config.count("vocab_size"),
                    config.positive("layer_norm_epsilon")};
    shape.inner = config.has("n_inner") ? config.count("n_inner") : 4 * shape.width;
    shape.positions = config.count(config.has("n_ctx") && !config.has("n_positions") ? "n_ctx" : "n_positions");
    if (shape.width % shape.heads != 0)
        refuse({config.file()},
               fmt::format("n_embd is {}, which is not a multiple of n_head, {}", shape.width, shape.heads));
    return shape;
}

template <class Scalar>
Gpt2<Scalar> read_gpt2(const std::filesystem::path& folder) {
    const Gpt2Shape shape = read_shape(folder);
    const Index width = shape.width;
    const Weights<Scalar> weights(folder / "model.safetensors", width);
    Gpt2<Scalar> model{shape,
                       weights.matrix("wte.weight", shape.vocabulary, width),
                       weights.matrix("wpe.weight", shape.positions, width),
                       {},
                       weights.norm("ln_f")};
    for (Index i = 0; i < shape.layers; ++i) {
        const std::string layer = "h." + std::to_string(i) + ".";
        model.layers.push_back({weights.norm(layer + "ln_1"), weights.norm(layer + "ln_2"),
                                weights.affine(layer + "attn.c_attn", width, 3 * width),
                                weights.affine(layer + "attn.c_proj", width, width),
                                weights.affine(layer + "mlp.c_fc", width, shape.inner),
                                weights.affine(layer + "mlp.c_proj", shape.inner, width)});
    }
    return model;
}

BytePairs read_byte_pairs(const std::filesystem::path& folder) {
    check_folder(folder);
    return BytePairs(folder / "vocab.json", folder / "merges.txt");
}

template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const std::filesystem::path& folder, const std::filesystem::path& text,
                                                 Index most) {
    const Gpt2Shape shape = read_shape(folder);
    if (most < 1 || most > shape.positions)
        refuse({folder.string()}, fmt::format("{} tokens are asked for; 1 to {}, the model's positions, are allowed",
                                              most, shape.positions));
    const BytePairs pairs = read_byte_pairs(folder);
    if (static_cast<Index>(pairs.size()) > shape.vocabulary)
        refuse({folder.string()}, fmt::format("vocab.json has {} tokens, but vocab_size in config.json is {}",
                                              pairs.size(), shape.vocabulary));
    const std::string name = text.string();
    const auto tokens = pairs.encode(datasets::file_bytes(name, largest_text), name, static_cast<std::size_t>(most));
    if (tokens.empty()) refuse({name}, "is empty; at least one token is needed");
    return heads(read_gpt2<Scalar>(folder), tokens);
}

template Gpt2<float> read_gpt2(const std::filesystem::path&);
template Gpt2<double> read_gpt2(const std::filesystem::path&);
template std::vector<std::vector<HeadRows<float>>> heads(const std::filesystem::path&, const std::filesystem::path&,
                                                         Index);
template std::vector<std::vector<HeadRows<double>>> heads(const std::filesystem::path&, const std::filesystem::path&,
                                                          Index);

}  // namespace rfbench::models
