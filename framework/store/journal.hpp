#pragma once
// Journal of a result folder: one JSON object a line with a sum of its text, only ever appended to. Times are
// told here and nowhere else, so that result files are the same bytes from run to run.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rfbench::store {

/// One line. Empty texts, and seconds of 0, are left out of it.
struct Event {
    std::string event;     ///< "failed", "collected", "interrupted"
    std::string key;       ///< of the cell
    std::string file;      ///< that was written, relative to the journal's folder
    std::string sha256;    ///< of that file
    std::string identity;  ///< hash of what the result depends on: resolved configuration, data, schema version
    std::string reason;    ///< of a failure
    double seconds = 0;    ///< spent in the computation
    std::string time;      ///< UTC as 2026-01-31T23:59:59Z; append() fills it in when it is empty
};

struct JournalContents {
    std::vector<Event> events;  ///< in the order in which they were appended

    struct BadLine {
        std::size_t line;  ///< from 1
        std::string reason;
    };
    std::vector<BadLine> damaged;  ///< lines that are no events, or not as they were written; they count for nothing
    bool torn = false;             ///< the last line lacks its end: its append() never returned, so it did not happen
};

/// Adds a line by one write and one fsync; when this returns, the event survives a kill and a power cut. A torn last
/// line is removed first. Throws Error naming the operation, the file and the reason; the journal is then as it was.
void append(const std::filesystem::path& journal, const Event&);

/// Writes the journal anew without the damaged lines. Throws Error; the journal is then as it was.
void drop_damaged_lines(const std::filesystem::path& journal);

/// Empty when there is no such file. Throws Error when it cannot be read.
JournalContents read_journal(const std::filesystem::path& journal);

}  // namespace rfbench::store
