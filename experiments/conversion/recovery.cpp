// A trained softmax network is made linear: what is lost when its heads are swapped, and what fitting, distilling and
// tuning bring back, beside softmax that is tuned on by the same steps and attention that is uniform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "conversion/converting.hpp"
#include "conversion/recovery_report.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> entry_keys() {
    using namespace config;
    std::vector<KeyRule> all = recipe_keys();
    all.push_back(defaulted("scratch", boolean(), "false",
                            "whether a network with this attention is trained from its beginning, too, by as many "
                            "sequences as the teacher and the tuned network have seen together"));
    return all;
}

const MethodKey taken{.abilities = {Ability::layer, Ability::causal_layer, Ability::found},
                      .keys = entry_keys(),
                      .columns = true,
                      .sampling = EntrySampling::drawn,
                      .controls = conversion_controls()};

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

/// Tokens of a mini-batch, the class token not counted: of the first one, where lengths are drawn.
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
    std::optional<TeacherTraining> scratch;
    if (tuned && method.entry.at("scratch").boolean()) scratch = all.trainings[at.index(all.tasks.name)];
    // Heads are keyed by the label: differences between entries, seed by seed, hold their draws as well.
    const ConversionOutcome outcome = convert({task, all.teacher(at), method, equal_columns(shape, at[setting.columns]),
                                               tuned, all.how, seed, seed.child("heads").child(method.label), scratch},
                                              at.checkpoint());
    const double batch = tokens_of(task);
    store::Dataset data = stage_data(outcome, task, shape, all.how.pictured);
    std::vector<double> shares;
    for (int i = 1; i <= all.how.evaluations; ++i) shares.push_back(static_cast<double>(i) / all.how.evaluations);
    data.axes.push_back({"share", shares, "", "of the tuning"});
    data.axes.push_back(
        {"without", std::vector<std::string>{"window", "features"}, "", "one of two branches that heads have"});
    std::vector<double> without_loss, without_accuracy;
    for (const networks::Loss& one : outcome.without) {
        without_loss.push_back(one.mean());
        without_accuracy.push_back(one.accuracy());
    }
    for (store::Variable& variable : std::vector<store::Variable>{
             {"tuning_loss",
              {"share"},
              outcome.tuning.loss,
              "",
              "mean over targets held out, while the network is tuned"},
             {"tuning_accuracy", {"share"}, outcome.tuning.accuracy, "", "of targets held out, likewise"},
             {"diverged_at", {}, {outcome.diverged_at}, "step", "of tuning, or of distilling before it"},
             {"without_loss",
              {"without"},
              without_loss,
              "",
              "mean over targets held out, without that branch, in the network as it is at last"},
             {"without_accuracy", {"without"}, without_accuracy, "", "of targets held out, likewise"},
             {"scratch_loss", {"share"}, outcome.scratch.loss, "", "the same while a network is trained from scratch"},
             {"scratch_accuracy", {"share"}, outcome.scratch.accuracy, "", "of targets held out, likewise"},
             {"scratch_diverged_at", {}, {outcome.scratch_diverged_at}, "step", "of the training from scratch"},
             {"scratch_tokens",
              {},
              {scratch ? batch * steps_from_scratch(*scratch, task) : std::nan("")},
              "",
              "tokens of the training from scratch, those of the teacher's and of tuning; by one mini-batch's, where "
              "lengths are drawn"},
             {"features", {}, {outcome.cost.columns}, "", "mean over heads of the columns that are summed"},
             {"operations", {}, {outcome.cost.operations}, "", "multiplications a token in all heads"},
             {"state_bytes", {}, {outcome.cost.state_bytes}, "byte", "kept of a whole sequence while it is decoded"},
             {"tuning_tokens",
              {},
              {batch * task.steps},
              "",
              "tokens of all steps of tuning; by one mini-batch's, where lengths are drawn"}})
        data.variables.push_back(std::move(variable));
    return data;
}

/// Refuses networks to be trained from scratch by an attention that has no features before a training, and where the
/// networks' file does not say how they were trained.
void require_scratch(const Converting& all) {
    const auto& sources = std::get<std::vector<std::string>>(all.tasks.labels);
    for (const MethodChoice& choice : all.methods) {
        if (!choice.entry.at("scratch").boolean()) continue;
        const config::Value& key = choice.entry.at("scratch");
        if (!choice->layers()) key.refuse("'" + choice.info->name + "' " + missing_ability_text(Ability::layer));
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (!all.trainings[i])
                key.refuse("the file of the networks does not say how that of '" + sources[i] + "' was trained");
    }
}

/// Columns at which networks are tuned, and the others, in ascending order.
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
    const Axis<Index> columns_swept = columns_axis(config);
    const Setting setting{converting(config, taken, "conversion/recovery", columns_swept.values.back()), columns_swept,
                          whole(config, "columns")};
    const Converting& all = setting.all;
    require_scratch(all);
    for (const MethodChoice& choice : all.methods)
        for (const Index columns : setting.columns)
            // Columns that fit do so whatever a head's d is.
            if (choice->layers()) choice.require_columns(1, columns);
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
            "a trained softmax network made linear: loss by swapping its attention, and recovery",
            "Chen et al. 2024, Algorithm 1 and Table 2; Shahbazi et al. 2025, Tables 2 and 3",
            1,
            taken,
            keys,
            prepare,
            recovery_report};
}

}  // namespace rfbench::experiments
