#pragma once
// What an experiment is to the program. A study measures one thing (a figure or a table of the papers); a YAML file in
// configs/<experiment>/ says over what; its results go to results/<experiment>/<file name>.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"
#include "rfbench/engine/plan.hpp"
#include "rfbench/random/stream.hpp"
#include "rfbench/report/figure.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/dataset.hpp"

namespace rfbench::experiments {

/// A configuration made ready to run: the sweep's axes, its cells, and what computes one.
struct Sweep {
    std::vector<store::Axis> axes;
    std::vector<engine::Cell> cells;
    std::string data_hash;           ///< of the data the cells read; empty when they read none
    std::vector<std::string> notes;  ///< what the user should know, e.g. inputs left out because they are not here
    /// Cells are computed one at a time, and set their own number of threads: for what is timed.
    bool alone = false;
    /// About what one cell holds at its peak in the largest of its arrays; 0 where that is little.
    double bytes = 0;
    /// Thread-safe; sees one OpenMP thread.
    std::function<store::Dataset(const engine::Cell&)> compute;
};

/// What is made of a collected result file, and of nothing else.
struct Report {
    std::vector<report::Figure> figures;
    std::vector<report::Table> tables;
};

struct Study {
    std::string experiment;  ///< "variance"
    std::string name;        ///< "regimes"
    std::string summary;     ///< one line
    std::string reference;   ///< the figure or table it reproduces
    int version;             ///< counted up when the meaning of its values changes: earlier results are stale then
    std::vector<config::KeyRule> (*keys)();  ///< of its configuration, besides those every configuration has
    Sweep (*prepare)(const config::Value&);
    Report (*report)(const store::Dataset&);
};

/// Every study there is.
const std::vector<Study>& catalogue();

/// Throws std::invalid_argument naming the nearest study when there is none of that name.
const Study& find(std::string_view experiment, std::string_view study);

/// The root of all that a study draws: the configuration's seed, then `name`, such as "variance/regimes".
Stream study_stream(const config::Value& configuration, const std::string& name);

/// Labels of an axis: a configuration's integers, or 0, 1, ..., count - 1 for what is repeated.
std::vector<double> as_labels(const std::vector<std::int64_t>&);
std::vector<double> numbered(std::int64_t count);

/// The cells of the full product of the axes, keyed "name=label,name=label". Cells for which `keep` is false are left
/// out: result arrays hold NaN there.
std::vector<engine::Cell> product_cells(const std::vector<store::Axis>& axes,
                                        const std::function<bool(const std::vector<std::size_t>&)>& keep = {});

}  // namespace rfbench::experiments
