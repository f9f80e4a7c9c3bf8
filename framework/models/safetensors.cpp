#include "rfbench/models/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/json/json.hpp"

namespace rfbench::models {

using datasets::in_quotes;
using datasets::refuse;
using nlohmann::json;

namespace {

static_assert(std::endian::native == std::endian::little, "entries are read as they lie in the file");

// As in the reference.
constexpr std::size_t max_header_bytes = 100'000'000;

/// The format's types; bytes an entry.
const std::map<std::string, std::size_t> type_sizes = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},
    {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4},     {"I64", 8},     {"U64", 8}, {"F64", 8}};

std::string shape_text(const std::vector<std::size_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

/// The bytes that a tensor takes, or `most` + 1 where they are more.
std::size_t bytes_of(const std::vector<std::size_t>& shape, std::size_t entry, std::size_t most) {
    if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return 0;
    // The product may be more than a number holds: it is compared before each multiplication, and stays at most + 1.
    std::size_t bytes = entry;
    for (const std::size_t extent : shape) bytes = bytes > most / extent ? most + 1 : bytes * extent;
    return bytes;
}

std::vector<std::size_t> whole_numbers(const json& value, const std::string& file, const std::string& what) {
    const bool whole = value.is_array() && std::all_of(value.begin(), value.end(),
                                                       [](const json& entry) { return entry.is_number_unsigned(); });
    if (!whole) refuse({file}, what + " is " + json_shown(value) + "; a list of whole numbers is needed");
    return value.get<std::vector<std::size_t>>();
}

const json& member(const json& object, const char* key, const std::string& file, const std::string& tensor) {
    if (!object.is_object() || !object.contains(key))
        refuse({file}, "tensor " + in_quotes(tensor) + " has no " + in_quotes(key) + " in the header");
    return object.at(key);
}

template <class Stored, class Number>
void copy_as(const std::vector<char>& bytes, Number* out) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
        // Bytes lie at any address: copied, not read through a pointer to another type.
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        out[i] = static_cast<Number>(stored);
    }
}

}  // namespace

std::string safetensors_text(const std::vector<NamedTensor>& tensors) {
    // Readers of weights for PyTorch ask for this entry.
    json header = {{"__metadata__", {{"format", "pt"}}}};
    std::size_t bytes = 0;
    for (const NamedTensor& tensor : tensors) {
        const std::size_t own = tensor.entries.size_bytes();
        if (bytes_of(tensor.shape, sizeof(float), own) != own)
            throw std::invalid_argument(fmt::format("safetensors: tensor '{}' has {} entries; its shape is {}",
                                                    tensor.name, tensor.entries.size(), shape_text(tensor.shape)));
        header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {bytes, bytes + own}}};
        bytes += own;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(text.size());
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    file += text;
    file.reserve(file.size() + bytes);
    for (const NamedTensor& tensor : tensors)
        file.append(reinterpret_cast<const char*>(tensor.entries.data()), tensor.entries.size_bytes());
    return file;
}

Safetensors::Safetensors(const std::filesystem::path& path) : name_(path.string()) {
    datasets::front_bytes(path, 0);  // which refuses what is no file to be read
    file_.open(path, std::ios::binary);
    if (!file_) refuse({name_}, "cannot be opened: " + std::generic_category().message(errno));
    read_header();
    check_places();
}

void Safetensors::read_header() {
    const std::size_t size = std::filesystem::file_size(name_);
    std::uint64_t length = 0;
    if (size < sizeof length)
        refuse({name_}, fmt::format("is cut short: it has {} bytes, the length of the header alone takes 8", size));
    file_.read(reinterpret_cast<char*>(&length), sizeof length);
    // Checked before there is room for it: these eight bytes may say anything.
    if (length > max_header_bytes)
        refuse({name_}, fmt::format("is no safetensors file: its header would have {} bytes; {} are allowed", length,
                                    max_header_bytes));
    if (length > size - sizeof length)
        refuse({name_}, fmt::format("is cut short inside its header: it has {} bytes, the header ends at {}", size,
                                    length + sizeof length));
    std::string text(length, ' ');
    if (!file_.read(text.data(), static_cast<std::streamsize>(length))) refuse({name_}, "cannot be read");
    data_begin_ = sizeof length + length;
    data_size_ = size - data_begin_;

    const json header = parse_json(text, name_ + "(header)");
    if (!header.is_object()) refuse({name_}, "the header is no JSON object");
    for (const auto& [tensor, facts] : header.items()) {
        if (tensor == "__metadata__") continue;
        const std::string what = "tensor " + in_quotes(tensor);
        const json& type = member(facts, "dtype", name_, tensor);
        const auto places = whole_numbers(member(facts, "data_offsets", name_, tensor), name_, what + ": data_offsets");
        if (!type.is_string()) refuse({name_}, what + " has the dtype " + json_shown(type) + "; a name is needed");
        if (places.size() != 2 || places[0] > places[1])
            refuse({name_}, what + fmt::format(": data_offsets are {}; begin and end are needed", shape_text(places)));
        tensors_[tensor] = {type, whole_numbers(member(facts, "shape", name_, tensor), name_, what + ": shape"),
                            places[0], places[1]};
    }
}

void Safetensors::check_places() const {
    std::vector<const std::pair<const std::string, Tensor>*> order;
    for (const auto& entry : tensors_) {
        const auto& [name, tensor] = entry;
        const std::size_t bytes = tensor.end - tensor.begin;
        if (tensor.end > data_size_)
            refuse({name_}, fmt::format("tensor {} ends at byte {} of the data, of which there are {}: the file is cut "
                                        "short",
                                        in_quotes(name), tensor.end, data_size_));
        // A tensor of an unknown type has a known place in the file: it stands beside those that are wanted.
        const auto known = type_sizes.find(tensor.type);
        if (known != type_sizes.end() && bytes_of(tensor.shape, known->second, data_size_) != bytes)
            refuse({name_}, fmt::format("tensor {} of shape {} and dtype {} does not fit its {} bytes", in_quotes(name),
                                        shape_text(tensor.shape), tensor.type, bytes));
        order.push_back(&entry);
    }
    // In the order of their places each tensor begins where the one before ends. Empty ones share their place with the
    // next tensor and come before it.
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
    });
    std::size_t end = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& [name, tensor] = *order[i];
        if (tensor.begin < end)
            refuse({name_}, "tensors " + in_quotes(order[i - 1]->first) + " and " + in_quotes(name) + " overlap");
        if (tensor.begin > end)
            refuse({name_},
                   fmt::format("no tensor has the {} bytes before tensor {}", tensor.begin - end, in_quotes(name)));
        end = tensor.end;
    }
    if (end != data_size_) refuse({name_}, fmt::format("{} bytes follow the last tensor", data_size_ - end));
}

const Safetensors::Tensor& Safetensors::find(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) refuse({name_}, "has no tensor " + in_quotes(name));
    return found->second;
}

template <class Number>
void Safetensors::copy_entries(const Tensor& tensor, const std::string& what, Number* out) const {
    std::vector<char> bytes(tensor.end - tensor.begin);
    // A read that failed before must not fail this one.
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(data_begin_ + tensor.begin));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        refuse({name_}, what + " cannot be read");
    if (tensor.type == "F64") copy_as<double>(bytes, out);
    if (tensor.type == "F32") copy_as<float>(bytes, out);
    if (tensor.type == "F16") copy_as<Eigen::half>(bytes, out);
    if (tensor.type == "BF16") copy_as<Eigen::bfloat16>(bytes, out);
    if (tensor.type == "U8" || tensor.type == "BOOL") copy_as<std::uint8_t>(bytes, out);
    if (tensor.type == "I8") copy_as<std::int8_t>(bytes, out);
    if (tensor.type == "I16") copy_as<std::int16_t>(bytes, out);
    if (tensor.type == "U16") copy_as<std::uint16_t>(bytes, out);
    if (tensor.type == "I32") copy_as<std::int32_t>(bytes, out);
    if (tensor.type == "U32") copy_as<std::uint32_t>(bytes, out);
    if (tensor.type == "I64") copy_as<std::int64_t>(bytes, out);
    if (tensor.type == "U64") copy_as<std::uint64_t>(bytes, out);
}

void Safetensors::require(const std::string& name, const std::vector<std::size_t>& shape) const {
    const Tensor& tensor = find(name);
    const std::string what = "tensor " + in_quotes(name);
    if (tensor.shape != shape)
        refuse({name_}, what + " has the shape " + shape_text(tensor.shape) + "; the configuration asks for " +
                            shape_text(shape));
    if (tensor.type != "F32" && tensor.type != "F16" && tensor.type != "BF16")
        refuse({name_}, what + " is of dtype " + tensor.type + "; F32, F16 and BF16 are read as weights");
}

void Safetensors::read(const std::string& name, const std::vector<std::size_t>& shape, float* out) const {
    require(name, shape);
    const Tensor& tensor = find(name);
    const std::string what = "tensor " + in_quotes(name);
    copy_entries(tensor, what, out);
    const std::size_t count = (tensor.end - tensor.begin) / type_sizes.at(tensor.type);
    const float* const wrong = std::find_if(out, out + count, [](float x) { return !std::isfinite(x); });
    if (wrong != out + count) refuse({name_}, what + fmt::format(": entry {} is {}", wrong - out, *wrong));
}

std::vector<std::string> Safetensors::names() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors_) names.push_back(name);
    return names;
}

Array Safetensors::array(const std::string& name, const std::string& place) const {
    const Tensor& tensor = find(name);
    constexpr const char* read[] = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16",
                                    "I8",  "U64", "U32", "U16",  "U8",  "BOOL"};
    if (std::find(std::begin(read), std::end(read), tensor.type) == std::end(read))
        refuse({place}, fmt::format("is of dtype {}; {} are read", tensor.type, fmt::join(read, ", ")));
    Array result;
    for (const std::size_t extent : tensor.shape) result.shape.push_back(static_cast<Index>(extent));
    result.values.resize(datasets::size_of(place, result.shape));
    copy_entries(tensor, "tensor " + in_quotes(name), result.values.data());
    if (tensor.type == "I64" || tensor.type == "U64") datasets::require_exact(place, result);
    return result;
}

Rows<float> Safetensors::matrix(const std::string& tensor, Index rows, Index columns) const {
    Rows<float> out(rows, columns);
    read(tensor, {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)}, out.data());
    return out;
}

Eigen::RowVectorXf Safetensors::vector(const std::string& tensor, Index columns) const {
    Eigen::RowVectorXf out(columns);
    read(tensor, {static_cast<std::size_t>(columns)}, out.data());
    return out;
}

}  // namespace rfbench::models
