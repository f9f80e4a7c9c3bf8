#pragma once
// The data sets that a user has added: a manifest beside the project's, in the same format, whose files stay where they
// are.
#include <filesystem>
#include <string>

#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/manifest.hpp"

namespace rfbench::datasets {

/// $XDG_DATA_HOME/rfbench/manifest.yaml, or ~/.local/share/rfbench/manifest.yaml: what it lists are the user's data, no
/// settings of a program (XDG Base Directory Specification). Empty where neither XDG_DATA_HOME nor HOME is absolute.
std::filesystem::path own_manifest_path();

/// The project's data sets, then the user's, where there is such a file. Throws config::Error "file:line:column: ..."
/// for one that is damaged (as parse_manifest) or has a name of the project's.
Manifest with_own(Manifest project, const std::filesystem::path& own);

/// The YAML of an entry for a file: what its columns are taken for, the classes with their rows, sha256 and size.
/// `path` is kept as it is given. Throws DataError as look_at() and layout_of(), for fewer than 20 rows, and for a name
/// that is not made of letters, digits, '.', '_' and '-' or is 'file'.
std::string own_entry(const std::string& name, const std::filesystem::path& path, const ColumnChoice&);

/// Adds such an entry to the file at `own`, which is made where there is none; returns what was added. Throws
/// InputError for a name that is taken, in `known` (ours and the user's), and config::Error where the file is damaged.
std::string add_own(const std::filesystem::path& own, const Manifest& known, const std::string& name,
                    const std::filesystem::path& path, const ColumnChoice&);

}  // namespace rfbench::datasets
