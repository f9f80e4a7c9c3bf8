// Weights under the names, in the parts and in the order of axes in which programs store them: the same network.
#include "rfbench/models/weight_files.hpp"

#include "catch.hpp"
#include "rfbench/models/gpt2_folder.hpp"
#include "small_model.hpp"

using namespace rfbench;
using models::Token;
using scene::said;
using small_model::json;
using small_model::reference;
using small_model::Stored;

namespace {

std::vector<Stored> weights() { return small_model::Weights(reference()["shape"]).tensors; }

/// Logits of the folder's network for a few tokens.
Rows<double> logits(const scene::Folder& folder) {
    return models::logits(models::read_gpt2<double>(folder.path()), std::vector<Token>{1, 2, 3, 332});
}

std::string refused(const scene::Folder& folder) {
    return said([&] { models::require_weights(folder.path()); }).substr(folder.path().string().size());
}

void put_parts(const scene::Folder& folder, const std::vector<Stored>& tensors) {
    std::filesystem::remove(folder.path() / "model.safetensors");
    const auto middle = tensors.begin() + static_cast<std::ptrdiff_t>(tensors.size() / 2);
    const std::vector<Stored> first(tensors.begin(), middle), second(middle, tensors.end());
    json map = json::object();
    for (const Stored& one : first) map[one.name] = "a.safetensors";
    for (const Stored& one : second) map[one.name] = "b.safetensors";
    folder.write("a.safetensors", small_model::safetensors(first));
    folder.write("b.safetensors", small_model::safetensors(second));
    folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
}

}  // namespace

TEST_CASE("weights in parts, tied, with a prefix or as nn.Linear stores them are those of one plain file") {
    const small_model::Folder folder;
    const Rows<double> plain = logits(folder);
    auto tensors = weights();
    for (Stored& one : tensors) one.name = one.name == "wte.weight" ? "lm_head.weight" : "model." + one.name;
    folder.write("model.safetensors", small_model::safetensors(tensors));
    CHECK(logits(folder) == plain);

    tensors = weights();
    for (Stored& one : tensors) {
        if (one.name.find(".c_") == std::string::npos || one.shape.size() != 2) continue;
        std::string transposed;
        for (Index column = 0; column < one.shape[1]; ++column)
            for (Index row = 0; row < one.shape[0]; ++row)
                transposed += one.bytes.substr(static_cast<std::size_t>(4 * (row * one.shape[1] + column)), 4);
        one.bytes = transposed;
        std::swap(one.shape[0], one.shape[1]);
    }
    folder.write("model.safetensors", small_model::safetensors(tensors));
    CHECK(logits(folder) == plain);

    put_parts(folder, weights());
    CHECK(logits(folder) == plain);
    CHECK(models::model_files(folder.path()).size() == 5);
}

TEST_CASE("names, shapes and types of weights are refused without reading a weight") {
    const small_model::Folder folder;
    CHECK(said([&] { models::require_weights(folder.path()); }) == "accepted");
    auto tensors = weights();
    tensors[0].name = "other";
    folder.write("model.safetensors", small_model::safetensors(tensors));
    CHECK(refused(folder) == "/model.safetensors: has no tensor 'wte.weight'");
    tensors = weights();
    tensors[1].shape = {tensors[1].shape[1], tensors[1].shape[0]};
    folder.write("model.safetensors", small_model::safetensors(tensors));
    CHECK(refused(folder).starts_with(
        "/model.safetensors: tensor 'wpe.weight' has the shape [12, 16]; the configuration"));

    put_parts(folder, weights());
    std::filesystem::remove(folder.path() / "b.safetensors");
    CHECK(refused(folder) == "/model.safetensors.index.json: names the part b.safetensors, which is not beside it");
    folder.write("model.safetensors.index.json", R"({"weight_map": {"wte.weight": "../secret"}})");
    CHECK(refused(folder) ==
          "/model.safetensors.index.json: tensor 'wte.weight' is in \"../secret\"; the name of a "
          "file beside this one is needed");
    std::filesystem::remove(folder.path() / "model.safetensors.index.json");
    folder.write("pytorch_model.bin", "x");
    CHECK(refused(folder).starts_with(": has weights in pytorch_model.bin, a file of torch.save"));
}
