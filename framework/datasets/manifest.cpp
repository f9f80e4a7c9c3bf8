#include "rfbench/datasets/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/config/load.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/generators.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

using config::Value;

constexpr std::size_t max_manifest_bytes = 1 << 20;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool stays_inside(const std::string& text) {
    const std::filesystem::path path(text);
    return path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

/// Owner of the data sets that a manifest lists.
enum class Owner { project, user };

/// Schema of a manifest; data/README.md says more of each key.
config::Schema schema(Owner owner) {
    using namespace config;
    const auto word = [](const char* name, const char* what) { return required(name, text(), what); };
    // The project says of its data whose they are; of a user's own that need not be said.
    const auto said = [&](const char* name, const char* what) {
        return owner == Owner::project ? word(name, what) : optional(name, text(), what);
    };
    const Schema source = object({
        optional("generator", one_of(generators()), "rules that give the file's bytes"),
        optional("package", text(), "the Debian package that installs the file"),
        optional("file", text(), "the absolute path that the package installs"),
        optional("command", list_of(text(), 1, Repetition::allowed), "a program of the package that prints the file"),
        optional("url", text(), "an https URL"),
        optional("member", text(), "the file inside the zip archive at the URL"),
    });
    const Schema file = object({
        word("path", "of the file, relative to a data folder"),
        word("sha256", "of its contents, 64 lower-case hexadecimal digits"),
        required("size", integer(1), "bytes of its contents"),
        optional("sources", list_of(source, 1, Repetition::allowed), "where it comes from"),
    });
    const Schema column = object({
        word("name", "of the column"),
        required("type", one_of({"number", "category", "label", "ignored"}), "what its fields are"),
        optional("values", list_of(text()), "the categories"),
        optional("repeat", integer(1, 10000), "stands for so many columns, name_1 .. name_n"),
    });
    const Schema entry = object({
        word("title", "of the data set"),
        said("description", "what its rows are"),
        said("licence", "of the data"),
        said("licence_url", "the licence's text"),
        said("citation", "whom to cite"),
        said("doi", "of the data set"),
        said("homepage", "of the data set"),
        required("format", one_of({"text", "arff", "libsvm", "idx", "plain"}), "of its files"),
        optional("separator", one_of({"comma", "semicolon", "tab", "spaces"}), "between fields"),
        optional("header_lines", integer(1), "lines before the first row"),
        required("rows", integer(1), "of the data set"),
        optional("classes", map_of(integer(1)), "each class and its number of rows; plain text has none"),
        optional("columns", list_of(column, 1, Repetition::allowed), "of a row"),
        required("files", list_of(file, 1, Repetition::allowed), "idx: the images, then the labels; else one"),
    });
    return object({
        required("version", one_of({"1"}), "of this format"),
        required("datasets", map_of(entry), "the data sets by name"),
    });
}

std::size_t count(const Value& value) { return static_cast<std::size_t>(value.integer()); }

/// A text without the end of a folded block; nothing where it is not said.
std::string line(const Value& map, const char* key) {
    if (!map.has(key)) return {};
    const std::string& text = map.at(key).text();
    return text.substr(0, text.find_last_not_of(" \n") + 1);
}

/// A key that means nothing where it stands is refused, rather than passed over.
void only_with(const Value& map, const char* key, bool allowed, const char* what) {
    if (!allowed && map.has(key)) map.at(key).refuse(fmt::format("only goes with {}.", what));
}

Source source_of(const Value& map) {
    if (map.has("generator") + map.has("package") + map.has("url") != 1)
        map.refuse("a source has either 'generator', or 'package' and 'file' or 'command', or 'url'.");
    for (const char* key : {"file", "command"}) only_with(map, key, map.has("package"), "'package'");
    only_with(map, "member", map.has("url"), "'url'");
    const auto text = [&](const char* key) { return map.has(key) ? map.at(key).text() : std::string(); };
    const auto command = map.has("command") ? map.at("command").texts() : std::vector<std::string>();
    Source source{text("generator"), text("package"), text("file"), command, text("url"), text("member")};
    if (map.has("url") && !source.url.starts_with("https://")) map.at("url").refuse("must begin with https://.");
    if (map.has("package") && map.has("file") + map.has("command") != 1)
        map.at("package").refuse("needs 'file', the path that it installs, or 'command', which prints the file.");
    if (map.has("file") && !std::filesystem::path(source.file).is_absolute())
        map.at("file").refuse("must be an absolute path.");
    return source;
}

DataFile file_of(const Value& map, Owner owner) {
    DataFile data{map.at("path").text(), map.at("sha256").text(), count(map.at("size")), {}};
    // The project's files are looked for in several folders; a user's file is where it is.
    if (owner == Owner::project && !stays_inside(data.path))
        map.at("path").refuse("must be relative and stay inside its folder.");
    if (owner == Owner::user && !std::filesystem::path(data.path).is_absolute())
        map.at("path").refuse("must be absolute.");
    if (owner == Owner::user && map.has("sources")) map.at("sources").refuse("a file of yours has none.");
    if (!is_sha256(data.sha256)) map.at("sha256").refuse("must have 64 lower-case hexadecimal digits.");
    if (map.has("sources"))
        for (const Value& source : map.at("sources").items()) data.sources.push_back(source_of(source));
    return data;
}

/// One declared column; `repeat: n` stands for n of them, name_1 .. name_n.
void add_columns(const Value& map, const Entry& entry, std::vector<Column>& columns) {
    const std::string& type = map.at("type").text();
    Column column{map.at("name").text(), ColumnType::number, {}};
    only_with(map, "values", type == "category", "type: category");
    if (type == "category") {
        column.type = ColumnType::category;
        if (!map.has("values")) map.refuse("a column of type category needs 'values'.");
        column.categories = map.at("values").texts();
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
    for (std::size_t i = 1; i <= count(map.at("repeat")); ++i) {
        columns.push_back(column);
        columns.back().name = fmt::format("{}_{}", column.name, i);
    }
}

Format format_of(const std::string& name) {
    return name == "idx" ? Format::idx : name == "plain" ? Format::plain : Format::text;
}

void read_layout(const Value& map, Entry& entry) {
    const std::string& format = map.at("format").text();
    if (format == "arff") entry.layout.form = TextForm::arff;
    if (format == "libsvm") entry.layout.form = TextForm::libsvm;
    for (const char* key : {"separator", "header_lines"}) only_with(map, key, format == "text", "format: text");
    if (map.has("separator")) {
        const std::string& name = map.at("separator").text();
        if (name == "semicolon") entry.layout.separator = Separator::semicolon;
        if (name == "tab") entry.layout.separator = Separator::tab;
        if (name == "spaces") entry.layout.separator = Separator::spaces;
    }
    if (map.has("header_lines")) entry.layout.header_lines = count(map.at("header_lines"));
    if (!map.has("columns")) map.refuse("format: text needs 'columns'.");
    for (const Value& column : map.at("columns").items()) add_columns(column, entry, entry.layout.columns);
    const auto is_label = [](const Column& column) { return column.type == ColumnType::label; };
    if (std::count_if(entry.layout.columns.begin(), entry.layout.columns.end(), is_label) != 1)
        map.at("columns").refuse("must have exactly one column of type label.");
}

void read_classes(const Value& map, Entry& entry) {
    if (entry.format == Format::plain) {
        only_with(map, "classes", false, "format: text or idx");
        return;
    }
    if (!map.has("classes")) map.refuse("'classes' is missing: each class and its number of rows.");
    std::size_t total = 0;
    const Value& classes = map.at("classes");
    for (const std::string& name : classes.keys()) {
        entry.classes.emplace_back(name, count(classes.at(name)));
        total += entry.classes.back().second;
    }
    if (total != entry.rows) classes.refuse(fmt::format("add up to {} rows, but 'rows' is {}.", total, entry.rows));
}

Entry entry_of(const std::string& name, const Value& map, Owner owner) {
    Entry entry{name,
                line(map, "title"),
                line(map, "description"),
                line(map, "licence"),
                line(map, "licence_url"),
                line(map, "citation"),
                line(map, "doi"),
                line(map, "homepage"),
                format_of(map.at("format").text()),
                {},
                count(map.at("rows")),
                {},
                {}};
    // Before the layout, in which the column of labels has the classes as its categories.
    read_classes(map, entry);
    for (const Value& data : map.at("files").items()) entry.files.push_back(file_of(data, owner));

    const bool text = entry.format == Format::text;
    const std::size_t count = entry.format == Format::idx ? 2 : 1;
    if (entry.files.size() != count) map.at("files").refuse(fmt::format("must have {} for this format.", count));
    for (const char* key : {"columns", "separator", "header_lines"}) only_with(map, key, text, "format: text");
    if (text) read_layout(map, entry);
    return entry;
}

Manifest parsed(const std::string& text, const std::string& file, Owner owner, const std::vector<std::string>& taken) {
    const Value document = config::parse(text, file, schema(owner));
    Manifest manifest{file, {}};
    const Value& datasets = document.at("datasets");
    for (const std::string& name : datasets.keys()) {
        if (std::find(taken.begin(), taken.end(), name) != taken.end())
            datasets.at(name).refuse("the project has a data set of this name; give yours another.");
        manifest.entries.push_back(entry_of(name, datasets.at(name), owner));
    }
    return manifest;
}

}  // namespace

const Entry& Manifest::find(std::string_view name) const {
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    throw InputError(fmt::format("there is no data set {}; there are {}.{}", in_quotes(name), fmt::join(names, ", "),
                                 did_you_mean(name, names)));
}

Manifest parse_manifest(const std::string& text, const std::string& file) {
    return parsed(text, file, Owner::project, {});
}

Manifest parse_own_manifest(const std::string& text, const std::string& file, const std::vector<std::string>& taken) {
    return parsed(text, file, Owner::user, taken);
}

Manifest load_manifest(const std::filesystem::path& path) {
    return parse_manifest(file_bytes(path, max_manifest_bytes), path.string());
}

}  // namespace rfbench::datasets
