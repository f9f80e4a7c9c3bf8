#pragma once
// How far a run has come, for a person: a line that updates itself on a terminal, plain lines now and then elsewhere.
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace rfbench::engine {

enum class ProgressMode {
    automatic,  ///< line when the stream is std::cout or std::cerr on a terminal, else lines
    line,
    lines,
    quiet
};

/// Safe to call from several threads. Both kinds of lines go on while a cell takes long.
class Progress {
public:
    using Clock = std::function<double()>;  ///< seconds since some fixed moment

    /// `done` of `total` cells are there already. `interval`: minimum seconds between two plain lines. A cell that
    /// takes more than two intervals is told with its time, and again, ever more seldom: plain lines are kept.
    Progress(std::ostream&, ProgressMode, std::string name, std::size_t total, std::size_t done, double interval = 5,
             const Clock& = {});
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// About how long a cell takes, in seconds, until cells of this run tell.
    void expect(double seconds);
    void started(const std::string& key);
    /// How far a cell that takes long has come: the share of its work, and what else there is to say.
    void within(const std::string& key, double share, const std::string& words);
    void finished(const std::string& key, bool failed);
    /// A cell that ends without being done.
    void abandoned(const std::string& key);
    /// A cell that was counted as done and is computed again, with the reason.
    void again(const std::string& key, const std::string& reason);
    /// A sentence that must be seen in every mode but quiet, e.g. why a cell is run again.
    void note(const std::string& sentence);
    /// Ends the updating line with the last word. `what`: "done", "interrupted", ...
    void end(const std::string& what);

private:
    struct Running {
        std::string key;
        double since;
        double share = 0;
        std::string words;
    };
    using Place = std::list<Running>::iterator;
    Place running(const std::string& key);
    void remove(Place);
    std::string summary() const;
    void show(bool always);
    std::string at_work(double now) const;
    std::string compared_with_others() const;
    void tick(const std::stop_token&);

    std::ostream& out_;
    ProgressMode mode_;
    std::string name_;
    std::size_t total_, before_, done_, failed_ = 0;
    double interval_;
    Clock clock_;
    double long_cell_, begin_, last_;
    double expected_ = 0, seconds_of_cells_ = 0;  ///< of a cell, 0 if not known; of all that ended well in this run
    std::size_t cells_here_ = 0;
    std::list<Running> running_;  ///< as they began; cells that are computed stay until they are stored, a whole batch
    std::unordered_map<std::string_view, Place> places_;  ///< of running_, by its keys
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread ticker_;  // last: it ends before what it uses
};

/// "0.4 s", "12 s", "3 min 07 s", "2 h 05 min". Negative and non-finite: "?".
std::string duration(double seconds);

}  // namespace rfbench::engine
