#include "sources/data_sets.hpp"

#include <algorithm>
#include <span>

#include "project.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::experiments {
namespace {

Points rows_at(const Points& points, const std::vector<Index>& rows) { return points(rows, Eigen::all); }

std::vector<int> classes_at(const std::vector<int>& classes, const std::vector<Index>& rows) {
    std::vector<int> result;
    for (const Index row : rows) result.push_back(classes[static_cast<std::size_t>(row)]);
    return result;
}

/// What is read of a file depends on the manifest and on how it is read, too.
std::string digest(const datasets::Table& table) {
    const Points rows = datasets::encode(table, datasets::Encoding::one_hot);
    std::string text = store::sha256(std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size())))) +
                       store::sha256(std::as_bytes(std::span(table.classes)));
    for (const std::string& name : table.class_names) text += " " + name;
    return store::sha256(text);
}

}  // namespace

const std::vector<std::string>& thesis_sets() {
    static const std::vector<std::string> names{"abalone", "banknote", "car",  "yeast",
                                                "cmc",     "nursery",  "wifi", "krkopt"};
    return names;
}

Index rows_used(const std::string& name, Index rows) {
    const auto& sets = thesis_sets();
    const bool of_thesis = std::find(sets.begin(), sets.end(), name) != sets.end();
    return of_thesis && name != "nursery" ? rows - 1 : rows;
}

std::vector<Task> load_tasks(const config::Value& names, datasets::Encoding encoding, std::vector<std::string>& notes) {
    const auto manifest = data_manifest();
    const auto places = data_places();
    const auto warn = [&](const std::string& sentence) { notes.push_back(sentence); };
    std::vector<Task> tasks;
    for (const std::string& name : names.texts()) {
        const datasets::Entry& entry = manifest.find(name);
        std::vector<datasets::FoundFile> files;
        try {
            files = datasets::locate(entry, places, warn);
        } catch (const datasets::DataError& error) {
            notes.push_back("data set '" + name + "' is left out: " + error.what());
            continue;
        }
        const datasets::Table table = datasets::load(entry, files);
        const Index rows = rows_used(name, table.values.rows());
        tasks.push_back({name,
                         files.front().sha256,
                         digest(table),
                         datasets::encode(table, encoding).topRows(rows),
                         {table.classes.begin(), table.classes.begin() + rows},
                         table.class_names});
    }
    if (tasks.empty()) throw datasets::DataError("none of its data sets is on this machine: " + notes.front());
    return tasks;
}

SplitTask split_task(const Task& task, const regression::Split& split, datasets::Scaling scaling) {
    const Points training = rows_at(task.points, split.training);
    const datasets::Scale scale = datasets::fit_scale(training, scaling);
    return {regression::by_class(scale.apply(training), classes_at(task.classes, split.training)),
            scale.apply(rows_at(task.points, split.validation)), scale.apply(rows_at(task.points, split.test)),
            classes_at(task.classes, split.validation), classes_at(task.classes, split.test)};
}

}  // namespace rfbench::experiments
