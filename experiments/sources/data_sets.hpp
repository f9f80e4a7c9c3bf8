#pragma once
// Data sets made ready for kernel regression: those of the project's manifest, and files of the user's.
#include <memory>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/datasets/encoding.hpp"
#include "rfbench/datasets/load.hpp"
#include "rfbench/regression/classes.hpp"
#include "rfbench/regression/split.hpp"

namespace rfbench::experiments {

struct Task {
    std::string name;
    std::string sha256;  ///< of the file
    std::string table;   ///< hash of what was read from it
    Points points;       ///< encoded, not scaled
    std::vector<int> classes;
    std::vector<std::string> class_names;
    bool real = false;  ///< classes are numbers to be predicted
};

/// One split of a task: scaled by what the training rows say.
struct SplitTask {
    regression::ClassifiedRows training;
    Points validation, test;
    std::vector<int> validation_classes, test_classes;
};

/// The data sets of the thesis, in its order.
const std::vector<std::string>& thesis_sets();

/// The rows of the thesis' Table 6.1: all but the last row of each file, whose last line it dropped (nursery's is
/// blank); all rows of other data sets.
Index rows_used(const std::string& name, Index rows);

/// The key `datasets`: a list of {use: NAME} for those of the manifest, and of {use: file, file: mine.csv, ...}.
config::KeyRule data_sets_key();

/// Targets that a study takes: classes, or numbers to be predicted as well.
enum class Targets { classes, numbers_too };

/// The tasks of that key. Those of the manifest that are not on this machine are left out, with a sentence for each in
/// `notes`; of the user's files all rows are used. Throws datasets::DataError for malformed data and when there is
/// none, config::Error where two have one name or a target is not taken.
std::vector<Task> load_tasks(const config::Value& entries, datasets::Encoding, Targets,
                             std::vector<std::string>& notes);

SplitTask split_task(const Task&, const regression::Split&, datasets::Scaling);

}  // namespace rfbench::experiments
