// Figures 3.3 and 6.6 (right): time and memory of exact and linear attention against the length of the sequence. The
// one study whose results are times: its files differ from run to run, and say so.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "attention/cost_report.hpp"
#include "normal_points.hpp"
#include "rfbench/attention/backward.hpp"
#include "rfbench/memory/high_water_mark.hpp"
#include "study.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const MethodKey taken{
    .abilities = {Ability::attention},
    .keys = {config::defaulted("pass", config::one_of({"forward", "backward", "masked"}), "forward",
                               "what is timed: attention, its gradients, or attention that decays with the distance"),
             config::optional("longest", config::integer(1, 100'000'000), "L it is measured up to")},
    .columns = true};

/// Queries, keys and values of one head in float, L x d each.
struct Tokens {
    Rows<float> queries, keys, values;

    Tokens(Index length, Index dimension, const Stream& stream)
        : queries(normal_points(stream.child("queries"), length, dimension).cast<float>()),
          keys(normal_points(stream.child("keys"), length, dimension).cast<float>()),
          values(normal_points(stream.child("values"), length, dimension).cast<float>()) {}
    attention::Inputs<float> inputs() const { return {queries, keys, values}; }
};

struct CostSweep {
    Axis<MethodChoice> methods;
    Axis<Index> threads, lengths;
    Axis<std::uint64_t> repeats;  ///< inside a cell
    Index dimension, columns;
    double least_seconds;  ///< a sample takes at least that long: short runs are taken many at a time
    double most_seconds;   ///< all samples of one method at one length take no longer, but for one that alone does
    Stream seed;
};

/// What one run of the method is; what it computes goes to buffers that are made by the first and kept.
class Timed {
public:
    Timed(const MethodChoice& method, const CostSweep& sweep, const Tokens& tokens)
        : method_(method),
          tokens_(tokens),
          size_{tokens.queries.rows(), tokens.queries.cols(), method.columns_within(sweep.columns)},
          scheme_(method.scheme(sampling::find("orthogonal"))),
          stream_(sweep.seed.child("features")) {}

    /// The tokens must outlive it.
    std::function<void()> run(Visible visible) const {
        const std::string pass = method_.entry.at("pass").text();
        if (pass == "backward") return backward(visible);
        if (pass == "masked") return attend(attention::masked_method(map(), decaying), visible);
        return attend(method_->attention(size_, scheme_, stream_), visible);
    }

private:
    std::function<void()> attend(std::shared_ptr<const attention::Method> own, Visible visible) const {
        return [own = std::move(own), &tokens = tokens_, visible, out = std::make_shared<Rows<float>>()] {
            own->attend(tokens.inputs(), visible, *out);
        };
    }

    std::function<void()> backward(Visible visible) const {
        // The values stand for the output's gradient: any numbers of its shape do.
        return [map = map(), &tokens = tokens_, visible, out = std::make_shared<attention::Gradients<float>>()] {
            attention::backward<float>(*map, tokens.inputs(), visible, tokens.values, *out);
        };
    }

    std::shared_ptr<const features::FeatureMap> map() const {
        return method_->features(tokens_.queries.cast<double>(), tokens_.keys.cast<double>())(size_.columns, scheme_,
                                                                                              stream_);
    }

    /// Falls to exp(-8) over the sequence: no entry is so small that arithmetic slows down.
    static attention::ToeplitzMask decaying(Index length) {
        return attention::decaying_mask({length}, 8.0 / static_cast<double>(length));
    }

    const MethodChoice& method_;
    const Tokens& tokens_;
    AttentionSize size_;
    const sampling::Scheme& scheme_;
    Stream stream_;
};

bool measured(const MethodChoice& method, Visible visible, Index length) {
    if (method.entry.has("longest") && length > method.entry.at("longest").integer()) return false;
    return visible == Visible::all || method.can(Ability::causal);
}

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
    Warm(const MethodChoice& method, const Tokens& tokens, Visible visible, const CostSweep& sweep)
        : run(Timed(method, sweep, tokens).run(visible)) {
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

store::Dataset compute(const CostSweep& sweep, const Point& at) {
    const Team team(static_cast<int>(at[sweep.threads]));
    const Index length = at[sweep.lengths];
    const Tokens tokens(length, sweep.dimension, sweep.seed.child("tokens"));
    std::vector<Warm> all;
    for (const MethodChoice& method : sweep.methods)
        for (const Visible visible : {Visible::all, Visible::causal})
            all.push_back(measured(method, visible, length) ? Warm(method, tokens, visible, sweep) : Warm());

    const std::size_t repeats = sweep.repeats.size();
    store::Variable times{"seconds", {"method", "visible", "repeat"}, {}, "s", "time of one run"};
    times.values.assign(all.size() * repeats, std::numeric_limits<double>::quiet_NaN());
    // In turns, so that whatever disturbs the machine disturbs all alike.
    for (std::size_t r = 0; r < repeats; ++r)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (r < all[i].rounds) times.values[i * repeats + r] = all[i].sample();

    store::Variable bytes{"bytes", {"method", "visible"}, {}, "B", "peak memory beside queries, keys and values"};
    for (const Warm& one : all) bytes.values.push_back(one.bytes);
    return {{sweep.methods.stored(),
             {"visible", std::vector<std::string>{"all", "causal"}, "", "the keys that a query sees"},
             sweep.repeats.stored()},
            {times, bytes},
            {{"measured", "wall-clock times: the bytes of this file differ from run to run"}}};
}

Sweep prepare(const config::Value& config) {
    std::vector<std::int64_t> threads;
    std::vector<std::string> notes;
    for (const std::int64_t wanted : config.at("threads").integers())
        if (wanted <= omp_get_num_procs())
            threads.push_back(wanted);
        else
            notes.push_back(
                fmt::format("{} threads are left out: there are {} processors", wanted, omp_get_num_procs()));
    if (threads.empty()) config.at("threads").refuse("none of them is at most the number of processors");

    // Methods and repeats are inside a cell, where they are measured in turns.
    const CostSweep own{method_axis(methods(config, taken), "what is run"),
                        listed_by(Key{config, "threads"}, whole_axis("threads", threads, "OpenMP threads")),
                        whole_axis("length", Key{config, "lengths"}, "L, tokens"),
                        repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                        whole(config, "dimension"),
                        whole(config, "columns"),
                        config.at("least_seconds").number(),
                        config.at("most_seconds").number(),
                        study_stream(config, "attention/cost")};
    for (const MethodChoice& method : own.methods) {
        method.require_dimension(own.dimension);
        const std::string pass = method.entry.at("pass").text();
        const Ability needed = pass == "backward" ? Ability::gradients : Ability::features;
        if (pass != "forward" && !method.can(needed))
            method.entry.at("pass").refuse("'" + method.info->name + "' " + lack_of(needed));
    }

    Sweep sweep = Sweep::over(own.threads, own.lengths);
    sweep.notes = notes;
    sweep.alone = true;
    // Queries, keys, values, output and the gradients of the first three; of Linformer and Nystrom scores against all
    // mixtures or landmarks.
    Index columns = 0;
    for (const MethodChoice& method : own.methods) columns = std::max(columns, method.columns_within(own.columns));
    const auto longest = static_cast<double>(*std::max_element(own.lengths.begin(), own.lengths.end()));
    sweep.bytes = longest * static_cast<double>(7 * own.dimension + columns) * sizeof(float);
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("lengths", integers(1, 100'000'000), "L"),
        defaulted("dimension", integer(1, 1024), "64", "d of queries, keys and values"),
        defaulted("columns", integer(1, 65536), "256", "real columns, or what stands for them"),
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
            taken,
            keys,
            prepare,
            cost_report};
}

}  // namespace rfbench::experiments
