#include "rfbench/store/checksums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits = 64;

bool is_digest(std::string_view text) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// As GNU coreutils do it: a line that begins with a backslash has backslash and newline escaped in its name.
std::string line(const std::string& name, const std::string& digest) {
    std::string escaped;
    for (const char c : name) {
        if (c == '\\')
            escaped += "\\\\";
        else if (c == '\n')
            escaped += "\\n";
        else
            escaped += c;
    }
    return fmt::format("{}{}  {}\n", escaped == name ? "" : "\\", digest, escaped);
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            name += text[i];
            continue;
        }
        if (++i == text.size() || (text[i] != '\\' && text[i] != 'n')) return std::nullopt;
        name += text[i] == 'n' ? '\n' : '\\';
    }
    return name;
}

bool add(std::string_view text, Checksums& list) {
    const bool escaped = text.starts_with('\\');
    if (escaped) text.remove_prefix(1);
    // sha256sum writes ' ' before the name of a text and '*' before that of a binary file, which are one here.
    if (text.size() < digits + 3 || !is_digest(text.substr(0, digits)) || text[digits] != ' ' ||
        (text[digits + 1] != ' ' && text[digits + 1] != '*'))
        return false;
    const std::string_view rest = text.substr(digits + 2);
    const auto name = escaped ? unescaped(rest) : std::string(rest);
    if (name) list[*name] = std::string(text.substr(0, digits));
    return name.has_value();
}

// The entry of a list for a file whose folder lies below (or above) that of the list as `prefix` says.
std::optional<std::string> entry(const fs::path& folder, const fs::path& prefix, const fs::path& file) {
    const Checksums list = read_checksums(folder);
    const auto found = list.find((prefix / file.filename()).generic_string());
    return found == list.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void write_checksums(const fs::path& folder, const Checksums& list) {
    std::string text;
    for (const auto& [name, digest] : list) {
        if (name.empty() || !is_digest(digest))
            throw Error(fmt::format("cannot list the file '{}' in {}: '{}' is not a sha256", name,
                                    (folder / checksums_name).string(), digest));
        text += line(name, digest);
    }
    write_file(folder / checksums_name, text);
}

Checksums read_checksums(const fs::path& folder) {
    const fs::path path = folder / checksums_name;
    const auto text = read_if_there(path);
    Checksums list;
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (!add(rest.substr(0, end), list))
            throw Error(
                fmt::format("{}:{}: this is not a line of a checksum list; expected are 64 hexadecimal digits, "
                            "two spaces and a file's name",
                            path.string(), number));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return list;
}

std::optional<std::string> listed_checksum(const fs::path& file) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    const fs::path folder = whole.parent_path();
    // Lists that may name it: beside it, one folder up, and, of a collected file, in the folder that is called like it.
    if (auto found = entry(folder, "", whole)) return found;
    if (auto found = entry(folder.parent_path(), folder.filename(), whole)) return found;
    // Without an extension that folder would be the file itself.
    if (!whole.has_extension()) return std::nullopt;
    return entry(folder / whole.stem(), "..", whole);
}

}  // namespace rfbench::store
