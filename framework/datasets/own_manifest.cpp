#include "rfbench/datasets/own_manifest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "rfbench/config/error.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/datasets/unpacked.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_own_manifest_bytes = config::max_text_bytes;
constexpr std::size_t fewest_rows = 20;  // as regression needs to train, to validate and to test on
constexpr const char* first_lines = "# Data sets that 'rfbench data add' has added.\nversion: 1\ndatasets:\n";

/// In double quotes, which YAML reads as JSON does. Throws InputError with `otherwise` for what is not UTF-8.
std::string quoted(const std::string& text, const std::string& otherwise) {
    try {
        return nlohmann::json(text).dump();
    } catch (const nlohmann::json::type_error&) {
        throw InputError("data add: " + otherwise);
    }
}

std::string quoted(const std::string& text) {
    return quoted(text,
                  "a column or a category has a name that is not UTF-8, which the manifest is written in; convert the "
                  "file first, by 'iconv -f latin1 -t utf8', say");
}

std::string quoted_path(const std::string& path) {
    return quoted(path, "the path of the file is not UTF-8, which the manifest is written in; rename it first");
}

std::string quoted(const std::vector<std::string>& texts) {
    std::vector<std::string> all;
    for (const std::string& text : texts) all.push_back(quoted(text));
    return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string column_text(const Column& column) {
    switch (column.type) {
        case ColumnType::number: return "type: number";
        case ColumnType::category: return "type: category, values: " + quoted(column.categories);
        case ColumnType::label: return "type: label";
        case ColumnType::ignored: return "type: ignored";
    }
    return {};
}

const SeenColumn& seen_label(const SeenTable& table, const ColumnChoice& choice) {
    return *std::find_if(table.columns.begin(), table.columns.end(),
                         [&](const SeenColumn& column) { return column.name == choice.label; });
}

void require_name(const std::string& name) {
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; };
    if (name.empty() || name == "file" || !std::all_of(name.begin(), name.end(), allowed))
        throw InputError(
            "a data set cannot be called '" + name +
            "': names have letters, digits, '.', '_' and '-', and 'file' is none; say another with --name");
}

}  // namespace

fs::path own_manifest_path() {
    const auto absolute = [](const char* name) {
        const char* const value = std::getenv(name);
        return value && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
    };
    if (const fs::path data = absolute("XDG_DATA_HOME"); !data.empty()) return data / "rfbench" / "manifest.yaml";
    if (const fs::path home = absolute("HOME"); !home.empty())
        return home / ".local" / "share" / "rfbench" / "manifest.yaml";
    return {};
}

Manifest with_own(Manifest project, const fs::path& own) {
    std::error_code ignored;
    if (own.empty() || !fs::exists(own, ignored)) return project;
    // 'file' is what a configuration calls data that it names by a path.
    std::vector<std::string> taken{"file"};
    for (const Entry& entry : project.entries) taken.push_back(entry.name);
    Manifest users = parse_own_manifest(file_bytes(own, max_own_manifest_bytes), own.string(), taken);
    std::move(users.entries.begin(), users.entries.end(), std::back_inserter(project.entries));
    return project;
}

std::string own_entry(const std::string& name, const fs::path& path, const ColumnChoice& choice) {
    require_name(name);
    const std::string file = path.string(), text = text_of_file(file);
    const SeenTable table = look_at(text, file, choice);
    const Layout layout = layout_of(table, choice, file);
    if (layout.real_label)
        refuse({file},
               fmt::format("column '{}' has numbers with fractions, {} different ones: it is to be predicted and "
                           "no class. Name the file in a configuration of regression/ridge: "
                           "datasets: [{{use: file, file: ..., label: {}}}]",
                           choice.label, seen_label(table, choice).words.size(), choice.label));
    if (table.rows < fewest_rows)
        refuse({file}, fmt::format("has {}; {} are needed to train, to validate and to test on",
                                   counted(table.rows, "row"), fewest_rows));
    // The reading of the file is written down, so that nothing guesses later.
    std::string classes, columns;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const Column& column = layout.columns[i];
        columns += fmt::format("      - {{name: {}, {}}}\n", quoted(column.name), column_text(column));
        if (column.type != ColumnType::label) continue;
        for (std::size_t k = 0; k < column.categories.size(); ++k)
            classes += fmt::format("{}{}: {}", k == 0 ? "" : ", ", quoted(column.categories[k]),
                                   table.columns[i].word_rows[k]);
    }
    const std::string separator = table.form != TextForm::delimited
                                      ? ""
                                      : fmt::format("    separator: {}\n{}", name_of(table.separator),
                                                    table.header_lines == 0 ? "" : "    header_lines: 1\n");
    return fmt::format(
        "  {}:\n    title: {}\n    format: {}\n{}    rows: {}\n    classes: "
        "{{{}}}\n    columns:\n{}    files:\n      - path: {}\n        sha256: {}\n        size: {}\n",
        name, quoted_path(path.filename().string()), name_of(table.form), separator, table.rows, classes, columns,
        quoted_path(file), store::sha256(text), text.size());
}

std::string add_own(const fs::path& own, const Manifest& known, const std::string& name, const fs::path& path,
                    const ColumnChoice& choice) {
    if (own.empty()) throw InputError("there is no folder for your manifest: set XDG_DATA_HOME or HOME");
    for (const Entry& entry : known.entries)
        if (entry.name == name)
            throw InputError("there is a data set '" + name + "' already; give yours another name with --name");
    std::string entry = own_entry(name, path, choice);
    // Held from before it is read until it is written: of two at once none loses what the other adds.
    fs::create_directories(own.parent_path());
    const store::Descriptor lock(own.string() + ".lock", O_RDWR | O_CREAT, "open");
    if (!store::try_lock(lock.number()))
        throw InputError(fmt::format("{}: another 'rfbench data add' is at work; try again", own.string()));
    std::error_code ignored;
    std::string text = fs::exists(own, ignored) ? file_bytes(own, max_own_manifest_bytes) : first_lines;
    if (!text.ends_with('\n')) text += '\n';
    text += entry;
    if (text.size() > max_own_manifest_bytes)
        throw InputError(fmt::format("{}: with '{}' it would have {} bytes; at most {} are read", own.string(), name,
                                     text.size(), max_own_manifest_bytes));
    // The text that is written must be readable.
    parse_own_manifest(text, own.string(), {});
    store::remove_temporaries_beside(own);
    store::write_file(own, text);
    return entry;
}

}  // namespace rfbench::datasets
