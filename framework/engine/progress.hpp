#pragma once
// How far a run has come, for a person: one line that updates itself on a terminal, now and then a plain line elsewhere.
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

namespace rfbench::engine {

enum class ProgressMode {
    automatic,  ///< line when the stream is std::cout or std::cerr on a terminal, else lines
    line,
    lines,
    quiet
};

/// Safe to call from several threads.
class Progress {
public:
    using Clock = std::function<double()>;  ///< seconds since some fixed moment

    /// Of `total` cells, `done` are there already. `interval`: the fewest seconds between two plain lines.
    Progress(std::ostream&, ProgressMode, std::string name, std::size_t total, std::size_t done, double interval = 5,
             Clock = {});

    void started(const std::string& key);
    void finished(const std::string& key, bool failed);
    /// A sentence that must be seen in every mode but quiet, e.g. why a cell is run again.
    void note(const std::string& sentence);
    /// Leaves the updating line and writes the last word. `what`: "done", "interrupted", ...
    void end(const std::string& what);

private:
    std::string summary() const;
    void show(bool always);

    std::ostream& out_;
    ProgressMode mode_;
    std::string name_;
    std::size_t total_, before_, done_, failed_ = 0;
    double interval_;
    Clock clock_;
    double begin_, last_;
    std::vector<std::string> running_;
    std::mutex mutex_;
};

/// "0.4 s", "12 s", "3 min 07 s", "2 h 05 min". Negative and non-finite: "?".
std::string duration(double seconds);

}  // namespace rfbench::engine
