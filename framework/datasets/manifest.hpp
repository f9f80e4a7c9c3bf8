#pragma once
// The data sets the project knows: data/manifest.yaml. data/README.md says what each key means.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rfbench/datasets/table.hpp"

namespace rfbench::datasets {

/// text: rows with a layout, in delimited text, ARFF or LIBSVM's (Layout::form). idx: a file of images and a file of
/// labels in the IDX format. plain: a text to be read as it is.
enum class Format { text, idx, plain };

/// Source of a file beyond the data folder and the caches: rules that give its bytes, a file that a Debian package
/// installs or the output of its program, or an https URL, which is only ever opened by fetch(). One of generator,
/// package and url is given.
struct Source {
    std::string generator;             ///< one of generators()
    std::string package;               ///< Debian package
    std::string file;                  ///< the absolute path that the package installs; empty where there is a command
    std::vector<std::string> command;  ///< a program of the package with its arguments, which prints the file
    std::string url;
    std::string member;  ///< the file inside the zip archive at the URL; empty when the URL is not a zip archive
};

struct DataFile {
    /// Relative to a data folder, as in uci/car.data; path.gz is looked for too. Of a user's file: where it is.
    std::string path;
    std::string sha256;  ///< 64 lower-case hexadecimal digits, of the contents after gzip or zip was taken off
    std::size_t size;    ///< bytes of these contents
    std::vector<Source> sources;
};

struct Entry {
    std::string name;
    std::string title;
    std::string description;
    std::string licence;
    std::string licence_url;
    std::string citation;
    std::string doi;
    std::string homepage;
    Format format;
    Layout layout;     ///< of a text format
    std::size_t rows;  ///< of plain text: its lines
    std::vector<std::pair<std::string, std::size_t>>
        classes;                  ///< each class and its number of rows, in label order; none of plain text
    std::vector<DataFile> files;  ///< idx: the images, then the labels; else one
};

struct Manifest {
    std::string file;
    std::vector<Entry> entries;  ///< in file order

    /// Throws InputError with the nearest name and all names when there is no such data set.
    const Entry& find(std::string_view name) const;
};

/// Reads and checks a manifest. Throws config::Error "file:line:column: key.path: ..." for text that is not YAML, an
/// unknown, missing or repeated key, a value of the wrong kind, class counts that do not add up to `rows`, a path that
/// leaves its folder, a sha256 that is none, a generator that does not exist, or a URL that is not https.
/// load_manifest() throws DataError for a file that cannot be read.
Manifest load_manifest(const std::filesystem::path&);
Manifest parse_manifest(const std::string& text, const std::string& file);

/// A manifest of the user's: paths are absolute and have no sources, and whose data they are need not be said. Throws
/// likewise, and for a name that is `taken`.
Manifest parse_own_manifest(const std::string& text, const std::string& file, const std::vector<std::string>& taken);

}  // namespace rfbench::datasets
