// Figures 3.3 and 6.6 (right): time and memory of exact and linear attention against the length of the sequence. The
// one study whose results are times: its files differ from run to run, and say so.
#include <algorithm>

#include "cost/attention_report.hpp"
#include "cost/tokens.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

const MethodKey taken{
    .abilities = {Ability::attention, Ability::causal, Ability::layer, Ability::causal_layer},
    .keys = {config::defaulted("pass", config::one_of(cost_passes), "forward",
                               "what is timed: attention; attention and then its gradients, as a layer that is trained "
                               "has them; or attention that decays with the distance"),
             config::optional("longest", config::integer(1, 100'000'000), "L it is measured up to")},
    .columns = true,
    .sampling = EntrySampling::drawn};

struct CostSweep {
    Axis<MethodChoice> methods;
    Axis<Index> threads, lengths;
    Axis<std::uint64_t> repeats;  ///< inside a cell
    Rounds rounds;
    Index dimension, columns;
    Stream seed;
};

const std::string& pass_of(const MethodChoice& method) { return method.entry.at("pass").text(); }

/// One run of a method. Its results go to buffers that the first run makes and all keep.
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
        if (pass_of(method_) == "backward") return layer(visible);
        if (pass_of(method_) == "masked") return attend(attention::masked_method(map(), decaying), visible);
        return attend(method_->outputs()->attention(size_, scheme_, stream_), visible);
    }

private:
    std::function<void()> attend(std::shared_ptr<const attention::Method> own, Visible visible) const {
        return [own = std::move(own), &tokens = tokens_, visible, out = std::make_shared<Rows<float>>()] {
            own->attend(tokens.inputs(), visible, *out);
        };
    }

    /// Forward and backward, as in a training step.
    std::function<void()> layer(Visible visible) const {
        const auto own = method_->layers()->layer(size_, scheme_, stream_);
        const attention::Column<float> parameters = own->start(stream_).cast<float>();
        struct Out {
            attention::Gradients<float> gradients;
            attention::Column<float> of_parameters;
        };
        // The values stand for the output's gradient: any numbers of its shape do.
        return [own, parameters, &tokens = tokens_, visible, out = std::make_shared<Out>()] {
            const auto pass = own->forward(parameters, tokens.inputs(), visible);
            out->of_parameters.setZero(parameters.size());
            pass->backward(tokens.values, out->gradients, out->of_parameters);
        };
    }

    std::shared_ptr<const features::FeatureMap> map() const {
        return method_->head_features()->features(tokens_.queries.cast<double>(), tokens_.keys.cast<double>())(
            size_.columns, scheme_, stream_);
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

/// Whether there is a form of what is timed in which queries see these keys.
bool has_form(const MethodChoice& method, Visible visible) {
    if (pass_of(method) == "backward") return method->layers_seeing(visible);
    return method->outputs_seeing(visible);
}

/// Not beyond the method's longest sequence, nor where it has no such form.
bool measured(const MethodChoice& method, Visible visible, Index length) {
    if (method.entry.has("longest") && length > method.entry.at("longest").integer()) return false;
    return has_form(method, visible);
}

store::Dataset compute(const CostSweep& sweep, const Point& at) {
    const parallel::OpenMpThreads team(static_cast<int>(at[sweep.threads]));
    const Index length = at[sweep.lengths];
    const Tokens tokens(length, sweep.dimension, sweep.seed.child("tokens"));
    // First runs, then rounds of all.
    parallel::Parts halves(2);
    std::vector<MeasuredRun> all;
    {
        parallel::Parts runs(2 * static_cast<Index>(sweep.methods.size()));
        for (const MethodChoice& method : sweep.methods)
            for (const Visible visible : {Visible::all, Visible::causal}) {
                all.push_back(measured(method, visible, length)
                                  ? MeasuredRun(Timed(method, sweep, tokens).run(visible), sweep.rounds)
                                  // A run that is not measured keeps its place, since results are [method][visible].
                                  : MeasuredRun());
                runs.done();
            }
    }
    halves.done();

    store::Dataset data{
        {sweep.methods.stored(),
         {"visible", std::vector<std::string>{"all", "causal"}, "", "the keys that a query sees"},
         sweep.repeats.stored()},
        {{"seconds", {"method", "visible", "repeat"}, seconds_in_turns(all, sweep.rounds), "s", "time of one run"}},
        measured_attributes()};
    store::Variable bytes{"peak_bytes", {"method", "visible"}, {}, "B", "peak memory beside queries, keys and values"};
    for (const MeasuredRun& one : all) bytes.values.push_back(one.bytes());
    store::Variable pass{"pass", {"method"}, {}, "", "what is run: 0: forward, 1: forward and backward, 2: masked"};
    for (const MethodChoice& method : sweep.methods) {
        // Reports compare methods of one pass with each other.
        const auto found = std::find(cost_passes.begin(), cost_passes.end(), pass_of(method));
        pass.values.push_back(static_cast<double>(found - cost_passes.begin()));
    }
    data.variables.insert(data.variables.end(), {bytes, pass, exact_variable(sweep.methods)});
    return data;
}

Sweep prepare(const config::Value& config) {
    std::vector<std::string> notes;
    // Methods and repeats are inside a cell, where they are measured in turns.
    const CostSweep own{method_axis(methods(config, taken), "what is run"),
                        thread_axis(config, notes),
                        whole_axis("length", Key{config, "lengths"}, "L, tokens"),
                        repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                        Rounds(config),
                        whole(config, "dimension"),
                        whole(config, "columns"),
                        study_stream(config, "cost/attention")};
    for (const MethodChoice& method : own.methods) {
        method.require_dimension(own.dimension);
        const bool forward = pass_of(method) == "forward", backward = pass_of(method) == "backward";
        const Ability needed = forward ? Ability::attention : backward ? Ability::layer : Ability::features;
        const bool possible = pass_of(method) == "masked"
                                  ? method->head_features() != nullptr
                                  : has_form(method, Visible::all) || has_form(method, Visible::causal);
        if (possible) continue;
        const config::Value& place = method.entry.has("pass") ? method.entry.at("pass") : method.entry;
        place.refuse("'" + method.info->name + "' " + missing_ability_text(needed) +
                     (forward ? "; it is measured with its gradients: pass: backward" : ""));
    }

    Sweep sweep = Sweep::over(own.threads, own.lengths);
    sweep.notes = notes;
    sweep.alone = true;
    // Each method, seen either way, keeps an output or gradients from round to round. At work are queries, keys and
    // values; scores against all mixtures or landmarks; and keys and values packed, with their gradients.
    Index columns = 0, kept = 0;
    for (const MethodChoice& method : own.methods) {
        columns = std::max(columns, method.columns_within(own.columns));
        kept += pass_of(method) == "backward" ? 6 : 2;
    }
    const auto longest = static_cast<double>(*std::max_element(own.lengths.begin(), own.lengths.end()));
    sweep.bytes = longest * static_cast<double>((8 + kept) * own.dimension + columns) * sizeof(float);
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("lengths", integers(1, 100'000'000), "L"),
        defaulted("dimension", integer(1, 1024), "64", "d of queries, keys and values"),
        defaulted("columns", integer(1, 65536), "256", "real columns, or what stands for them"),
        threads_key("[1, 2]"),
    };
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

}  // namespace

Study attention_cost_study() {
    return {"cost",
            "attention",
            "time and memory against the length, and the length from which on linear attention is faster",
            "Likhosherstov 2022, Figures 3.3 and 6.6",
            2,
            taken,
            keys,
            prepare,
            cost_report};
}

}  // namespace rfbench::experiments
