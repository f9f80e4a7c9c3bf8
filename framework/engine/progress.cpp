#include "rfbench/engine/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <ostream>

#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/text/utf8.hpp"

namespace rfbench::engine {
namespace {

constexpr double redraw_seconds = 0.1;
// A share of the time so far lies between two plain lines while no cell ends.
constexpr double silent_share = 0.1;
constexpr std::chrono::milliseconds tick_length{500};

// The file descriptor behind a standard stream, -1 for any other.
int descriptor(const std::ostream& out) {
    if (&out == &std::cout) return STDOUT_FILENO;
    if (&out == &std::cerr || &out == &std::clog) return STDERR_FILENO;
    return -1;
}

ProgressMode resolve(ProgressMode mode, const std::ostream& out) {
    if (mode != ProgressMode::automatic) return mode;
    const int fd = descriptor(out);
    return fd >= 0 && isatty(fd) == 1 ? ProgressMode::line : ProgressMode::lines;
}

std::size_t columns(const std::ostream& out) {
    winsize size{};
    const int fd = descriptor(out);
    if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

}  // namespace

Progress::Progress(std::ostream& out, ProgressMode mode, std::string name, std::size_t total, std::size_t done,
                   double interval, const Clock& clock)
    : out_(out),
      mode_(resolve(mode, out)),
      name_(std::move(name)),
      total_(total),
      before_(done),
      done_(done),
      interval_(mode_ == ProgressMode::line ? redraw_seconds : interval),
      clock_(clock ? clock : seconds_now),
      long_cell_(2 * interval),
      begin_(clock_()),
      last_(begin_) {
    // If the caller tells the time, nothing is said between the calls.
    if (mode_ != ProgressMode::quiet && !clock)
        ticker_ = std::jthread([this](const std::stop_token& stop) {
            try {
                tick(stop);
            } catch (...) {
                // A line that is no longer shown ends no run.
            }
        });
}

void Progress::tick(const std::stop_token& stop) {
    std::unique_lock hold(mutex_);
    while (!stop.stop_requested()) {
        // The condition never holds: what wakes are the tick and the stop.
        wake_.wait_for(hold, stop, tick_length, [] { return false; });
        if (stop.stop_requested()) return;
        const double now = clock_(), silent = std::max(long_cell_, silent_share * (now - begin_));
        if (mode_ == ProgressMode::line || (now - last_ >= silent && !at_work(now).empty())) show(false);
    }
}

void Progress::expect(double seconds) {
    const std::lock_guard hold(mutex_);
    expected_ = seconds;
}

void Progress::started(const std::string& key) {
    const std::lock_guard hold(mutex_);
    running_.push_back({key, clock_(), 0, {}});
    places_[running_.back().key] = std::prev(running_.end());
    show(false);
}

Progress::Place Progress::running(const std::string& key) {
    const auto found = places_.find(key);
    return found == places_.end() ? running_.end() : found->second;
}

void Progress::remove(Place place) {
    places_.erase(place->key);
    running_.erase(place);
}

void Progress::within(const std::string& key, double share, const std::string& words) {
    const std::lock_guard hold(mutex_);
    if (const auto at = running(key); at != running_.end()) {
        at->share = share;
        at->words = words;
    }
    show(false);
}

void Progress::abandoned(const std::string& key) {
    const std::lock_guard hold(mutex_);
    if (const auto at = running(key); at != running_.end()) remove(at);
}

void Progress::finished(const std::string& key, bool failed) {
    const std::lock_guard hold(mutex_);
    if (const auto at = running(key); at != running_.end()) {
        if (!failed) {
            seconds_of_cells_ += clock_() - at->since;
            ++cells_here_;
        }
        remove(at);
    }
    ++(failed ? failed_ : done_);
    show(false);
}

void Progress::again(const std::string& key, const std::string& reason) {
    {
        const std::lock_guard hold(mutex_);
        --done_;
        if (before_ > 0) --before_;
    }
    note(fmt::format("{} is computed again: {}", key, reason));
}

void Progress::note(const std::string& sentence) {
    const std::lock_guard hold(mutex_);
    if (mode_ == ProgressMode::quiet) return;
    out_ << (mode_ == ProgressMode::line ? "\r\x1b[K" : "") << name_ << ": " << sentence << '\n' << std::flush;
    if (mode_ == ProgressMode::line) show(true);
}

void Progress::end(const std::string& what) {
    // Before the lock is taken, which the thread needs to end.
    ticker_.request_stop();
    if (ticker_.joinable()) ticker_.join();
    const std::lock_guard hold(mutex_);
    if (mode_ == ProgressMode::quiet) return;
    std::string line = fmt::format("{}: {}, {} of {} cells", name_, what, done_, total_);
    if (failed_ > 0) line += fmt::format(", {} failed", failed_);
    if (before_ > 0) line += fmt::format(", {} from before", before_);
    line += fmt::format(", {}", duration(clock_() - begin_));
    out_ << (mode_ == ProgressMode::line ? "\r\x1b[K" : "") << line << '\n' << std::flush;
}

// The rate is that of this run: cells found done at its start say nothing about how long one takes.
std::string Progress::summary() const {
    const double elapsed = clock_() - begin_;
    double here = static_cast<double>(done_ - before_ + failed_), left = static_cast<double>(total_ - done_ - failed_);
    for (const Running& one : running_) {
        // A cell at work counts by its share, as done here and as no longer left.
        here += one.share;
        left -= one.share;
    }
    const double percent = total_ == 0 ? 100 : 100.0 * double(done_ + failed_) / double(total_);
    std::string text = fmt::format("{}: {}/{} cells", name_, done_, total_);
    if (failed_ > 0) text += fmt::format(", {} failed", failed_);
    text += fmt::format(", {:.0f} %, {}", percent, duration(elapsed));
    if (here > 0 && left > 0) text += fmt::format(", {} left", duration(elapsed / here * left));
    return text;
}

// A measure of how far a cell is that does not tell itself: how long those before it took.
std::string Progress::compared_with_others() const {
    if (cells_here_ > 0)
        return fmt::format("; those before took {} on average",
                           duration(seconds_of_cells_ / static_cast<double>(cells_here_)));
    return expected_ > 0 ? fmt::format("; a cell takes about {}", duration(expected_)) : "";
}

// The cell that has been at work longest, once that is long, else the last that began.
std::string Progress::at_work(double now) const {
    if (running_.empty()) return {};
    const double longest = now - running_.front().since;
    const Running& one = longest >= long_cell_ ? running_.front() : running_.back();
    std::string text = ", at " + one.key;
    if (longest >= long_cell_) text += " for " + duration(longest);
    if (one.share > 0)
        text += fmt::format(", {:.0f} % of it", 100 * one.share);
    else if (longest >= long_cell_)
        text += compared_with_others();
    return one.words.empty() ? text : text + ": " + one.words;
}

void Progress::show(bool always) {
    if (mode_ == ProgressMode::quiet) return;
    const double now = clock_();
    if (!always && now - last_ < interval_) return;
    last_ = now;
    const std::string text = summary() + at_work(now);
    if (mode_ == ProgressMode::line) {
        // A line that fills the terminal would wrap, and no return to its start would overwrite it.
        out_ << '\r' << utf8_prefix(text, columns(out_) - 1) << "\x1b[K" << std::flush;
    } else {
        out_ << text << '\n' << std::flush;
    }
}

std::string duration(double seconds) {
    if (!(seconds >= 0) || !std::isfinite(seconds)) return "?";
    // From here on it would be shown as 10.0.
    if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
    const auto whole = std::llround(seconds);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    const auto minutes = std::llround(seconds / 60);
    return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace rfbench::engine
