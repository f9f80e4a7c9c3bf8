#include "regression/comparison.hpp"

#include <algorithm>

namespace rfbench::experiments {

Comparison::Comparison(const config::Value& config, const MethodKey& taken, const std::vector<Task>& tasks)
    : methods(method_axis(experiments::methods(config, taken))),
      samplings(sampling_axis(config, methods.values)),
      columns(whole_axis("columns", Key{config, "columns"}, "real features in all")),
      splits(repeat_axis("split", Key{config, "splits"}, "random split of the rows")) {
    // A map that is trained serves rows of its own dimension alone, which a data set has or not by how it is encoded.
    for (const MethodChoice& choice : methods)
        for (const Task& task : tasks) choice.require_dimension(task.points.cols());
}

bool Comparison::measured(const Point& at) const {
    return is_measured_at(at[methods], at[samplings]) && (at[methods].budgeted() || at.index("columns") == 0);
}

Axis<Task> task_axis(const std::vector<Task>& tasks) {
    Axis<Task> result{"dataset", tasks, {}, "", "data set", {"datasets"}};
    std::vector<std::string> names;
    for (const Task& task : tasks) {
        names.push_back(task.name);
        // The file, and what was read of it: a new way to read makes results stale as a new file does.
        result.contents.push_back(task.table);
        result.data.push_back(task.sha256);
    }
    result.labels = std::move(names);
    return result;
}

TaskFeatures::TaskFeatures(const Comparison& comparison, const Point& at)
    : choice(at[comparison.methods]),
      scheme(scheme_at(choice, at[comparison.samplings])),
      columns(choice.columns_within(at[comparison.columns])) {}

RowMap TaskFeatures::draw(const RowDrawing& fitted, const Stream& stream) const {
    // Whole draws within the budget: that of a complex feature takes two real columns.
    return fitted.draw(std::max<Index>(1, columns / fitted.columns), scheme, stream);
}

}  // namespace rfbench::experiments
