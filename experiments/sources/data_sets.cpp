#include "sources/data_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "rfbench/config/file_path.hpp"
#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/unpacked.hpp"
#include "rfbench/store/sha256.hpp"
#include "study/project.hpp"

namespace rfbench::experiments {
namespace {

constexpr Index fewest_rows = 20;  // as regression::split_rows

Points rows_at(const Points& points, const std::vector<Index>& rows) { return points(rows, Eigen::all); }

std::vector<int> classes_at(const std::vector<int>& classes, const std::vector<Index>& rows) {
    std::vector<int> result;
    for (const Index row : rows) result.push_back(classes[static_cast<std::size_t>(row)]);
    return result;
}

/// Digest of a table: its contents depend on the manifest and on how the file is read, too.
std::string digest(const datasets::Table& table) {
    // One-hot whatever the study's encoding is: this keeps all that was read, and every encoding has one digest.
    const Points rows = datasets::encode(table, datasets::Encoding::one_hot);
    std::string text = store::sha256(std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size())))) +
                       store::sha256(std::as_bytes(std::span(table.classes)));
    for (const std::string& name : table.class_names) text += " " + name;
    return store::sha256(text);
}

/// The first `rows` rows of a table.
Task task(const std::string& name, const std::string& sha256, const datasets::Table& table, datasets::Encoding encoding,
          Index rows) {
    return {name,
            sha256,
            digest(table),
            datasets::encode(table, encoding).topRows(rows),
            {table.classes.begin(), table.classes.begin() + rows},
            table.class_names,
            table.real_label};
}

/// Name of an entry of `datasets` in results.
std::string name_of(const config::Value& entry) {
    const std::string& kind = entry.at("use").text();
    if (kind != "file") return kind;
    return entry.has("name") ? entry.at("name").text() : std::filesystem::path(entry.at("file").text()).stem().string();
}

datasets::ColumnChoice choice_of(const config::Value& entry) {
    const std::string target = entry.has("target") ? entry.at("target").text() : "";
    return {entry.at("label").text(), entry.at("categories").texts(), entry.at("ignored").texts(),
            entry.at("missing").text() == "drop",
            target == "class"    ? datasets::Target::classes
            : target == "number" ? datasets::Target::number
                                 : datasets::Target::inferred};
}

Task task_of_file(const config::Value& entry, datasets::Encoding encoding, Targets targets,
                  std::vector<std::string>& notes) {
    const std::string file = config::existing_path(entry.at("file"));
    // One reading serves the table and the hash: a file that changes meanwhile cannot have the hash of another.
    const std::string text = datasets::text_of_file(file);
    const datasets::ColumnChoice choice = choice_of(entry);
    const datasets::Table table =
        datasets::read_table(text, layout_of(datasets::look_at(text, file, choice), choice, file), file);
    if (table.real_label && targets == Targets::classes)
        entry.at("label").refuse(fmt::format(
            "column '{}' has {} different numbers, some with fractions: it is to be predicted and no class, as in "
            "regression/ridge; 'target: class' takes each number for a class",
            choice.label, table.class_names.size()));
    if (table.dropped > 0)
        notes.push_back(fmt::format("'{}': {} of {} rows have a missing value and are left out", name_of(entry),
                                    table.dropped, table.dropped + table.classes.size()));
    if (table.values.rows() < fewest_rows)
        datasets::refuse({file}, "has " + std::to_string(table.values.rows()) + " rows; " +
                                     std::to_string(fewest_rows) + " are needed to train, to validate and to test on");
    return task(name_of(entry), store::sha256(text), table, encoding, table.values.rows());
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

config::KeyRule data_sets_key() {
    using namespace config;
    std::vector<Named> all;
    for (const datasets::Entry& entry : data_manifest().entries)
        if (!entry.classes.empty()) all.push_back({entry.name, {}});
    all.push_back(
        {"file",
         {required("file", text(),
                   "delimited text, ARFF or LIBSVM's rows, packed by gzip or zip or not; a first line of text may name "
                   "its columns, "
                   "which are 'column 1' and on else"),
          required("label", text(), "the column that is the class, or the number to be predicted"),
          optional("target", one_of({"class", "number"}), "what the label is; a number where one has a fraction"),
          defaulted("missing", one_of({"refuse", "drop"}), "refuse", "rows with a missing value (?, NA, empty)"),
          defaulted("categories", list_of(text(), 0), "[]", "columns whose numbers are words"),
          defaulted("ignored", list_of(text(), 0), "[]", "columns that are not read, such as names of rows"),
          optional("name", text(), "of the data set in results, else the file's; splits are keyed by it")}});
    return required("datasets", list_of(named("data set", "use", std::move(all))),
                    "data sets with classes, of data/manifest.yaml and yours");
}

std::vector<Task> load_tasks(const config::Value& entries, datasets::Encoding encoding, Targets targets,
                             std::vector<std::string>& notes) {
    const auto manifest = data_manifest();
    const auto places = data_places();
    const auto warn = [&](const std::string& sentence) { notes.push_back(sentence); };
    std::vector<Task> tasks;
    for (const config::Value& entry : entries.items()) {
        const std::string name = name_of(entry);
        // Splits, draws and results are keyed by the name of a data set: two of one name would share them.
        for (const Task& task : tasks)
            if (task.name == name)
                entry.refuse("an earlier data set is called '" + name + "' too; give this one a name");
        if (entry.at("use").text() == "file") {
            tasks.push_back(task_of_file(entry, encoding, targets, notes));
            continue;
        }
        const datasets::Entry& known = manifest.find(name);
        std::vector<datasets::FoundFile> files;
        try {
            files = datasets::locate(known, places, warn);
        } catch (const datasets::MissingData& error) {
            notes.push_back("data set '" + name + "' is left out: " + error.what());
            continue;
        }
        const datasets::Table table = datasets::load(known, files);
        tasks.push_back(task(name, files.front().sha256, table, encoding, rows_used(name, table.values.rows())));
    }
    if (tasks.empty()) throw datasets::DataError("none of its data sets is on this machine: " + notes.front());
    return tasks;
}

SplitTask split_task(const Task& task, const regression::Split& split, datasets::Scaling scaling) {
    const Points training = rows_at(task.points, split.training);
    // Validation and test rows are scaled by what the training rows say, so that nothing of them is known beforehand.
    const datasets::Scale scale = datasets::fit_scale(training, scaling);
    return {regression::by_class(scale.apply(training), classes_at(task.classes, split.training)),
            scale.apply(rows_at(task.points, split.validation)), scale.apply(rows_at(task.points, split.test)),
            classes_at(task.classes, split.validation), classes_at(task.classes, split.test)};
}

}  // namespace rfbench::experiments
