#include "rfbench/models/gpt2_folder.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/models/byte_alphabet.hpp"
#include "rfbench/models/safetensors.hpp"
#include "rfbench/models/weight_files.hpp"
#include "rfbench/store/atomic_file.hpp"

namespace rfbench::models {

using datasets::in_quotes;
using datasets::refuse;
using nlohmann::json;

namespace {

constexpr const char* file_names[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
// Ten times the largest that have been published: no layout of such a network takes long or overflows.
constexpr std::uint64_t max_layers = 1024, widest = 1 << 17, max_positions = 10'000'000;
constexpr std::size_t max_config_bytes = std::size_t{1} << 20, max_text = std::size_t{1} << 30;

const std::string how_to_get = fmt::format(
    "A model is the files {}; GPT-2's are at https://huggingface.co/openai-community/gpt2/resolve/main/FILE"
    " (curl --location --create-dirs --output FOLDER/FILE ADDRESS, then name the model FOLDER)",
    fmt::join(file_names, ", "));

/// Refuses a folder in which one of the files is missing, and what may stand in its place.
void check_folder(const std::filesystem::path& folder) {
    if (!std::filesystem::is_directory(folder)) refuse({folder.string()}, "there is no such folder. " + how_to_get);
    const auto has = [&](const char* name) { return std::filesystem::exists(folder / name); };
    if (weight_files(folder).empty() && has("pytorch_model.bin"))
        refuse({folder.string()},
               "has weights in pytorch_model.bin, a file of torch.save; write them as safetensors: "
               "model.save_pretrained(FOLDER, safe_serialization=True)");
    std::vector<std::string> missing;
    for (const std::string name : file_names) {
        const bool in_place = name == file_names[1]   ? !weight_files(folder).empty()
                              : name == file_names[0] ? false
                                                      : has("tokenizer.json");
        if (!has(name.c_str()) && !in_place) missing.push_back(name);
    }
    if (!missing.empty()) refuse({folder.string()}, fmt::format("has no {}. {}", fmt::join(missing, ", "), how_to_get));
}

/// config.json, whose keys have one meaning each.
class Configuration {
public:
    explicit Configuration(const std::string& file)
        : file_(file), keys_(parse_json(datasets::file_bytes(file, max_config_bytes), file)) {
        if (!keys_.is_object()) refuse({file_}, "is no JSON object");
    }

    /// null stands for a key that is left out.
    bool has(const char* key) const { return keys_.contains(key) && !keys_.at(key).is_null(); }

    Index count(const char* key, std::uint64_t most) const {
        const json& value = at(key);
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > most)
            refuse({file_},
                   fmt::format("{} is {}; a whole number from 1 to {} is needed", key, json_shown(value), most));
        return value.get<Index>();
    }

    double positive(const char* key) const {
        const json& value = at(key);
        if (!value.is_number() || !(value.get<double>() > 0))
            refuse({file_}, fmt::format("{} is {}; a number above 0 is needed", key, json_shown(value)));
        return value.get<double>();
    }

    /// Refuses another value than `allowed`; a key that is left out has it.
    void only(const char* key, const json& allowed) const {
        if (has(key) && keys_.at(key) != allowed)
            refuse({file_}, fmt::format("{} is {}; only {} is computed here", key, json_shown(keys_.at(key)),
                                        json_shown(allowed)));
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

/// Whether the files have a parameter as a vector; of matrices with one row they have not.
bool is_vector(const networks::Parameter& parameter) {
    return parameter.name.ends_with(".bias") || parameter.name.find("ln_") != std::string::npos;
}

void require_weights(const std::filesystem::path& folder, const networks::Transformer& network,
                     const WeightFiles& files) {
    // A parameter takes two bytes or four: room for it is made only where the files can have it.
    if (static_cast<std::uint64_t>(network.layout().size()) > files.bytes())
        refuse({(folder / "config.json").string()},
               fmt::format("asks for {} parameters; model.safetensors has {} bytes", network.layout().size(),
                           files.bytes()));
    for (const networks::Parameter& parameter : network.layout().all()) {
        if (is_vector(parameter))
            files.require_vector(parameter.name, parameter.columns);
        else
            files.require_matrix(parameter.name, parameter.rows, parameter.columns);
    }
}

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

networks::TransformerShape read_shape(const std::filesystem::path& folder) {
    check_folder(folder);
    const Configuration config((folder / "config.json").string());
    // Refuses, rather than ignores, settings that would change the outputs and are not computed here.
    config.only("model_type", "gpt2");
    config.only("activation_function", "gelu_new");
    config.only("scale_attn_weights", true);
    config.only("scale_attn_by_inverse_layer_idx", false);
    config.only("add_cross_attention", false);
    config.only("tie_word_embeddings", true);
    networks::TransformerShape shape;
    shape.layers = config.count("n_layer", max_layers);
    shape.heads = config.count("n_head", widest);
    shape.width = config.count("n_embd", widest);
    shape.vocabulary = config.count("vocab_size", max_positions);
    shape.epsilon = config.positive("layer_norm_epsilon");
    shape.inner = config.has("n_inner") ? config.count("n_inner", 16 * widest) : 4 * shape.width;
    shape.positions =
        config.count(config.has("n_ctx") && !config.has("n_positions") ? "n_ctx" : "n_positions", max_positions);
    if (shape.width % shape.heads != 0)
        refuse({config.file()},
               fmt::format("n_embd is {}, which is not a multiple of n_head, {}", shape.width, shape.heads));
    return gpt2_shape(shape);
}

void require_weights(const std::filesystem::path& folder) {
    require_weights(folder, networks::Transformer(read_shape(folder)), WeightFiles(folder));
}

template <class Scalar>
Gpt2<Scalar> read_gpt2(const std::filesystem::path& folder) {
    networks::Transformer network(read_shape(folder));
    const WeightFiles files(folder);
    require_weights(folder, network, files);
    networks::Column<Scalar> values(network.layout().size());
    for (const networks::Parameter& parameter : network.layout().all()) {
        auto own = networks::view(values, parameter);
        if (is_vector(parameter))
            own = files.vector(parameter.name, parameter.columns).template cast<Scalar>();
        else
            own = files.matrix(parameter.name, parameter.rows, parameter.columns).template cast<Scalar>();
    }
    networks::Weights<Scalar> weights(network.layout(), std::move(values), networks::Passes::forward);
    return {std::move(network), std::move(weights)};
}

void write_gpt2(const std::filesystem::path& folder, const networks::Transformer& network,
                const Eigen::VectorXf& values) {
    const networks::TransformerShape& shape = network.shape();
    const auto refuse_shape = [](const std::string& what) {
        throw std::invalid_argument("gpt2: its layout cannot hold " + what);
    };
    if (shape.vocabulary != byte_tokens)
        refuse_shape("a vocabulary of " + std::to_string(shape.vocabulary) + " tokens in place of the 256 bytes");
    if (shape.norm != networks::NormPlace::before || shape.gelu != networks::Gelu::by_tanh ||
        shape.read_out != networks::ReadOutOf::tied || shape.visible != attention::Visible::causal ||
        shape.class_token || shape.convolution > 0 || shape.parts != networks::LayerParts::all)
        refuse_shape("another architecture");
    if (shape.beside.gate || shape.beside.convolution > 0)
        refuse_shape("a gate or a convolution beside the heads of a layer");
    if (values.size() != network.layout().size())
        throw std::invalid_argument("gpt2: " + std::to_string(values.size()) + " values for a network that has " +
                                    std::to_string(network.layout().size()));
    std::vector<NamedTensor> tensors;
    for (const networks::Parameter& parameter : network.layout().all()) {
        if (parameter.name.find(".head.") != std::string::npos) refuse_shape("heads whose attention has parameters");
        std::vector<std::size_t> extents{static_cast<std::size_t>(parameter.columns)};
        if (!is_vector(parameter)) extents.insert(extents.begin(), static_cast<std::size_t>(parameter.rows));
        tensors.push_back(
            {parameter.name, extents, {values.data() + parameter.first, static_cast<std::size_t>(parameter.size())}});
    }
    const json config{{"model_type", "gpt2"},
                      {"architectures", {"GPT2LMHeadModel"}},
                      {"activation_function", "gelu_new"},
                      {"n_layer", shape.layers},
                      {"n_head", shape.heads},
                      {"n_embd", shape.width},
                      {"n_inner", shape.inner},
                      {"n_positions", shape.positions},
                      {"vocab_size", shape.vocabulary},
                      {"layer_norm_epsilon", shape.epsilon}};
    json vocabulary = json::object();
    for (int byte = 0; byte < byte_tokens; ++byte) vocabulary[spelled_byte(static_cast<unsigned char>(byte))] = byte;
    // All refusals come before the first file is written.
    std::filesystem::create_directories(folder);
    store::remove_temporaries_beside(folder / "config.json");
    store::write_file(folder / "config.json", config.dump(1) + "\n");
    store::write_file(folder / "vocab.json", vocabulary.dump(1) + "\n");
    store::write_file(folder / "merges.txt", "#version: 0.2\n");
    store::write_file(folder / "model.safetensors", safetensors_text(tensors));
}

BytePairs read_byte_pairs(const std::filesystem::path& folder) {
    const networks::TransformerShape shape = read_shape(folder);
    // tokenizer.json has the added tokens, too.
    const bool two =
        !std::filesystem::exists(folder / "tokenizer.json") && std::filesystem::exists(folder / "vocab.json");
    if (two && std::filesystem::exists(folder / "added_tokens.json"))
        refuse({(folder / "added_tokens.json").string()},
               "has tokens that only a tokenizer.json says how to find in a text; save the tokenizer with one");
    BytePairs pairs =
        two ? BytePairs(folder / "vocab.json", folder / "merges.txt") : BytePairs(folder / "tokenizer.json");
    // A network may have more rows of tokens than there are tokens, not fewer.
    if (static_cast<Index>(pairs.size()) > shape.vocabulary)
        refuse({folder.string()}, fmt::format("{} has {} tokens, but vocab_size in config.json is {}",
                                              two ? "vocab.json" : "tokenizer.json", pairs.size(), shape.vocabulary));
    return pairs;
}

std::vector<std::filesystem::path> model_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files{folder / "config.json"};
    for (const char* name : {"vocab.json", "merges.txt", "tokenizer.json"})
        if (std::filesystem::exists(folder / name)) files.push_back(folder / name);
    for (const auto& path : weight_files(folder)) files.push_back(path);
    return files;
}

template <class Scalar>
std::vector<std::vector<HeadRows<Scalar>>> heads(const std::filesystem::path& folder, const std::filesystem::path& text,
                                                 Index most) {
    const networks::TransformerShape shape = read_shape(folder);
    if (most < 1 || most > shape.positions)
        refuse({folder.string()}, fmt::format("{} tokens are asked for; 1 to {}, the model's positions, are allowed",
                                              most, shape.positions));
    const BytePairs pairs = read_byte_pairs(folder);
    const std::string name = text.string();
    const auto tokens = pairs.encode(datasets::file_bytes(name, max_text), name, static_cast<std::size_t>(most));
    if (tokens.empty()) refuse({name}, "is empty; at least one token is needed");
    // Weights take longest to read, and are read last.
    return heads(read_gpt2<Scalar>(folder), tokens);
}

template Gpt2<float> read_gpt2(const std::filesystem::path&);
template Gpt2<double> read_gpt2(const std::filesystem::path&);
template std::vector<std::vector<HeadRows<float>>> heads(const std::filesystem::path&, const std::filesystem::path&,
                                                         Index);
template std::vector<std::vector<HeadRows<double>>> heads(const std::filesystem::path&, const std::filesystem::path&,
                                                          Index);

}  // namespace rfbench::models
