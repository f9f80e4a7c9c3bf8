#include "rfbench/config/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "rfbench/text/nearest.hpp"
#include "rfbench/text/utf8.hpp"

namespace rfbench::config {
namespace {

namespace fs = std::filesystem;

std::string nearest_file(const fs::path& path) {
    std::error_code failure;
    // The order of a folder is the file system's; the message must not depend on it.
    std::set<fs::path> files;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
        const fs::path file = entry->path().filename();
        if (file.extension() == ".yaml" || file.extension() == ".yml") files.insert(file);
    }
    // Their extension makes no two names alike.
    std::vector<std::string> stems;
    for (const fs::path& file : files) stems.push_back(file.stem().string());
    const std::string near = nearest(path.stem().string(), stems);
    const auto meant =
        std::find_if(files.begin(), files.end(), [&](const fs::path& file) { return file.stem() == near; });
    return meant == files.end() ? "" : " Did you mean '" + meant->string() + "'?";
}

std::string too_long(std::size_t bytes) {
    return fmt::format("a configuration has at most {} bytes, this one has {}.", max_text_bytes, bytes);
}

// Objection to the character of the given length; empty when there is none.
std::string objection(std::string_view text, std::size_t length, int column) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[0]));
    if (byte == '\t') return "a tab; write spaces instead (or \\t inside double quotes).";
    if (byte == 0) return "a NUL byte; this is not a text file.";
    if ((byte < 0x20U && byte != '\n') || byte == 0x7FU) {
        return fmt::format("the control character 0x{:02x} is not allowed.", byte);
    }
    // U+0080 to U+009F, the control characters of two bytes.
    if (byte == 0xC2U && static_cast<unsigned char>(text[1]) < 0xA0U) {
        return fmt::format("the control character U+{:04X} is not allowed.",
                           static_cast<unsigned>(static_cast<unsigned char>(text[1])));
    }
    if (text.substr(0, length) == "\xEF\xBB\xBF") return "a byte order mark inside the text is not allowed.";
    if (byte == '%' && column == 1) return "YAML directives (lines that begin with '%') are not allowed.";
    return {};
}

}  // namespace

std::string read_source(const std::string& path) {
    const fs::path file(path);
    std::error_code failure;
    const fs::file_status status = fs::status(file, failure);
    if (!fs::exists(status)) {
        const bool absent = status.type() == fs::file_type::not_found;
        throw Error(path + ": " +
                    (absent ? "there is no such file." + nearest_file(file)
                            : "cannot be looked at: " + failure.message() + "."));
    }
    if (fs::is_directory(status)) throw Error(path + ": is a folder; give the configuration file in it.");
    if (!fs::is_regular_file(status)) throw Error(path + ": is not a regular file.");
    const auto size = fs::file_size(file, failure);
    if (!failure && size > max_text_bytes) throw Error(path + ": " + too_long(size));

    // The file may have grown meanwhile: never read more than one byte beyond the limit.
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(path + ": cannot be opened: " + std::strerror(errno) + ".");
    std::string bytes(max_text_bytes + 1, '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (in.bad()) throw Error(path + ": cannot be read: " + std::strerror(errno) + ".");
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

std::string checked_text(std::string_view bytes, const std::shared_ptr<const Source>& source) {
    if (bytes.size() > max_text_bytes) throw Error({source}, "", too_long(bytes.size()));
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);

    const std::string_view valid = bytes.substr(0, utf8_fault(bytes));
    std::string text;
    text.reserve(valid.size());
    int line = 1, column = 1;
    for (std::size_t at = 0; at < valid.size();) {
        // A carriage return that stands alone stays, and is refused as a control character.
        if (valid.substr(at).starts_with("\r\n")) ++at;
        std::size_t next = at + 1;
        while (next < valid.size() && continues_utf8(valid[next])) ++next;
        const std::string wrong = objection(valid.substr(at), next - at, column);
        if (!wrong.empty()) throw Error({source, line, column}, "", wrong);
        const bool ends_line = valid[at] == '\n';
        line += ends_line ? 1 : 0;
        column = ends_line ? 1 : column + 1;
        text.append(valid.substr(at, next - at));
        at = next;
    }
    if (valid.size() < bytes.size()) {
        const auto byte = static_cast<unsigned>(static_cast<unsigned char>(bytes[valid.size()]));
        throw Error({source, line, column}, "", fmt::format("the byte 0x{:02x} is not UTF-8 text.", byte));
    }
    return text;
}

}  // namespace rfbench::config
