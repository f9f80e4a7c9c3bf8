// Tables 3, 6 and 7 of Nishikawa, Higuchi and Suzuki 2025: features of a converted network, spent over its layers and
// heads by the degrees of freedom of the teacher's heads, at one mean cost or the smaller one that clipping leaves, and
// trained by each of the paper's losses.
#include <fmt/format.h>

#include "conversion/allocation_report.hpp"
#include "conversion/converting.hpp"
#include "conversion/strategies.hpp"

namespace rfbench::experiments {
namespace {

/// Methods are what features are trained by: drawn alone, layer by layer by the squared and the softmax loss, or by the
/// next token ("direct"); DiJiang's points are held and their weights are trained so.
const MethodKey taken{
    .abilities = {Ability::layer, Ability::found},
    .keys = recipe_keys(),
    .sampling = EntrySampling::drawn,
    .default_methods =
        "[exact, uniform, {use: positive, label: drawn}, "
        "{use: learned-points, loss: squared, label: squared}, "
        "{use: learned-points, loss: softmax, label: softmax}, "
        "{use: learned-points, distil: direct, label: direct}, "
        "{use: learned-points, distil: direct, points_held: true, sampling: sphere-points, label: DiJiang}]",
    .controls = conversion_controls()};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all = conversion_keys();
    all.push_back(defaulted("columns", integer(1, 65536), "32", "features a head in the mean; the clip as well"));
    all.push_back(strategies_key("[Fix, DoF, DoF + Clip, Fix at clipped cost, DoF of each head]"));
    return all;
}

struct Setting {
    Converting all;
    Axis<Strategy> strategies;
    Index columns;

    /// A method whose columns no budget decides is measured once.
    bool has_cell(const Point& at) const {
        return (at[all.methods].budgeted() || at.index("strategy") == 0) && all.has_form(at);
    }
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const Converting& all = setting.all;
    const NetworkTask& task = at[all.tasks];
    const StoredNetwork& teacher = all.teacher(at);
    const networks::TransformerShape& shape = teacher.network.shape();
    const Stream seed = all.seed(at);
    const Distilling& how = all.how.distilling;
    const Eigen::ArrayXXd degrees = degrees_of(
        teacher_heads(teacher, training_sequences(task, seed, all.how.fitted_on)), shape, how.sampled, how.lambda);
    const HeadColumns columns = spent(degrees, at[setting.strategies], setting.columns);
    // All losses begin at the same draw of features, where dimensions agree.
    const ConversionOutcome outcome =
        convert({task, teacher, at[all.methods], columns, true, all.how, seed, seed.child("heads")}, at.checkpoint());
    store::Dataset data = stage_data(outcome, task, shape, all.how.pictured);
    std::vector<double> of_heads;
    for (Index l = 0; l < degrees.rows(); ++l)
        for (Index h = 0; h < degrees.cols(); ++h) of_heads.push_back(degrees(l, h));
    const std::vector<std::string> heads{"layer", "head"};
    data.variables.push_back({"degrees", heads, of_heads, "", "degrees of freedom of the teacher's head"});
    data.variables.push_back({"columns", heads, {columns.begin(), columns.end()}, "", "features of the head"});
    data.variables.push_back({"features", {}, {outcome.cost.columns}, "", "mean over heads of the columns"});
    data.variables.push_back({"diverged_at", {}, {outcome.diverged_at}, "step", "of training"});
    return data;
}

Sweep prepare(const config::Value& config) {
    const Setting setting{converting(config, taken, "conversion/allocation", whole(config, "columns")),
                          strategy_axis(config), whole(config, "columns")};
    const Converting& all = setting.all;
    if (std::all_of(all.methods.begin(), all.methods.end(),
                    [](const MethodChoice& one) { return one->exact() || one.info->name == "uniform"; }))
        config.at("methods").refuse("there are only 'exact' and 'uniform', which have no features to allot");
    Sweep sweep = all.completed(Sweep::over(all.tasks, setting.strategies, all.methods, all.seeds));
    sweep.attributes["points"] = fmt::format("{}", all.how.distilling.sampled);
    sweep.keep = [setting](const Point& at) { return setting.has_cell(at); };
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

}  // namespace

Study conversion_allocation_study() {
    return {"conversion",
            "allocation",
            "features of a converted network, distributed by degrees of freedom and trained by several losses",
            "Nishikawa, Higuchi and Suzuki 2025, Tables 3, 6 and 7",
            1,
            taken,
            keys,
            prepare,
            allocation_report};
}

}  // namespace rfbench::experiments
