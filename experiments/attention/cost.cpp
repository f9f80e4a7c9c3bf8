// Figures 3.3 and 6.6 (right): time and memory of exact and linear attention against the length of the sequence. The
// one study whose results are times: its files differ from run to run, and say so.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "attention/cost_methods.hpp"
#include "attention/cost_report.hpp"
#include "attention/studies.hpp"
#include "rfbench/memory/high_water_mark.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

struct CostSweep {
    std::vector<CostMethod> methods;
    std::vector<double> lengths, threads, repeats;
    Index dimension;
    double least_seconds;  ///< a sample takes at least that long: short runs are taken many at a time
    double most_seconds;   ///< all samples of one method at one length take no longer, but for one that alone does
    Stream seed;
};

/// The number of OpenMP threads while it lives.
class Team {
public:
    explicit Team(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
    ~Team() { omp_set_num_threads(before_); }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

private:
    int before_;
};

double seconds(const std::function<void()>& run, int times) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

/// A method that has run: its buffers are there, and its memory is known.
struct Warm {
    std::function<void()> run;
    double first = 0;  ///< seconds of the run that has been
    int times = 0;     ///< runs in a sample; 0: the first run is the only sample
    std::size_t rounds = 0;
    double bytes = std::numeric_limits<double>::quiet_NaN();

    Warm() = default;
    Warm(const CostMethod& method, const Tokens& tokens, Visible visible, const CostSweep& sweep)
        : run(method.run(tokens, visible, sweep.seed.child("features"))) {
        {
            const memory::HighWaterMark mark;
            first = seconds(run, 1);
            bytes = static_cast<double>(mark.bytes());
        }
        rounds = 1;
        if (first > sweep.most_seconds) return;
        // A short first run says little, since memory is new to it.
        const double again = first > 10 * sweep.least_seconds ? first : seconds(run, 1);
        times = std::max(1, static_cast<int>(std::ceil(sweep.least_seconds / again)));
        const double fit = sweep.most_seconds / (times * again);
        if (fit > 1) rounds = static_cast<std::size_t>(std::min(fit, static_cast<double>(sweep.repeats.size())));
    }

    double sample() const { return times == 0 ? first : seconds(run, times); }
};

store::Dataset compute(const CostSweep& sweep, const engine::Cell& cell) {
    const Team team(static_cast<int>(sweep.threads[cell.coordinates[0]]));
    const auto length = static_cast<Index>(sweep.lengths[cell.coordinates[1]]);
    const Tokens tokens(length, sweep.dimension, sweep.seed.child("tokens"));
    std::vector<Warm> all;
    for (const CostMethod& method : sweep.methods)
        for (const Visible visible : {Visible::all, Visible::causal})
            all.push_back(length <= method.longest && (visible == Visible::all || method.info->causal)
                              ? Warm(method, tokens, visible, sweep)
                              : Warm());

    const std::size_t repeats = sweep.repeats.size();
    store::Variable times{"seconds", {"method", "visible", "repeat"}, {}, "s", "time of one run"};
    times.values.assign(all.size() * repeats, std::numeric_limits<double>::quiet_NaN());
    // In turns, so that whatever disturbs the machine disturbs all alike.
    for (std::size_t r = 0; r < repeats; ++r)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (r < all[i].rounds) times.values[i * repeats + r] = all[i].sample();

    store::Variable bytes{"bytes", {"method", "visible"}, {}, "B", "peak memory beside queries, keys and values"};
    for (const Warm& one : all) bytes.values.push_back(one.bytes);
    std::vector<std::string> labels;
    for (const CostMethod& method : sweep.methods) labels.push_back(method.label);
    return {{{"method", labels, "", "what is run"},
             {"visible", std::vector<std::string>{"all", "causal"}, "", "the keys that a query sees"},
             {"repeat", sweep.repeats, "", "round of samples"}},
            {times, bytes},
            {{"measured", "wall-clock times: the bytes of this file differ from run to run"}}};
}

Sweep prepare(const config::Value& config) {
    const auto dimension = static_cast<Index>(config.at("dimension").integer());
    CostSweep own{cost_methods(config.at("methods"), dimension),
                  as_labels(config.at("lengths").integers()),
                  {},
                  numbered(config.at("repeats").integer()),
                  dimension,
                  config.at("least_seconds").number(),
                  config.at("most_seconds").number(),
                  study_stream(config, "attention/cost")};
    Sweep sweep;
    for (const double threads : as_labels(config.at("threads").integers()))
        if (threads <= omp_get_num_procs())
            own.threads.push_back(threads);
        else
            sweep.notes.push_back(
                fmt::format("{} threads are left out: there are {} processors", threads, omp_get_num_procs()));
    if (own.threads.empty()) config.at("threads").refuse("none of them is at most the number of processors");
    sweep.axes = {{"threads", own.threads, "", "OpenMP threads"}, {"length", own.lengths, "", "L, tokens"}};
    sweep.cells = product_cells(sweep.axes);
    sweep.alone = true;
    // Queries, keys, values, output and the gradients of the first three; of Linformer and Nystrom scores against all
    // mixtures or landmarks.
    double columns = 0;
    for (const CostMethod& method : own.methods) columns = std::max(columns, static_cast<double>(method.features));
    const double longest = *std::max_element(own.lengths.begin(), own.lengths.end());
    sweep.bytes = longest * (7 * static_cast<double>(dimension) + columns) * sizeof(float);
    sweep.compute = [own](const engine::Cell& cell) { return compute(own, cell); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("methods", cost_methods_schema(), "what is measured"),
        required("lengths", integers(1, 100'000'000), "L"),
        defaulted("dimension", integer(1, 1024), "64", "d of queries, keys and values"),
        defaulted("threads", integers(1, 1024), "[1, 2]",
                  "OpenMP threads; more than there are processors are left out"),
        defaulted("repeats", integer(2, 1000), "7", "samples of each time, taken in rounds"),
        defaulted("least_seconds", real(above(0).at_most(10)), "0.002", "of a sample: shorter runs are repeated in it"),
        defaulted("most_seconds", real(above(0).at_most(1e6)), "2",
                  "of all samples of a method at one length: there are fewer than 'repeats' where they would take "
                  "longer, and one of a run that alone does"),
    };
}

}  // namespace

Study cost_study() {
    return {"attention",
            "cost",
            "time and memory against the length, and from where on linear attention is the faster",
            "Likhosherstov 2022, Figures 3.3 and 6.6",
            1,
            keys,
            prepare,
            cost_report};
}

}  // namespace rfbench::experiments
