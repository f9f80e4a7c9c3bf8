#include "rfbench/store/checksums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/store/staged_result.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits = 64;
// sha256sum passes over lines that begin with a #.
constexpr std::string_view last_line_begin = "# sha256 of the lines above: ";

bool is_digest(std::string_view text) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string last_line(std::string_view above) { return fmt::format("{}{}\n", last_line_begin, sha256(above)); }

// Says why a name is no file of this result; empty for one that is.
std::string fault_of_name(const std::string& name, const fs::path& result) {
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; }))
        return "has a backslash or a control character";
    if (name == "../" + result.filename().string() + ".h5") return {};
    std::string_view rest = name;
    while (true) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (part.empty() || part == "." || part == "..") return "leads out of the folder, or has empty parts";
        if (part.size() == rest.size()) break;
        rest.remove_prefix(part.size() + 1);
    }
    return is_bookkeeping(name) || is_temporary(name) ? "is no file of a result" : "";
}

class Reading {
public:
    Reading(fs::path file, const fs::path& result) : file_(std::move(file)), result_(result) {}

    Checksums list(const std::string& text) {
        std::string_view rest = text;
        while (!rest.empty()) {
            ++line_;
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            if (rest.starts_with('#')) {
                if (rest != last_line(std::string_view(text).substr(0, text.size() - rest.size())))
                    refuse("the sha256 that it has is not that of the lines above it");
                return list_;
            }
            add(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        ++line_;
        refuse(
            "the last line, which has the sha256 of those above, is missing: the list was cut short, or is not of "
            "this version of rfbench");
    }

private:
    [[noreturn]] void refuse(const std::string& reason) const {
        throw Error(fmt::format("{}:{}: {}", file_.string(), line_, reason));
    }

    void add(std::string_view text) {
        // sha256sum writes ' ' before the name of a text and '*' before that of a binary file, which are one here.
        if (text.size() < digits + 3 || !is_digest(text.substr(0, digits)) || text[digits] != ' ' ||
            (text[digits + 1] != ' ' && text[digits + 1] != '*'))
            refuse(
                "this is not a line of a checksum list; expected are 64 hexadecimal digits, two spaces and a file's "
                "name");
        const std::string name(text.substr(digits + 2));
        if (const std::string fault = fault_of_name(name, result_); !fault.empty())
            refuse("the name in this line " + fault + ", and a list names files of its result alone");
        if (const auto link = link_below(result_, name)) refuse(link->string() + " is a symbolic link");
        if (!list_.emplace(name, text.substr(0, digits)).second) refuse("the file in this line was named before");
    }

    fs::path file_;
    const fs::path& result_;
    std::size_t line_ = 0;
    Checksums list_;
};

// The entry of a list for a file whose folder lies below (or above) that of the list as `prefix` says.
std::optional<std::string> entry(const fs::path& folder, const fs::path& prefix, const fs::path& file) {
    try {
        const Checksums list = read_checksums(folder);
        const auto found = list.find((prefix / file.filename()).generic_string());
        return found == list.end() ? std::nullopt : std::optional(found->second);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

bool is_bookkeeping(const fs::path& name) {
    const std::string first = name.begin()->string();
    return first == checksums_name || first == "journal" || first.starts_with("journal-") || first == "lock" ||
           first.starts_with("lock-") || first == "shards" || is_generation(first);
}

void write_checksums(const fs::path& folder, const Checksums& list) { write_checksums(folder, list, folder); }

void write_checksums(const fs::path& folder, const Checksums& list, const fs::path& result) {
    std::string text;
    for (const auto& [name, digest] : list) {
        const std::string fault =
            !is_digest(digest) ? fmt::format("'{}' is not a sha256", digest) : fault_of_name(name, result);
        if (!fault.empty())
            throw Error(fmt::format("cannot list the file '{}' in {}: {}{}", name, (folder / checksums_name).string(),
                                    is_digest(digest) ? "the name " : "", fault));
        text += fmt::format("{}  {}\n", digest, name);
    }
    write_file(folder / checksums_name, text + last_line(text));
}

Checksums read_checksums(const fs::path& folder) { return read_checksums(folder, folder); }

Checksums read_checksums(const fs::path& folder, const fs::path& result) {
    const fs::path path = folder / checksums_name;
    const auto text = read_if_there(path);
    return text ? Reading(path, result).list(*text) : Checksums();
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
