// A trained softmax network is made linear: what is lost when its heads are swapped, and what fitting, distilling and
// tuning bring back, beside softmax that is tuned on by the same steps and attention that is uniform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conversion/converting.hpp"
#include "conversion/recovery_report.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::layer, Ability::found},
                      .keys = recipe_keys(),
                      .columns = true,
                      .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = conversion_keys();
    all.push_back(
        defaulted("columns", integer(1, 65536), "64", "real feature columns of a head in networks that are tuned"));
    all.push_back(optional("more_columns", integers(1, 65536),
                           "others, at which networks are swapped, fitted and distilled, but not tuned"));
    return all;
}

struct Setting {
    Converting all;
    Axis<Index> columns;
    Index tuned_columns;

    /// Costs are those of the method's own columns, where no budget decides them: it is measured once.
    bool has_cell(const Point& at) const {
        return (at[all.methods].budgeted() || at[columns] == tuned_columns) && all.has_form(at);
    }
};

/// Tokens of a mini-batch, the class token not counted.
double tokens_of(const NetworkTask& task) {
    double tokens = 0;
    for (const auto& one : task.mini_batch(Stream(0))) tokens += static_cast<double>(one.length());
    return tokens;
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const Converting& all = setting.all;
    const NetworkTask& task = at[all.tasks];
    const networks::TransformerShape& shape = all.teacher(at).network.shape();
    const bool tuned = at[setting.columns] == setting.tuned_columns;
    const MethodChoice& method = at[all.methods];
    const Stream seed = all.seed(at);
    const ConversionOutcome outcome = convert({task, all.teacher(at), method, equal_columns(shape, at[setting.columns]),
                                               tuned, all.how, seed, seed.child("heads").child(method.label)},
                                              at.checkpoint());
    store::Dataset data = stage_data(outcome, task, shape);
    std::vector<double> shares;
    for (int i = 1; i <= all.how.looks; ++i) shares.push_back(static_cast<double>(i) / all.how.looks);
    data.axes.push_back({"share", shares, "", "of the tuning"});
    for (store::Variable& variable : std::vector<store::Variable>{
             {"tuning_loss", {"share"}, outcome.loss, "", "mean over targets held out, while the network is tuned"},
             {"tuning_accuracy", {"share"}, outcome.accuracy, "", "of targets held out, likewise"},
             {"diverged_at", {}, {outcome.diverged_at}, "step", "of tuning"},
             {"features", {}, {outcome.cost.columns}, "", "mean over heads of the columns that are summed"},
             {"operations", {}, {outcome.cost.operations}, "", "multiplications a token in all heads"},
             {"state_bytes", {}, {outcome.cost.state_bytes}, "byte", "kept of a whole sequence while it is decoded"},
             {"tuning_tokens", {}, {tokens_of(task) * task.steps}, "", "tokens of all steps of tuning"}})
        data.variables.push_back(std::move(variable));
    return data;
}

/// Columns at which networks are tuned, then the others.
Axis<Index> columns_axis(const config::Value& config) {
    std::vector<std::int64_t> all{config.at("columns").integer()};
    if (config.has("more_columns"))
        for (const std::int64_t more : config.at("more_columns").integers())
            if (more != all.front()) all.push_back(more);
    std::sort(all.begin(), all.end());
    Axis<Index> axis = whole_axis("columns", all, "real feature columns of a head, about");
    axis.keys = {"more_columns"};
    return axis;
}

Sweep prepare(const config::Value& config) {
    const Setting setting{converting(config, taken, "conversion/recovery"), columns_axis(config),
                          whole(config, "columns")};
    const Converting& all = setting.all;
    Sweep sweep = all.completed(Sweep::over(all.tasks, all.methods, setting.columns, all.seeds));
    sweep.attributes["tuned_columns"] = fmt::format("{}", setting.tuned_columns);
    sweep.keep = [setting](const Point& at) { return setting.has_cell(at); };
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study recovery_study() {
    return {"conversion",
            "recovery",
            "a trained softmax network made linear: what each attention loses when swapped in, and what comes back",
            "Chen et al. 2024, Algorithm 1 and Table 2; Shahbazi et al. 2025, Tables 2 and 3",
            1,
            taken,
            keys,
            prepare,
            recovery_report};
}

}  // namespace rfbench::experiments
