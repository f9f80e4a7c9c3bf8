#pragma once
// What the journal of a folder says about its cells.
#include <filesystem>
#include <map>
#include <string>

namespace rfbench::engine {

/// The outcome of one attempt at a cell (or at the collected file).
struct Record {
    std::string event;     ///< "done", "failed", "collected", or "fresh": what was done before counts no more
    std::string key;       ///< of the cell; empty for "collected" and "fresh"
    std::string identity;  ///< what the result depends on, hashed
    std::string sha256;    ///< of the file that was written
    std::string reason;    ///< of a failure
    double seconds = 0;    ///< spent in the computation
};

/// Appends a record durably: when this returns, it survives a kill.
void append(const std::filesystem::path& journal, const Record&);

struct History {
    std::map<std::string, Record> done;  ///< by key: the last time its file was written
    std::map<std::string, Record> last;  ///< by key: the last attempt
    Record collected;                    ///< the last time the collected file was written
};

/// Folds the journal, which need not exist.
History history(const std::filesystem::path& journal);

}  // namespace rfbench::engine
