#include "rfbench/datasets/load.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "rfbench/datasets/idx.hpp"

namespace rfbench::datasets {

namespace {

/// A label in an IDX file is the class's name as a number; its code is its place in the manifest's list.
int code_of(std::uint8_t label, const Entry& entry, const std::string& file, std::size_t row) {
    for (std::size_t code = 0; code < entry.classes.size(); ++code) {
        if (entry.classes[code].first == std::to_string(label)) return static_cast<int>(code);
    }
    refuse({file}, fmt::format("label {} (counted from 0) is {}, which is no class of '{}'", row, label, entry.name));
}

/// How messages call a file: by its path on this machine, or by the manifest's when its bytes were generated.
std::string name_of(const FoundFile& found, const DataFile& declared) {
    return found.path.empty() ? declared.path : found.path.string();
}

Table read_idx_table(const Entry& entry, const std::vector<FoundFile>& files) {
    const std::string images_file = name_of(files.at(0), entry.files.at(0));
    const std::string labels_file = name_of(files.at(1), entry.files.at(1));
    const IdxArray images = read_idx(files[0].contents, 3, images_file);
    const IdxArray labels = read_idx(files[1].contents, 1, labels_file);
    const std::size_t rows = images.shape[0];
    const std::size_t pixels = images.shape[1] * images.shape[2];
    if (labels.shape[0] != rows) {
        refuse({labels_file}, fmt::format("has {} labels for the {} images of {}", labels.shape[0], rows, images_file));
    }

    Table table;
    for (std::size_t i = 1; i <= pixels; ++i) {
        table.columns.push_back({fmt::format("pixel_{}", i), ColumnType::number, {}});
    }
    for (const auto& [name, count] : entry.classes) table.class_names.push_back(name);
    using Bytes = Rows<std::uint8_t>;
    table.values = Eigen::Map<const Bytes>(images.values.data(), static_cast<Index>(rows), static_cast<Index>(pixels))
                       .cast<double>();
    for (std::size_t row = 0; row < rows; ++row) {
        table.classes.push_back(code_of(labels.values[row], entry, labels_file, row));
    }
    return table;
}

/// The bytes are known by their sha256: what differs here is what the manifest says of them.
void check_counts(const Table& table, const Entry& entry, const std::string& file) {
    if (table.classes.size() != entry.rows) {
        refuse({file}, fmt::format("has {} rows; the manifest says {}", table.classes.size(), entry.rows));
    }
    const std::vector<std::size_t> counts = class_counts(table);
    for (std::size_t code = 0; code < counts.size(); ++code) {
        const auto& [name, expected] = entry.classes[code];
        if (counts[code] == expected) continue;
        refuse({file}, fmt::format("has {} rows of class '{}'; the manifest says {}", counts[code], name, expected));
    }
}

}  // namespace

Table load(const Entry& entry, const std::vector<FoundFile>& files) {
    if (files.size() != entry.files.size()) {
        throw std::invalid_argument(
            fmt::format("data set '{}' has {} files; {} were given", entry.name, entry.files.size(), files.size()));
    }
    if (entry.format == Format::plain)
        throw DataError(fmt::format("data set '{}' is a text; it has no rows of numbers and no classes", entry.name));
    const std::string file = name_of(files.front(), entry.files.front());
    Table table = entry.format == Format::text ? read_table(files.front().contents, entry.layout, file)
                                               : read_idx_table(entry, files);
    check_counts(table, entry, file);
    return table;
}

Table load(const Entry& entry, const Places& places, const Warn& warn) {
    return load(entry, locate(entry, places, warn));
}

}  // namespace rfbench::datasets
