#include "rfbench/datasets/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/generators.hpp"
#include "rfbench/datasets/manifest_node.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t largest_manifest = 1 << 20;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool stays_inside(const std::string& text) {
    const std::filesystem::path path(text);
    return path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

Source source_of(const config::Node& node, const std::string& owner) {
    const MapReader map(node, "a source of " + owner, {"generator", "package", "file", "url", "member"});
    Source source;
    if (map.has("generator") + map.has("package") + map.has("url") != 1) {
        refuse_node(node, "a source of " + owner + " has either 'generator', or 'package' and 'file', or 'url'");
    }
    if (map.has("file") && !map.has("package")) map.refuse_at("file", "only goes with 'package'");
    if (map.has("member") && !map.has("url")) map.refuse_at("member", "only goes with 'url'");
    if (map.has("generator")) source.generator = map.choice("generator", generators());
    if (map.has("url")) {
        source.url = map.text("url");
        if (!source.url.starts_with("https://")) map.refuse_at("url", "must begin with https://");
        if (map.has("member")) source.member = map.text("member");
    }
    if (map.has("package")) {
        source.package = map.text("package");
        source.file = map.text("file");
        if (!std::filesystem::path(source.file).is_absolute()) map.refuse_at("file", "must be an absolute path");
    }
    return source;
}

DataFile file_of(const config::Node& node, const std::string& owner) {
    const MapReader map(node, "a file of " + owner, {"path", "sha256", "size", "sources"});
    DataFile data{map.text("path"), map.text("sha256"), map.count("size"), {}};
    if (!stays_inside(data.path)) map.refuse_at("path", "must be relative and stay inside its folder");
    if (!is_sha256(data.sha256)) map.refuse_at("sha256", "must have 64 lower-case hexadecimal digits");
    if (map.has("sources")) {
        for (const config::Node& source : map.list("sources")) data.sources.push_back(source_of(source, owner));
    }
    return data;
}

/// One declared column; `repeat: n` stands for n of them, name_1 .. name_n.
void add_columns(const config::Node& node, const std::string& owner, const Entry& entry, std::vector<Column>& columns) {
    const MapReader map(node, "a column of " + owner, {"name", "type", "values", "repeat"});
    const std::string type = map.choice("type", {"number", "category", "label", "ignored"});
    Column column{map.text("name"), ColumnType::number, {}};
    if (type == "category") {
        column.type = ColumnType::category;
        for (const config::Node& value : map.list("values")) {
            column.categories.push_back(text_of(value, fmt::format("a value of column '{}'", column.name)));
        }
    } else if (map.has("values")) {
        map.refuse_at("values", "only goes with type: category");
    }
    if (type == "ignored") column.type = ColumnType::ignored;
    if (type == "label") {
        column.type = ColumnType::label;
        for (const auto& [name, rows] : entry.classes) column.categories.push_back(name);
    }

    if (!map.has("repeat")) {
        columns.push_back(column);
        return;
    }
    const std::size_t repeat = map.count("repeat");
    if (repeat > 10000) map.refuse_at("repeat", "is more than 10000");
    for (std::size_t i = 1; i <= repeat; ++i) {
        columns.push_back(column);
        columns.back().name = fmt::format("{}_{}", column.name, i);
    }
}

void read_layout(const MapReader& map, const std::string& owner, Entry& entry) {
    if (map.has("separator")) {
        const std::string name = map.choice("separator", {"comma", "tab", "spaces"});
        if (name == "tab") entry.layout.separator = Separator::tab;
        if (name == "spaces") entry.layout.separator = Separator::spaces;
    }
    if (map.has("header_lines")) entry.layout.header_lines = map.count("header_lines");
    for (const config::Node& column : map.list("columns")) {
        add_columns(column, owner, entry, entry.layout.columns);
    }
    const auto is_label = [](const Column& column) { return column.type == ColumnType::label; };
    if (std::count_if(entry.layout.columns.begin(), entry.layout.columns.end(), is_label) != 1) {
        map.refuse_at("columns", "must have exactly one column of type label");
    }
}

void read_classes(const MapReader& map, const std::string& owner, Entry& entry) {
    std::size_t total = 0;
    const config::Node& classes = map.at("classes");
    require_map(classes, fmt::format("'classes' of {}", owner));
    for (std::size_t i = 0; i < classes.keys.size(); ++i) {
        const std::string& name = classes.keys[i].name;
        entry.classes.emplace_back(name, count_of(classes.items[i], fmt::format("the rows of class '{}'", name)));
        total += entry.classes.back().second;
    }
    if (total != entry.rows) {
        map.refuse_at("classes", fmt::format("add up to {} rows, but 'rows' is {}", total, entry.rows));
    }
}

Entry entry_of(const std::string& name, const config::Node& node) {
    const std::string owner = fmt::format("data set '{}'", name);
    const MapReader map(node, owner,
                        {"title", "description", "licence", "licence_url", "citation", "doi", "homepage", "format",
                         "separator", "header_lines", "rows", "classes", "columns", "files"});
    Entry entry{name,
                map.text("title"),
                map.text("description"),
                map.text("licence"),
                map.text("licence_url"),
                map.text("citation"),
                map.text("doi"),
                map.text("homepage"),
                map.choice("format", {"text", "idx"}) == "text" ? Format::text : Format::idx,
                {},
                map.count("rows"),
                {},
                {}};
    read_classes(map, owner, entry);
    for (const config::Node& data : map.list("files")) entry.files.push_back(file_of(data, owner));

    const std::size_t needed = entry.format == Format::text ? 1 : 2;
    if (entry.files.size() != needed) map.refuse_at("files", fmt::format("must have {} for this format", needed));
    if (entry.format == Format::text) {
        read_layout(map, owner, entry);
    } else {
        for (const char* key : {"columns", "separator", "header_lines"}) {
            if (map.has(key)) map.refuse_at(key, "only goes with format: text");
        }
    }
    return entry;
}

config::Node document_of(const std::string& text, const std::string& file) {
    try {
        return config::parse_document(text, std::make_shared<config::Source>(config::Source{file, true, ""}));
    } catch (const config::Error& error) {
        throw DataError(error.what());
    }
}

}  // namespace

const Entry& Manifest::find(std::string_view name) const {
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    throw DataError(fmt::format("there is no data set {}; there are {}.{}", in_quotes(name), fmt::join(names, ", "),
                                did_you_mean(name, names)));
}

Manifest parse_manifest(const std::string& text, const std::string& file) {
    const config::Node document = document_of(text, file);
    const MapReader top(document, "the manifest", {"version", "datasets"});
    if (top.count("version") != 1) top.refuse_at("version", "is not 1, the only version this program reads");

    Manifest manifest{file, {}};
    const config::Node& datasets = top.at("datasets");
    require_map(datasets, "'datasets'");
    for (std::size_t i = 0; i < datasets.keys.size(); ++i) {
        manifest.entries.push_back(entry_of(datasets.keys[i].name, datasets.items[i]));
    }
    return manifest;
}

Manifest load_manifest(const std::filesystem::path& path) {
    return parse_manifest(file_bytes(path, largest_manifest), path.string());
}

}  // namespace rfbench::datasets
