#include "study/measured_runs.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "rfbench/memory/high_water_mark.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/process/processor.hpp"

namespace rfbench::experiments {
namespace {

/// Seconds of one run, the mean over `times` runs.
double seconds(const std::function<void()>& run, int times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

}  // namespace

config::KeyRule threads_key(const char* otherwise) {
    return config::defaulted("threads", config::integers(1, 1024), otherwise,
                             "OpenMP threads; more than there are processors are left out");
}

Axis<Index> thread_axis(const config::Value& configuration, std::vector<std::string>& notes) {
    std::vector<std::int64_t> threads;
    for (const std::int64_t wanted : configuration.at("threads").integers())
        if (wanted <= omp_get_num_procs())
            threads.push_back(wanted);
        else
            notes.push_back(
                fmt::format("{} threads are left out: there are {} processors", wanted, omp_get_num_procs()));
    if (threads.empty()) configuration.at("threads").refuse("none of them is at most the number of processors");
    return listed_by(Key{configuration, "threads"}, whole_axis("threads", threads, "OpenMP threads"));
}

Rounds::Rounds(const config::Value& configuration)
    : repeats(static_cast<std::size_t>(configuration.at("repeats").integer())),
      min_seconds(configuration.at("min_seconds").number()),
      max_seconds(configuration.at("max_seconds").number()) {}

std::vector<config::KeyRule> rounds_keys() {
    using namespace config;
    return {
        defaulted("repeats", integer(2, 1000), "7", "samples of each time, taken in rounds"),
        defaulted("min_seconds", real(above(0).at_most(10)), "0.002", "of a sample: shorter runs are repeated in it"),
        defaulted(
            "max_seconds", real(above(0).at_most(1e6)), "2",
            "of all samples of a method in one cell: there are fewer than 'repeats' where they would take longer, "
            "and one of a run that alone does"),
    };
}

MeasuredRun::MeasuredRun(std::function<void()> run, const Rounds& limits) : run_(std::move(run)) {
    {
        // Memory is counted for this run alone: allocations cost more while they are counted.
        const memory::HighWaterMark mark;
        first_ = seconds(run_, 1);
        bytes_ = static_cast<double>(mark.bytes());
    }
    rounds_ = 1;
    // One run takes all the time that there is: it stays the only sample.
    if (first_ > limits.max_seconds) return;
    // A short first run says little, since memory is new to it.
    const double again = first_ > 10 * limits.min_seconds ? first_ : seconds(run_, 1);
    // A clock's steps and the loop are small beside samples that last.
    times_ = std::max(1, static_cast<int>(std::ceil(limits.min_seconds / again)));
    // How many samples there is time for, one at least.
    const double fit = limits.max_seconds / (times_ * again);
    if (fit > 1) rounds_ = static_cast<std::size_t>(std::min(fit, static_cast<double>(limits.repeats)));
}

double MeasuredRun::sample() const { return times_ == 0 ? first_ : seconds(run_, times_); }

std::vector<double> seconds_in_turns(const std::vector<MeasuredRun>& runs, const Rounds& limits) {
    std::vector<double> times(runs.size() * limits.repeats, std::numeric_limits<double>::quiet_NaN());
    // Round after round: what disturbs the machine for a while meets all runs, and not all samples of one.
    parallel::Parts rounds(static_cast<Index>(limits.repeats));
    for (std::size_t r = 0; r < limits.repeats; ++r) {
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (r < runs[i].rounds()) times[i * limits.repeats + r] = runs[i].sample();
        rounds.done();
    }
    return times;
}

store::Variable exact_variable(const Axis<MethodChoice>& methods) {
    store::Variable exact{
        "exact", {"method"}, {}, "", "1: softmax attention, which others are compared with; 0: others"};
    for (const MethodChoice& method : methods) exact.values.push_back(method->exact() ? 1 : 0);
    return exact;
}

std::map<std::string, std::string> measured_attributes() {
    return {{"measured", "wall-clock times: the bytes of this file differ from run to run"},
            {"processor", process::processor_name()}};
}

}  // namespace rfbench::experiments
