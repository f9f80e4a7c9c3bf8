#include "rfbench/models/gpt2.hpp"

#include <omp.h>

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "small_model.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using models::HeadRows;
using models::Token;
using scene::said;
using small_model::json;
using small_model::reference;

namespace {

/// Roundings that an entry of the small model passes: the sums of a layer have 124 terms together (normalizations of 12
/// and 12, maps of 12, 12, 12 and 20, scores of 4, softmax of 2 x 10, its output of 10, gelu of 10), then there are the
/// last normalization and the logits, 24: 272 for two layers.
template <class Scalar>
constexpr double tolerance = 272 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

Points stored(const json& numbers, Index rows) {
    const auto values = numbers.get<std::vector<double>>();
    return Eigen::Map<const Points>(values.data(), rows, static_cast<Index>(values.size()) / rows);
}

/// One part of a layer's heads, side by side.
template <class Scalar>
Points together(const std::vector<HeadRows<Scalar>>& heads, Rows<Scalar> HeadRows<Scalar>::*part) {
    const Index width = (heads[0].*part).cols();
    Points out((heads[0].*part).rows(), width * static_cast<Index>(heads.size()));
    for (std::size_t h = 0; h < heads.size(); ++h)
        out.middleCols(static_cast<Index>(h) * width, width) = (heads[h].*part).template cast<double>();
    return out;
}

/// The largest difference over the largest entry.
double difference(const Points& a, const Points& b) {
    REQUIRE(a.rows() == b.rows());
    REQUIRE(a.cols() == b.cols());
    return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

template <class Scalar>
void check_heads(const std::vector<std::vector<HeadRows<Scalar>>>& table) {
    const json& layers = reference()["layers"];
    const Index length = static_cast<Index>(reference()["tokens"].size());
    REQUIRE(table.size() == layers.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        INFO("layer " << i);
        REQUIRE(table[i].size() == reference()["shape"]["n_head"].get<std::size_t>());
        using Head = HeadRows<Scalar>;
        CHECK(difference(together(table[i], &Head::queries), stored(layers[i]["queries"], length)) < tolerance<Scalar>);
        CHECK(difference(together(table[i], &Head::keys), stored(layers[i]["keys"], length)) < tolerance<Scalar>);
        CHECK(difference(together(table[i], &Head::values), stored(layers[i]["values"], length)) < tolerance<Scalar>);
    }
}

/// A model of two layers whose weights are drawn.
template <class Scalar>
models::Gpt2<Scalar> random_model(Index positions, Index vocabulary) {
    networks::TransformerShape sizes;
    sizes.vocabulary = vocabulary;
    sizes.positions = positions;
    sizes.heads = 3;
    sizes.width = 12;
    sizes.inner = 20;
    networks::Transformer network(models::gpt2_shape(sizes));
    const Vector values = network.start({.embedding = 1}, Stream(1));
    networks::Weights<Scalar> weights(network.layout(), values.cast<Scalar>(), networks::Passes::forward);
    return {std::move(network), std::move(weights)};
}

/// Message of reading the folder, its name left out.
std::string message(const scene::Folder& folder) {
    std::string text = said([&] { models::read_gpt2<float>(folder.path()); });
    const std::string base = folder.path().string();
    return text.starts_with(base) ? text.substr(base.size()) : text;
}

}  // namespace

TEMPLATE_TEST_CASE("queries, keys, values and logits are those of torch", "", double, float) {
    const small_model::Folder folder;
    const auto model = models::read_gpt2<TestType>(folder.path());
    const auto tokens = reference()["tokens"].get<std::vector<Token>>();
    check_heads(models::heads(model, tokens));
    const Rows<TestType> logits = models::logits(model, tokens);
    REQUIRE(logits.rows() == static_cast<Index>(tokens.size()));
    const Points last = logits.bottomRows(1).template cast<double>();
    CHECK(difference(last, stored(reference()["last_logits"], 1)) < tolerance<TestType>);
}

TEST_CASE("heads of a folder and a text are those of its first tokens") {
    const small_model::Folder folder;
    const json& sequence = reference()["sequence"];
    const std::string whole = folder.write("text", sequence["text"]);
    check_heads(models::heads<double>(folder.path(), whole, sequence["most"]));
    CHECK(models::heads<float>(folder.path(), folder.write("short", "ab"), 16)[1][2].keys.rows() == 2);

    const auto refused = [&](const std::string& file, Index most) {
        const std::string text = said([&] { models::heads<float>(folder.path(), file, most); });
        return text.substr(folder.path().string().size());
    };
    CHECK(refused(folder.write("empty", ""), 4) == "/empty: is empty; at least one token is needed");
    CHECK(refused(folder.file("none"), 4) == "/none: there is no such file");
    CHECK(refused(folder.write("latin", "na\xefve"), 1).starts_with("/latin: is no UTF-8 at byte 2"));
    CHECK(refused(whole, 0) == ": 0 tokens are asked for; 1 to 16, the model's positions, are allowed");
    json small = small_model::configuration();
    small["vocab_size"] = 332;
    folder.write("config.json", small.dump());
    CHECK(refused(whole, 4) == ": vocab.json has 333 tokens, but vocab_size in config.json is 332");
    folder.write("config.json", small_model::configuration().dump());
    CHECK(refused(whole, 17) == ": 17 tokens are asked for; 1 to 16, the model's positions, are allowed");
}

TEST_CASE("weights may have the prefix of the Hugging Face class, and tensors that nobody asks for") {
    const small_model::Folder folder;
    const auto tokens = reference()["tokens"].get<std::vector<Token>>();
    auto tensors = small_model::Weights(reference()["shape"]).tensors;
    for (auto& tensor : tensors) tensor.name = "transformer." + tensor.name;
    tensors.push_back({"transformer.h.0.attn.bias", "U8", {1, 1, 2, 2}, "\1\1\1\1"});
    folder.write("model.safetensors", small_model::safetensors(tensors));
    check_heads(models::heads(models::read_gpt2<double>(folder.path()), tokens));
}

TEST_CASE("a token changes nothing before it, and threads change no bit") {
    // More rows than a tile has.
    const Index length = 150, before = 100;
    const auto model = random_model<float>(length, 322);
    std::vector<Token> tokens;
    for (Index i = 0; i < length; ++i) tokens.push_back(static_cast<Token>(i * i % 320));
    auto others = tokens;
    others[before] = 321;

    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = models::heads(model, tokens), other = models::heads(model, others);
    const Rows<float> logits = models::logits(model, tokens);
    for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t h = 0; h < one[i].size(); ++h) {
            CHECK(one[i][h].keys.topRows(before) == other[i][h].keys.topRows(before));
            CHECK(one[i][h].keys.row(before) != other[i][h].keys.row(before));
        }
    CHECK(one[1][0].queries.row(before + 1) != other[1][0].queries.row(before + 1));
    for (const int many : {2, 3}) {
        omp_set_num_threads(many);
        const auto same = models::heads(model, tokens);
        for (std::size_t i = 0; i < one.size(); ++i)
            for (std::size_t h = 0; h < one[i].size(); ++h) {
                CHECK(one[i][h].queries == same[i][h].queries);
                CHECK(one[i][h].values == same[i][h].values);
            }
        CHECK(models::logits(model, tokens) == logits);
    }
    omp_set_num_threads(threads);
}

TEST_CASE("a network that is written is read again: the same bits, and every byte is a token") {
    const scene::Folder folder;
    const auto model = random_model<float>(16, models::byte_tokens);
    models::write_gpt2(folder.path(), model.network, model.weights.values());
    const auto again = models::read_gpt2<float>(folder.path());
    const std::string text = "In the b\xc3\xa9ginn";
    const auto tokens = models::read_byte_pairs(folder.path()).encode(text);
    REQUIRE(tokens.size() == text.size());
    for (std::size_t i = 0; i < text.size(); ++i) CHECK(tokens[i] == static_cast<unsigned char>(text[i]));
    CHECK(models::logits(again, tokens) == models::logits(model, tokens));

    // The header by hand: its length, then JSON that says where each tensor lies.
    const std::string file = tests::bytes_of(folder.path() / "model.safetensors");
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length * 256 + static_cast<unsigned char>(file[i]);
    CHECK(length % 8 == 0);
    const json header = json::parse(file.substr(8, length));
    const json& tensor = header["h.1.mlp.c_fc.weight"];
    CHECK(tensor["shape"] == json::array({12, 20}));
    CHECK(tensor["dtype"] == "F32");
    const std::size_t begin = tensor["data_offsets"][0];
    const auto& values = model.weights.values();
    const Index first = model.network.layout().find("h.1.mlp.c_fc.weight").first;
    CHECK(file.substr(8 + length + begin, 4) == small_model::bytes_of_float(values[first]));
    CHECK(header["ln_f.bias"]["shape"] == json::array({12}));
    CHECK(file.size() == 8 + length + 4 * static_cast<std::size_t>(values.size()));
}

TEST_CASE("networks that GPT-2's files cannot say are not written") {
    const scene::Folder folder;
    const auto said = [&](const networks::TransformerShape& shape) {
        const networks::Transformer network(shape);
        const Eigen::VectorXf values = network.start({}, Stream(1)).cast<float>();
        return tests::refusal([&] { models::write_gpt2(folder.path(), network, values); });
    };
    networks::TransformerShape shape;
    shape.vocabulary = 300;
    shape.positions = 4;
    CHECK(said(models::gpt2_shape(shape)) ==
          "gpt2: its layout cannot hold a vocabulary of 300 tokens in place of the 256 bytes");
    shape.vocabulary = models::byte_tokens;
    shape = models::gpt2_shape(shape);
    shape.norm = networks::NormPlace::after;
    CHECK(said(shape) == "gpt2: its layout cannot hold another architecture");
    shape.norm = networks::NormPlace::before;
    for (const networks::BesideHeads beside : {networks::BesideHeads{true, 0}, {false, 3}}) {
        shape.beside = beside;
        CHECK(said(shape) == "gpt2: its layout cannot hold a gate or a convolution beside the heads of a layer");
    }
    CHECK(std::filesystem::is_empty(folder.path()));
    const auto model = random_model<float>(4, models::byte_tokens);
    CHECK(tests::refusal([&] { models::write_gpt2(folder.path(), model.network, Eigen::VectorXf::Zero(3)); }) ==
          "gpt2: 3 values for a network that has " + std::to_string(model.weights.values().size()));
}

TEST_CASE("tokens that the model cannot take are refused") {
    const small_model::Folder folder;
    const auto model = models::read_gpt2<float>(folder.path());
    const auto run = [&](const std::vector<Token>& tokens) { models::heads(model, tokens); };
    CHECK_THROWS_WITH(run({}), "network: there are no tokens; at least one is needed");
    CHECK_THROWS_WITH(run(std::vector<Token>(17)), "network: there are 17 tokens; the model has 16 positions");
    CHECK_THROWS_WITH(run({1, 333}), "network: there is no token 333; the vocabulary has 333");
    CHECK_THROWS_WITH(run({-1}), "network: there is no token -1; the vocabulary has 333");
}

TEST_CASE("files that are missing are all named, with the way to get them") {
    const small_model::Folder folder;
    const std::string how =
        " A model is the files config.json, model.safetensors, vocab.json, merges.txt; GPT-2's are "
        "at https://huggingface.co/openai-community/gpt2/resolve/main/FILE (curl --location "
        "--create-dirs --output FOLDER/FILE ADDRESS, then name the model FOLDER)";
    folder.write("added_tokens.json", "{\"<|user|>\": 333}");
    CHECK(said([&] { models::read_byte_pairs(folder.path()); }).find("has tokens that only a tokenizer.json says") !=
          std::string::npos);
    std::filesystem::remove(folder.path() / "added_tokens.json");
    std::filesystem::remove(folder.path() / "vocab.json");
    std::filesystem::remove(folder.path() / "model.safetensors");
    CHECK(message(folder) == ": has no model.safetensors, vocab.json." + how);
    CHECK(said([] { models::read_gpt2<float>("/nowhere"); }) == "/nowhere: there is no such folder." + how);

    const datasets::Places places{folder.path(), {"/cache"}};
    CHECK(said([&] { models::find_model("gpt2", places); }) ==
          "there is no folder of the model 'gpt2': looked at gpt2, " + folder.file("gpt2") + ", /cache/gpt2." + how);
    folder.write("gpt2/config.json", "{}");
    CHECK(models::find_model("gpt2", places) == folder.path() / "gpt2");
    CHECK(models::find_model(folder.path().string(), {}) == folder.path());
}

TEST_CASE("configurations that are wrong or of another architecture are refused") {
    struct Case {
        const char *key, *value, *message;  // value "": the key is left out
    };
    const Case cases[] = {
        {"n_layer", "2", "accepted"},
        {"n_layer", "", "/config.json: has no key n_layer"},
        {"n_layer", "0", "/config.json: n_layer is 0; a whole number from 1 to 1024 is needed"},
        {"n_layer", "1000000000", "/config.json: n_layer is 1000000000; a whole number from 1 to 1024 is needed"},
        {"n_head", "1.5", "/config.json: n_head is 1.5; a whole number from 1 to 131072 is needed"},
        {"n_head", "5", "/config.json: n_embd is 12, which is not a multiple of n_head, 5"},
        {"n_positions", "", "/config.json: has no key n_positions"},
        {"layer_norm_epsilon", "0", "/config.json: layer_norm_epsilon is 0; a number above 0 is needed"},
        {"layer_norm_epsilon", "\"small\"",
         "/config.json: layer_norm_epsilon is \"small\"; a number above 0 is needed"},
        {"activation_function", "\"relu\"",
         "/config.json: activation_function is \"relu\"; only \"gelu_new\" is computed here"},
        {"model_type", "\"llama\"", "/config.json: model_type is \"llama\"; only \"gpt2\" is computed here"},
        {"scale_attn_weights", "false", "/config.json: scale_attn_weights is false; only true is computed here"},
        {"scale_attn_by_inverse_layer_idx", "true",
         "/config.json: scale_attn_by_inverse_layer_idx is true; only false is computed here"},
        {"tie_word_embeddings", "null", "accepted"},
        {"n_inner", "null",
         "/model.safetensors: tensor 'h.0.mlp.c_fc.weight' has the shape [12, 20]; "
         "the configuration asks for [12, 48]"},
        {"n_embd", "24",
         "/model.safetensors: tensor 'wte.weight' has the shape [333, 12]; the configuration asks for [333, 24]"},
        {"n_layer", "3", "/model.safetensors: has no tensor 'h.2.ln_1.weight'"},
    };
    const small_model::Folder folder;
    for (const Case& c : cases) {
        INFO(c.key << ": " << c.value);
        json config = small_model::configuration();
        if (*c.value)
            config[c.key] = json::parse(c.value);
        else
            config.erase(c.key);
        folder.write("config.json", config.dump());
        CHECK(message(folder) == c.message);
    }
    json large = small_model::configuration();
    large["vocab_size"] = 9'000'000;
    folder.write("config.json", large.dump());
    CHECK(message(folder).starts_with("/config.json: asks for 1080"));
    large["vocab_size"] = std::string(20'000, 'x');
    folder.write("config.json", large.dump());
    CHECK(message(folder).size() < 200);
    const std::string deep(100'000, '[');
    folder.write("config.json", "{\"n_layer\": " + deep);
    CHECK(message(folder) == "/config.json: lists and objects are nested deeper than 64 levels");
    folder.write("config.json", small_model::configuration().dump());
    const std::string vocabulary = tests::bytes_of(folder.path() / "vocab.json");
    folder.write("vocab.json", "{\"a\": " + deep);
    CHECK(said([&] { models::read_byte_pairs(folder.path()); }).ends_with("nested deeper than 64 levels"));
    folder.write("vocab.json", vocabulary);
    folder.write("model.safetensors", small_model::framed("{\"a\": " + deep, ""));
    CHECK(message(folder) == "/model.safetensors(header): lists and objects are nested deeper than 64 levels");
    folder.write("config.json", "[]");
    CHECK(message(folder) == "/config.json: is no JSON object");
    folder.write("config.json", "{\"n_layer\": 2,\n \"n_layer\": 3}");
    CHECK(message(folder) == "/config.json: has the key 'n_layer' twice");

    json config = small_model::configuration();
    config["n_ctx"] = config["n_positions"];
    config.erase("n_positions");
    folder.write("config.json", config.dump());
    CHECK(models::read_shape(folder.path()).positions == 16);
}
