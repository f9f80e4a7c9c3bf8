#pragma once
// Shared parts of studies of cost: runs whose time and memory are measured, one at a time, in rounds.
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/store/dataset.hpp"
#include "study/axis.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

/// The key `threads`, and its axis; for numbers of threads beyond the processors, which are left out, there is a note.
/// Throws config::Error when none is left.
config::KeyRule threads_key(const char* otherwise);
Axis<Index> thread_axis(const config::Value& configuration, std::vector<std::string>& notes);

/// How often and how long runs are measured: the keys `repeats`, `min_seconds` and `max_seconds`.
struct Rounds {
    std::size_t repeats;  ///< samples of each time, at most
    double min_seconds;   ///< a sample takes at least that long: short runs are taken many at a time
    double max_seconds;   ///< all samples of one run take no longer, but for one that alone does

    explicit Rounds(const config::Value& configuration);
};
std::vector<config::KeyRule> rounds_keys();

/// A run that was called once: its buffers are allocated, and its peak memory is known.
class MeasuredRun {
public:
    /// Nothing is run: all that is measured of it is NaN.
    MeasuredRun() = default;
    /// Calls `run` once, and measures its time and peak memory. It should allocate its buffers in this call and keep
    /// them.
    MeasuredRun(std::function<void()> run, const Rounds&);

    double first() const { return first_; }         ///< seconds of the first run
    double bytes() const { return bytes_; }         ///< peak memory of the first run beyond what was held before
    std::size_t rounds() const { return rounds_; }  ///< as many as there is time for, at least one of what was run
    double sample() const;                          ///< seconds of one run; the first, where that took too long

private:
    std::function<void()> run_;
    double first_ = std::numeric_limits<double>::quiet_NaN(), bytes_ = first_;
    int times_ = 0;  // runs in a sample; 0: the first run is the only sample
    std::size_t rounds_ = 0;
};

/// Seconds [run][repeat] of all runs in turns, so that whatever disturbs the machine disturbs all alike; NaN beyond the
/// rounds of each.
std::vector<double> seconds_in_turns(const std::vector<MeasuredRun>&, const Rounds&);

/// The variable `exact` [method], by which reports find softmax attention.
store::Variable exact_variable(const Axis<MethodChoice>&);

/// Attributes of what is measured: that the bytes of the file differ from run to run, and the processor.
std::map<std::string, std::string> measured_attributes();

}  // namespace rfbench::experiments
