// Figure 4 of Chen et al. 2024 (DiJiang), for one head: tokens a second and bytes of state against the position, of
// exact attention with a cache of keys and values and of linear attention with feature sums. It is a study of attention
// and not of training, since nothing of a network but its heads remembers tokens. Its results are times: its files
// differ from run to run, and say so.
#include "rfbench/attention/decoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cost/decoding_report.hpp"
#include "cost/tokens.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "study/map_bytes.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::exact, Ability::features, Ability::decoding},
                      .columns = true,
                      .sampling = EntrySampling::drawn};

/// Tokens that maps are fitted to, before any is decoded.
constexpr Index fitted_tokens = 512;

struct Setting {
    Axis<MethodChoice> methods;
    Axis<Index> threads, positions;  // positions ascend; they, methods and repeats are inside a cell
    Axis<std::uint64_t> repeats;
    Index dimension, columns, timed;  ///< `timed`: tokens that a sample is the mean over
    Stream stream;

    Index longest() const { return positions.values.back() + timed; }

    std::unique_ptr<attention::Decoder<float>> decoder(const MethodChoice& method) const {
        if (method->exact()) return attention::exact_decoder<float>(dimension, dimension);
        const sampling::Scheme& scheme = method.scheme(sampling::find("orthogonal"));
        const Stream features = stream.child("features");
        if (method->decoders())
            return method->decoders()->decoder({longest(), dimension, method.columns_within(columns)}, scheme,
                                               features);
        const auto points = [&](const char* what) {
            return normal_points(stream.child("fitted to").child(what), fitted_tokens, dimension);
        };
        return attention::linear_decoder<float>(method->head_features()->features(points("queries"), points("keys"))(
                                                    method.columns_within(columns), scheme, features),
                                                dimension);
    }

    /// Tokens in float, those of one matrix twice in double while they are drawn, and all that is remembered of them.
    double bytes() const {
        const auto numbers = [](Index n) { return static_cast<double>(n); };
        double all = sizeof(float) * 3 * numbers(longest() * dimension), remembered = 0;
        for (const MethodChoice& method : methods) {
            const Index count = method.columns_within(columns);
            remembered += method->exact()
                              ? sizeof(float) * 2 * numbers(longest() * dimension)
                              : sizeof(float) * 2 * numbers(count * (dimension + 1)) + map_bytes(dimension, count);
        }
        return all + std::max(2 * sizeof(double) * numbers(longest() * dimension), remembered);
    }
};

/// Seconds of a step, the mean over so many tokens from `first` on.
double step_seconds(attention::Decoder<float>& decoder, const Tokens& tokens, Index first, Index count) {
    Rows<float> out;
    const auto begin = std::chrono::steady_clock::now();
    for (Index i = first; i < first + count; ++i)
        decoder.step(tokens.queries.middleRows(i, 1), tokens.keys.middleRows(i, 1), tokens.values.middleRows(i, 1),
                     out);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(count);
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const parallel::OpenMpThreads team(static_cast<int>(at[setting.threads]));
    const Tokens tokens(setting.longest(), setting.dimension, setting.stream.child("tokens"));
    const std::size_t methods = setting.methods.size(), positions = setting.positions.size();
    std::vector<double> seconds(methods * positions * setting.repeats.size()), bytes(methods * positions);
    parallel::Parts rounds(static_cast<Index>(setting.repeats.size()));
    for (std::size_t r = 0; r < setting.repeats.size(); ++r) {
        // Decoders begin anew in each round: what is remembered grows from no token on.
        std::vector<std::unique_ptr<attention::Decoder<float>>> decoders;
        for (const MethodChoice& method : setting.methods) decoders.push_back(setting.decoder(method));
        Index done = 0;
        parallel::Parts parts(static_cast<Index>(positions));
        for (std::size_t p = 0; p < positions; ++p) {
            // Up to the position tokens are a prompt. Methods are timed in turns, so that whatever disturbs the machine
            // disturbs all alike.
            const Index position = setting.positions.values[p];
            for (std::size_t m = 0; m < methods; ++m) {
                decoders[m]->remember(tokens.keys.middleRows(done, position - done),
                                      tokens.values.middleRows(done, position - done));
                bytes[m * positions + p] = static_cast<double>(decoders[m]->bytes());
                seconds[(m * positions + p) * setting.repeats.size() + r] =
                    step_seconds(*decoders[m], tokens, position, setting.timed);
            }
            done = position + setting.timed;
            parts.done();
        }
        rounds.done();
    }
    return {{setting.methods.stored(), setting.positions.stored(), setting.repeats.stored()},
            {{"seconds", {"method", "position", "repeat"}, seconds, "s", "time of one token"},
             {"state_bytes", {"method", "position"}, bytes, "B", "all that is remembered of the tokens before"},
             exact_variable(setting.methods)},
            measured_attributes()};
}

Sweep prepare(const config::Value& config) {
    std::vector<std::string> notes;
    std::vector<std::int64_t> positions = config.at("positions").integers();
    std::sort(positions.begin(), positions.end());
    // Methods, positions and repeats are inside a cell: one sequence is decoded through all positions, by all methods
    // in turns.
    const Setting own{method_axis(methods(config, taken)),
                      thread_axis(config, notes),
                      whole_axis("position", positions, "tokens before those that are timed"),
                      repeat_axis("repeat", config.at("repeats").integer(), "sequence"),
                      whole(config, "dimension"),
                      whole(config, "columns"),
                      whole(config, "timed"),
                      study_stream(config, "cost/decoding")};
    for (const MethodChoice& method : own.methods) method.require_dimension(own.dimension);
    for (std::size_t p = 1; p < positions.size(); ++p)
        if (positions[p] - positions[p - 1] < own.timed)
            config.at("positions")
                .refuse(
                    fmt::format("{} and {} are less than timed, {}, apart", positions[p - 1], positions[p], own.timed));
    Sweep sweep = Sweep::over(own.threads);
    sweep.notes = notes;
    sweep.alone = true;
    sweep.bytes = own.bytes();
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("positions", integers(1, 100'000'000), "tokens before those that are timed"),
        defaulted("timed", integer(1, 1'000'000), "32", "tokens that a sample is the mean over"),
        defaulted("dimension", integer(1, 1024), "64", "d of queries, keys and values"),
        defaulted("columns", integer(1, 65536), "256", "real columns of features"),
        threads_key("[1]"),
        defaulted("repeats", integer(2, 1000), "5", "sequences that are decoded"),
    };
}

}  // namespace

Study decoding_study() {
    return {"cost",
            "decoding",
            "tokens a second and bytes of state against the position",
            "Chen et al. 2024, Figure 4",
            1,
            taken,
            keys,
            prepare,
            decoding_report};
}

}  // namespace rfbench::experiments
