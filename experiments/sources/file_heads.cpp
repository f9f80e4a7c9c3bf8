// Heads that a user's program has written: queries, keys and values as arrays of a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "project.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/models/array_file.hpp"
#include "rfbench/store/sha256.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

/// [layer, head, sequence, token, d]; axes that are left out in front have one entry.
struct Tokens {
    std::vector<Index> shape;
    std::vector<double> values;

    Tokens(const config::Value& entry, const std::string& file, const char* key) {
        const std::string name = entry.at(key).text(), place = file + ":" + name;
        models::Array array = models::read_array(file, name);
        if (array.shape.size() < 2 || array.shape.size() > 5)
            datasets::refuse({place}, fmt::format("has the shape {}; [layer, head, sequence, token, d] is wanted, or "
                                                  "with leading axes left out",
                                                  fmt::join(array.shape, " x ")));
        shape.assign(5 - array.shape.size(), 1);
        shape.insert(shape.end(), array.shape.begin(), array.shape.end());
        values = std::move(array.values);
    }

    Points rows(Index layer, Index head, Index sequence) const {
        const Index at = ((layer * shape[1] + head) * shape[2] + sequence) * shape[3] * shape[4];
        return Eigen::Map<const Points>(values.data() + at, shape[3], shape[4]);
    }
};

class FileHeads final : public HeadSource {
public:
    explicit FileHeads(const config::Value& entry)
        : file_(entry.at("file").text()),
          queries_(entry, file_, "queries"),
          keys_(entry, file_, "keys"),
          values_(entry, file_, "values"),
          hash_(store::sha256_file(file_)) {
        require_alike(entry, "keys", keys_, 5);
        require_alike(entry, "values", values_, 4);
    }

    Index layers() const override { return queries_.shape[0]; }
    Index heads() const override { return queries_.shape[1]; }
    Index dimension() const override { return queries_.shape[4]; }
    Index length() const override { return queries_.shape[3]; }
    Index sequences() const override { return queries_.shape[2]; }
    std::string label(Index layer, Index head) const override {
        return fmt::format("layer {}, head {}", layer + 1, head + 1);
    }
    std::string layer_setting(Index layer) const override { return fmt::format("layer {}", layer); }
    std::string head_setting(Index head) const override { return fmt::format("head {}", head); }
    std::string data_hash() const override { return hash_; }
    HeadSequence sequence(Index layer, Index head, Index number) const override {
        return {{queries_.rows(layer, head, number), keys_.rows(layer, head, number)},
                values_.rows(layer, head, number)};
    }

private:
    /// Values may have another number of columns.
    void require_alike(const config::Value& entry, const char* key, const Tokens& other, std::size_t axes) const {
        if (std::equal(other.shape.begin(), other.shape.begin() + static_cast<std::ptrdiff_t>(axes),
                       queries_.shape.begin()))
            return;
        datasets::refuse({file_ + ":" + entry.at(key).text()},
                         fmt::format("is {} [layer, head, sequence, token, d]; queries are {}",
                                     fmt::join(other.shape, " x "), fmt::join(queries_.shape, " x ")));
    }

    std::string file_;
    Tokens queries_, keys_, values_;
    std::string hash_;
};

}  // namespace

std::vector<config::KeyRule> file_keys() {
    using namespace config;
    return {
        required("file", text(), "HDF5, .npz or safetensors"),
        defaulted("queries", text(), "queries",
                  "their array, [layer, head, sequence, token, d] or with leading axes left out"),
        defaulted("keys", text(), "keys", "the same of keys"),
        defaulted("values", text(), "values", "the same of values"),
    };
}

std::shared_ptr<const HeadSource> file_heads(const config::Value& entry) { return std::make_shared<FileHeads>(entry); }

}  // namespace rfbench::experiments
