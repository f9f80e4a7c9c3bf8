#include "rfbench/store/journal.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string_view>

#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/journal_line.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::store {
namespace {

namespace fs = std::filesystem;

std::string time_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

// The last member of a line: by it a line is known whose damage still reads as an event.
std::string sum_member(std::string_view before) { return ",\"sum\":\"" + sha256(before).substr(0, 16) + "\"}"; }

std::string sealed_line(const Event& event) {
    std::string line = journal_line(event);
    line.pop_back();
    return line + sum_member(line);
}

Event parse_sealed_line(std::string_view line) {
    Event event = parse_journal_line(line);
    const std::size_t sum = std::min(line.rfind(",\"sum\":"), line.size());
    if (line.substr(sum) != sum_member(line.substr(0, sum))) throw Error("the line's sum is not that of its text");
    return event;
}

// How much of the journal is whole lines.
std::size_t whole_lines(std::string_view text) {
    const std::size_t last = text.rfind('\n');
    return last == std::string_view::npos ? 0 : last + 1;
}

bool ends_with_newline(const Descriptor& file, std::size_t size) {
    char last = '\n';
    if (size > 0) file.read(&last, 1, size - 1);
    return last == '\n';
}

}  // namespace

void append(const fs::path& journal, const Event& event) {
    if (event.event.empty()) throw std::invalid_argument("an event of the journal has no name");
    Event stamped = event;
    if (stamped.time.empty()) stamped.time = time_text();
    const std::string line = sealed_line(stamped) + "\n";

    // A link to a file of somebody's is not appended to.
    Descriptor file(journal, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, "open");
    // A last line without its end is of an append that never returned: it is cut off first.
    const std::size_t size = file.size(),
                      kept = ends_with_newline(file, size) ? size : whole_lines(read_whole(journal));
    if (kept < size) file.truncate(kept);

    try {
        file.write(std::as_bytes(std::span(line)));
        file.sync();
    } catch (const Error&) {
        // Part of the line may be there. What matters is said by the first failure; a torn line is passed over anyway.
        try {
            file.truncate(kept);
        } catch (const Error&) {
        }
        throw;
    }
    file.close();
    // A new file's name must survive too.
    if (size == 0) sync_folder(journal.has_parent_path() ? journal.parent_path() : ".");
}

void drop_damaged_lines(const fs::path& journal) {
    std::string text;
    for (const Event& event : read_journal(journal).events) text += sealed_line(event) + "\n";
    write_file(journal, text);
}

JournalContents read_journal(const fs::path& journal) {
    JournalContents contents;
    const auto text = read_if_there(journal);
    if (!text) return contents;

    std::string_view rest(*text);
    contents.torn = whole_lines(rest) < rest.size();
    rest = rest.substr(0, whole_lines(rest));
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        try {
            contents.events.push_back(parse_sealed_line(rest.substr(0, end)));
        } catch (const FileError& problem) {
            contents.damaged.push_back({number, problem.what()});
        }
        rest.remove_prefix(end + 1);
    }
    return contents;
}

}  // namespace rfbench::store
