#include "rfbench/models/weight_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/json/json.hpp"

namespace rfbench::models {

using datasets::refuse;

namespace {

constexpr std::size_t max_index_value = std::size_t{1} << 26;
constexpr const char* prefixes[] = {"", "transformer.", "model.", "model.transformer."};
// By its shape this matrix shows how layers are stored: three times as many outputs as inputs.
constexpr const char* telling = "h.0.attn.c_attn.weight";

/// Names of the parts of an index, each once.
std::vector<std::filesystem::path> parts_of(const std::filesystem::path& index) {
    const std::string file = index.string();
    const nlohmann::json list = parse_json(datasets::file_bytes(file, max_index_value), file);
    if (!list.is_object() || !list.contains("weight_map") || !list.at("weight_map").is_object())
        refuse({file}, "has no 'weight_map', the file of each tensor");
    std::vector<std::string> names;
    for (const auto& [tensor, part] : list.at("weight_map").items()) {
        if (!part.is_string() || part.get<std::string>().find('/') != std::string::npos)
            refuse({file}, fmt::format("tensor '{}' is in {}; the name of a file beside this one is needed", tensor,
                                       json_shown(part)));
        names.push_back(part);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) {
        paths.push_back(index.parent_path() / name);
        if (!std::filesystem::exists(paths.back()))
            refuse({file}, fmt::format("names the part {}, which is not beside it", name));
    }
    return paths;
}

/// Whether the matrix is one of a layer, which programs store in two ways.
bool is_of_layer(const std::string& name) { return name.find(".c_") != std::string::npos; }

}  // namespace

std::vector<std::filesystem::path> weight_files(const std::filesystem::path& folder) {
    if (std::filesystem::exists(folder / "model.safetensors")) return {folder / "model.safetensors"};
    const auto index = folder / "model.safetensors.index.json";
    if (std::filesystem::exists(index)) return parts_of(index);
    return {};
}

WeightFiles::WeightFiles(const std::filesystem::path& folder) : paths_(weight_files(folder)) {
    for (const auto& path : paths_) files_.emplace_back(path);
    for (std::size_t i = 0; i < files_.size(); ++i)
        for (const std::string& name : files_[i].names()) file_of_.emplace(name, i);
}

std::uintmax_t WeightFiles::bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& path : paths_) sum += std::filesystem::file_size(path);
    return sum;
}

WeightFiles::Stored WeightFiles::find(const std::string& name) const {
    const std::string tied = name == "wte.weight" ? "lm_head.weight" : name;
    for (const std::string& own : {name, tied})
        for (const char* prefix : prefixes)
            if (const auto found = file_of_.find(prefix + own); found != file_of_.end())
                return {&files_[found->second], found->first};
    // The first file refuses: its message names the tensor.
    return {&files_.front(), name};
}

bool WeightFiles::is_transposed(const std::string& name) const {
    if (!is_of_layer(name)) return false;
    const Stored stored = find(telling);
    if (!stored.file->has(stored.name)) return false;
    const auto& shape = stored.file->shape(stored.name);
    return shape.size() == 2 && shape[0] == 3 * shape[1];
}

void WeightFiles::require_matrix(const std::string& name, Index rows, Index columns) const {
    if (is_transposed(name)) std::swap(rows, columns);
    const Stored stored = find(name);
    stored.file->require(stored.name, {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
}

void WeightFiles::require_vector(const std::string& name, Index columns) const {
    const Stored stored = find(name);
    stored.file->require(stored.name, {static_cast<std::size_t>(columns)});
}

Rows<float> WeightFiles::matrix(const std::string& name, Index rows, Index columns) const {
    const Stored stored = find(name);
    if (!is_transposed(name)) return stored.file->matrix(stored.name, rows, columns);
    return stored.file->matrix(stored.name, columns, rows).transpose();
}

Eigen::RowVectorXf WeightFiles::vector(const std::string& name, Index columns) const {
    const Stored stored = find(name);
    return stored.file->vector(stored.name, columns);
}

}  // namespace rfbench::models
