// Heads that a user's program has written: queries, keys and values as arrays of a file (docs/heads.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "rfbench/config/file_path.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/models/array_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using models::Array;

constexpr std::size_t axes = 5;
constexpr const char* axis_names = "[layer, head, sequence, token, d]";
const std::vector<std::string> all_axes{"layer", "head", "sequence", "token", "d"};

/// The axes of the arrays in their file, as places in all_axes; empty where nothing is said.
using Order = std::vector<std::size_t>;

Order order_of(const config::Value& entry) {
    Order order;
    if (!entry.has("axes")) return order;
    const std::vector<std::string> names = entry.at("axes").texts();
    for (const std::string& name : names)
        order.push_back(static_cast<std::size_t>(std::find(all_axes.begin(), all_axes.end(), name) - all_axes.begin()));
    for (const char* needed : {"token", "d"})
        if (std::find(names.begin(), names.end(), needed) == names.end())
            entry.at("axes").refuse(fmt::format("'{}' is missing; arrays have tokens and d at least", needed));
    return order;
}

/// The array as [layer, head, sequence, token, d], one entry for each axis that its file does not have.
Array in_order(Array array, const Order& order, const std::string& place) {
    if (array.shape.size() != order.size())
        datasets::refuse({place}, fmt::format("has the shape {}; 'axes' names {} axes", fmt::join(array.shape, " x "),
                                              order.size()));
    Order from;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto at = std::find(order.begin(), order.end(), axis);
        from.push_back(static_cast<std::size_t>(at - order.begin()));
        if (at != order.end()) continue;
        from.back() = array.shape.size();
        array.shape.push_back(1);
    }
    return datasets::with_axes(array, from);
}

/// The arrays "front*back", by the number that stands for the star, in order of these.
std::vector<std::string> numbered_names(const models::ArrayFile& file, const std::string& place,
                                        const std::string& pattern) {
    const std::size_t star = pattern.find('*');
    const std::string front = pattern.substr(0, star), back = pattern.substr(star + 1);
    std::vector<std::pair<Index, std::string>> found;
    for (const std::string& name : file.names()) {
        if (!name.starts_with(front) || !name.ends_with(back) || name.size() < front.size() + back.size()) continue;
        // The star must stand for a number to its last digit: other arrays may have the same front and back.
        const char *begin = name.data() + front.size(), *end = name.data() + name.size() - back.size();
        Index number = 0;
        const auto [stop, error] = std::from_chars(begin, end, number);
        if (error == std::errc{} && stop == end && number >= 0) found.emplace_back(number, name);
    }
    if (found.empty())
        datasets::refuse({place}, fmt::format("there is no such array with a layer's number for the star; there are {}",
                                              fmt::join(file.names(), ", ")));
    // Not by name, where layer 10 stands before layer 2; after a gap layers would have wrong numbers.
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i > 0 && found[i].first != found[i - 1].first + 1)
            datasets::refuse({place}, fmt::format("there are layers {} and {}, but none between them",
                                                  found[i - 1].first, found[i].first));
        names.push_back(found[i].second);
    }
    return names;
}

/// [layer, head, sequence, token, d]; axes that are left out in front have one entry.
class HeadArray {
public:
    HeadArray(const models::ArrayFile& file, const std::string& path, const std::string& name, Order order)
        : place_(path + ":" + name), order_(std::move(order)) {
        if (name.find('*') == std::string::npos) {
            Array array = read(file, name, place_, axes);
            shape_ = std::move(array.shape);
            values_ = std::move(array.values);
        } else {
            // One array a layer: the layers, each of which is contiguous, lie one after the other as in one array of
            // all.
            for (const std::string& own : numbered_names(file, place_, name)) add_layer(file, path, own);
        }
        require_squares();
    }

    const std::vector<Index>& shape() const { return shape_; }
    const std::string& place() const { return place_; }
    Points rows(Index layer, Index head, Index sequence) const {
        const Index at = ((layer * shape_[1] + head) * shape_[2] + sequence) * shape_[3] * shape_[4];
        return Eigen::Map<const Points>(values_.data() + at, shape_[3], shape_[4]);
    }

private:
    /// With `most` axes or fewer in the file, five here.
    Array read(const models::ArrayFile& file, const std::string& name, const std::string& place,
               std::size_t most) const {
        Array array = file.array(name);
        if (!order_.empty()) return in_order(std::move(array), order_, place);
        if (array.shape.size() < 2 || array.shape.size() > most)
            datasets::refuse({place}, fmt::format("has the shape {}; {} is wanted, or with leading axes left out",
                                                  fmt::join(array.shape, " x "),
                                                  most == axes ? axis_names : "[head, sequence, token, d] of a layer"));
        // An axis of one entry in front does not move any number.
        array.shape.insert(array.shape.begin(), axes - array.shape.size(), 1);
        return array;
    }

    void add_layer(const models::ArrayFile& file, const std::string& path, const std::string& name) {
        const std::string own = path + ":" + name;
        const Array array = read(file, name, own, axes - 1);
        if (array.shape[0] != 1)
            datasets::refuse({own}, fmt::format("has {} layers by 'axes', and the star stands for the layer's number; "
                                                "leave 'layer' out, or name one array of all layers",
                                                array.shape[0]));
        // The first layer says the shape that all must have; the number of layers is counted up.
        if (shape_.empty()) {
            shape_ = array.shape;
            shape_[0] = 0;
        }
        if (!std::equal(shape_.begin() + 1, shape_.end(), array.shape.begin() + 1))
            datasets::refuse(
                {own}, fmt::format("is {}; the layers before it are {}", shape_text(array.shape), shape_text(shape_)));
        ++shape_[0];
        values_.insert(values_.end(), array.values.begin(), array.values.end());
    }

    /// Scores are sums of products, and errors of outputs sums of squares over a head: both must stay within double.
    void require_squares() const {
        double most = 0;
        for (const double value : values_) most = std::max(most, std::abs(value));
        const double entries = static_cast<double>(shape_[3] * shape_[4]);
        if (!std::isfinite(most * most * entries))
            datasets::refuse({place_},
                             fmt::format("has an entry of size {:.3g}; the sum of the squares of a head's {} entries "
                                         "must be below {:.1e}, where double ends",
                                         most, entries, std::numeric_limits<double>::max()));
    }

    /// Shape of a layer as text.
    static std::string shape_text(const std::vector<Index>& shape) {
        return fmt::format("{}", fmt::join(shape.begin() + 1, shape.end(), " x "));
    }

    std::string place_;
    Order order_;
    std::vector<Index> shape_;
    std::vector<double> values_;
};

/// The tokens of each sequence that are not padding.
using Kept = std::vector<std::vector<Index>>;

Kept kept_tokens(const Array& mask, const std::string& place, Index sequences, Index length) {
    const std::vector<Index> wanted{sequences, length};
    // The mask of a single sequence may be a plain list.
    const bool one = mask.shape.size() == 1 && sequences == 1 && mask.shape[0] == length;
    if (mask.shape != wanted && !one)
        datasets::refuse({place}, fmt::format("has the shape {}; [sequence, token] is wanted, which is {} x {} here",
                                              fmt::join(mask.shape, " x "), sequences, length));
    Kept kept(static_cast<std::size_t>(sequences));
    for (Index i = 0; i < sequences * length; ++i) {
        const Index sequence = i / length, token = i % length;
        const double value = mask.values[static_cast<std::size_t>(i)];
        // A mask that is added to scores has 0 where a token counts: what is neither 0 nor 1 is refused.
        if (value != 0 && value != 1)
            datasets::refuse({fmt::format("{}[{}, {}]", place, sequence, token)},
                             fmt::format("is {}; 1 keeps a token and 0 says that it is padding", value));
        if (value == 1) kept[static_cast<std::size_t>(sequence)].push_back(token);
    }
    for (std::size_t sequence = 0; sequence < kept.size(); ++sequence)
        if (kept[sequence].empty())
            datasets::refuse({fmt::format("{}[{}]", place, sequence)}, "keeps no token of this sequence");
    return kept;
}

/// All heads of one file, or those that the entry chooses; the tokens that its mask calls padding are left out.
class FileHeads final : public HeadSource {
public:
    FileHeads(const config::Value& entry, const std::string& path, const models::ArrayFile& file)
        : path_(path),
          queries_(file, path, entry.at("queries").text(), order_of(entry)),
          keys_(file, path, entry.at("keys").text(), order_of(entry)),
          values_(file, path, entry.at("values").text(), order_of(entry)),
          hash_(store::sha256_file(path)) {
        require_alike(keys_, queries_, {0, 1, 2, 4}, "queries");
        require_alike(values_, keys_, {0, 1, 2, 3}, "keys");
        read_masks(entry, path, file);
        layers_ = chosen_numbers(entry, "layers", queries_.shape()[0]);
        heads_ = chosen_numbers(entry, "heads", queries_.shape()[1]);
    }

    Index layers() const override { return static_cast<Index>(layers_.size()); }
    Index heads() const override { return static_cast<Index>(heads_.size()); }
    Index dimension() const override { return queries_.shape()[4]; }
    Index length() const override {
        return longest([this](Index number) { return tokens(number); });
    }
    Index key_length() const override {
        return longest([this](Index number) { return key_tokens(number); });
    }
    bool crosses() const override { return crosses_; }
    Index sequences() const override { return queries_.shape()[2]; }
    Index tokens(Index number) const override { return left(queries_, kept_queries_, number); }
    Index key_tokens(Index number) const override { return left(keys_, kept_, number); }
    std::string label(Index layer, Index head) const override {
        return fmt::format("layer {}, head {}", layer_at(layer) + 1, head_at(head) + 1);
    }
    std::vector<std::string> listing() const override { return {"layers", "heads"}; }
    std::string layer_setting(Index layer) const override { return fmt::format("layer {}", layer_at(layer)); }
    std::string head_setting(Index head) const override { return fmt::format("head {}", head_at(head)); }
    std::string data_hash() const override { return hash_; }
    std::vector<std::string> notes() const override { return {summary(*this, path_)}; }
    HeadSequence sequence(Index layer, Index head, Index number) const override {
        const auto rows = [&](const HeadArray& of, const Kept& kept) -> Points {
            Points all = of.rows(layer_at(layer), head_at(head), number);
            if (kept.empty()) return all;
            return all(kept[static_cast<std::size_t>(number)], Eigen::all);
        };
        return {{rows(queries_, kept_queries_), rows(keys_, kept_)}, rows(values_, kept_)};
    }

private:
    Index layer_at(Index layer) const { return static_cast<Index>(layers_[static_cast<std::size_t>(layer)]); }
    Index head_at(Index head) const { return static_cast<Index>(heads_[static_cast<std::size_t>(head)]); }

    /// Rows of a sequence that no mask takes out.
    static Index left(const HeadArray& of, const Kept& kept, Index number) {
        return kept.empty() ? of.shape()[3] : static_cast<Index>(kept[static_cast<std::size_t>(number)].size());
    }
    template <class Count>
    Index longest(Count count) const {
        Index most = 0;
        for (Index number = 0; number < sequences(); ++number) most = std::max(most, count(number));
        return most;
    }

    /// Keys may have other tokens than queries, values another number of columns than keys.
    static void require_alike(const HeadArray& array, const HeadArray& model, const std::vector<std::size_t>& same,
                              const char* name) {
        const auto &own = array.shape(), &others = model.shape();
        if (std::all_of(same.begin(), same.end(), [&](std::size_t axis) { return own[axis] == others[axis]; })) return;
        datasets::refuse({array.place()}, fmt::format("is {} {}; {} are {}", fmt::join(own, " x "), axis_names, name,
                                                      fmt::join(others, " x ")));
    }

    /// The tokens that a mask keeps. The array of its usual name may be missing: then there is no padding. One that the
    /// entry names must be there.
    static Kept read_mask(const config::Value& entry, const char* usual, const std::string& path,
                          const models::ArrayFile& file, const HeadArray& of) {
        const std::string name = entry.has(usual) ? entry.at(usual).text() : usual;
        const auto& names = file.names();
        if (!entry.has(usual) && std::find(names.begin(), names.end(), usual) == names.end()) return {};
        return kept_tokens(file.array(name), path + ":" + name, of.shape()[2], of.shape()[3]);
    }

    void read_masks(const config::Value& entry, const std::string& path, const models::ArrayFile& file) {
        kept_ = read_mask(entry, "attention_mask", path, file, keys_);
        kept_queries_ = read_mask(entry, "query_mask", path, file, queries_);
        crosses_ = queries_.shape()[3] != keys_.shape()[3] || !kept_queries_.empty();
        // One mask serves queries and keys of the same tokens.
        if (!crosses_) kept_queries_ = kept_;
    }

    std::string path_;
    HeadArray queries_, keys_, values_;
    Kept kept_, kept_queries_;  ///< of keys and values, and of queries; empty where there is no mask
    bool crosses_ = false;
    std::string hash_;
    std::vector<std::size_t> layers_, heads_;
};

}  // namespace

std::vector<config::KeyRule> file_keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("file", text(), "HDF5, .npz or safetensors"),
        defaulted("queries", text(), "queries",
                  "their array, [layer, head, sequence, token, d] or with leading axes left out; "
                  "with a star for the layer's number, one a layer"),
        defaulted("keys", text(), "keys", "the same of keys"),
        defaulted("values", text(), "values", "the same of values"),
        optional("axes", list_of(one_of({"layer", "head", "sequence", "token", "d"})),
                 "the axes of all three in the file's order, where it is another: [sequence, token, head, d]"),
        optional(
            "attention_mask", text(),
            "[sequence, token]: 1 where a token counts, 0 where it is padding; else the array of that name, if any"),
        optional("query_mask", text(),
                 "the same of the queries' tokens, where keys and values are those of others (cross-attention)"),
    };
    for (KeyRule& rule : choice_keys()) all.push_back(std::move(rule));
    return all;
}

std::shared_ptr<const HeadSource> file_heads(const config::Value& entry) {
    const std::string path = config::existing_path(entry.at("file"));
    return std::make_shared<FileHeads>(entry, path, models::ArrayFile(path));
}

}  // namespace rfbench::experiments
