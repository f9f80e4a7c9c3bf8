#pragma once
// Interface of a study. A study measures one thing (a figure or a table of the papers) in one file,
// experiments/<experiment>/<study>.cpp; a YAML file in configs/<experiment>/ says over what; its results go to
// results/<experiment>/<file name>. studies.hpp lists them all.
#include <functional>
#include <map>
#include <optional>
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
#include "study/axis.hpp"
#include "study/method_list.hpp"

namespace rfbench::experiments {

/// A configuration made ready to run: the sweep's axes, its cells, and what computes one.
struct Sweep {
    /// Over the full product of these axes.
    template <class... T>
    static Sweep over(const Axis<T>&... axes) {
        Sweep sweep;
        sweep.axes = {axes.stored()...};
        sweep.contents = {axes.contents...};
        sweep.data = {axes.data...};
        sweep.code = {axes.code...};
        (sweep.swept.insert(sweep.swept.end(), axes.keys.begin(), axes.keys.end()), ...);
        return sweep;
    }

    std::vector<store::Axis> axes;
    std::vector<std::vector<std::string>> contents, data, code;  ///< of each axis
    std::vector<std::string> swept;                              ///< keys of the configuration that axes stand for
    /// Which points have a cell; all, unless given. Result arrays hold NaN at the others.
    std::function<bool(const Point&)> keep = {};
    std::string data_hash = {};  ///< of the data that all cells read, beside those of axes' values; empty for none
    std::vector<std::string> notes = {};                 ///< what the user should know, e.g. inputs left out
    std::map<std::string, std::string> attributes = {};  ///< of the result file, beside its provenance
    /// Cells are computed one at a time, and set their own number of threads, since what they measure is time.
    bool alone = false;
    /// About what one cell holds at its peak in the largest of its arrays; 0 where that is little.
    double bytes = 0;
    /// Thread-safe; sees one OpenMP thread.
    std::function<store::Dataset(const Point&)> compute;
    /// Names of the variables that may be NaN or infinite; measure() requires all others to be finite. Without a list
    /// nothing is checked. Studies that read points or heads of a user give a list.
    std::optional<std::vector<std::string>> finite_but = {};

    /// compute(). Throws NotFinite, naming the variable, where one is not finite that must be.
    store::Dataset measure(const Point&) const;

    /// Keyed "name=label,name=label".
    std::vector<engine::Cell> cells() const;
    Point point(const std::vector<std::size_t>& coordinates, engine::Checkpoint* = nullptr) const;
};

/// Figures and tables, made from a collected result file alone.
struct Report {
    std::vector<report::Figure> figures;
    std::vector<report::Table> tables;
    std::vector<std::string> notes = {};  ///< sentences for the user; report_of() says here what it left out
};

struct Study {
    std::string experiment;  ///< "variance"
    std::string name;        ///< "regimes"
    std::string summary;     ///< one line
    std::string reference;   ///< the figure or table it reproduces
    int version;             ///< counted up when the meaning of its values changes: earlier results are stale then
    MethodKey methods;       ///< which methods it takes
    std::vector<config::KeyRule> (*keys)();  ///< of its configuration, besides those and those every one has
    Sweep (*prepare)(const config::Value&);
    /// Panels and figures in which there is nothing to draw need no care: report_of() leaves them out.
    Report (*report)(const store::Dataset&);
    std::string code = {};  ///< digest of the sources that its values come from (code.hpp), by the list of all studies
};

/// Every study there is.
const std::vector<Study>& catalogue();

/// Throws InputError for an unknown study, naming its current name if it was renamed, otherwise the nearest name.
const Study& find(std::string_view experiment, std::string_view study);

/// The root of all that a study draws: the configuration's seed, then `name`, such as "variance/regimes".
Stream study_stream(const config::Value& configuration, const std::string& name);

/// An integer of the configuration as an index.
Index whole(const config::Value& configuration, const char* key);

}  // namespace rfbench::experiments
