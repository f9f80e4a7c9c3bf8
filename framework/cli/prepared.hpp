#pragma once
// The configurations that a command selects, made plans.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forecast.hpp"
#include "rfbench/engine/plan.hpp"
#include "study/configuration.hpp"
#include "study/study.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

struct Prepared {
    experiments::Configuration configuration;
    experiments::Sweep sweep;
    engine::Plan plan;
    std::vector<std::string> stands_on;  ///< configurations whose results it reads
    bool selected;                       ///< by name; others are what those stand on
};

/// A configuration that reads results that are not there yet: which cells it has is known once they are.
struct Waiting {
    std::string name;                    ///< "dof/layers"
    std::vector<std::string> stands_on;  ///< those of its foundations that are missing
    std::vector<std::string> faults;     ///< of files that are in their places: a sentence each
    std::optional<double> minutes;       ///< its own estimate
    bool minutes_hold;                   ///< `minutes` are of the values that were asked for
};

/// The configurations that a command selects and those that they stand on, in the order in which they can be prepared.
class Chain {
public:
    /// Reads and checks all of them. Throws InputError where a file or the selection is wrong, and where a
    /// configuration stands on itself.
    explicit Chain(const RunOptions&);

    bool empty() const { return links_.empty(); }
    /// Prepares all whose foundations are collected and that were not given before; what takes less comes first. Throws
    /// InputError where one is wrong, and DataError, which names what could be run without, where data is not on this
    /// machine. One that was selected with all of its experiment is left out for want of data, with a note, unless
    /// nothing else is left.
    std::vector<Prepared> next();
    /// Those that next() has not given.
    std::vector<Waiting> waiting() const;
    /// The names of those that others stand on, and whether one of them is selected.
    struct Foundations {
        std::vector<std::string> names;
        bool selected = false;
    };
    Foundations foundations() const;

private:
    struct Link {
        experiments::Configuration configuration;
        std::vector<std::size_t> stands_on;  ///< numbers of links
        bool selected;
        bool given = false, is_foundation = false;
        bool is_named = false;             ///< selected by a name of its own, not with all of its experiment
        std::optional<engine::Plan> plan;  ///< of a foundation that was given

        std::string name() const { return configuration.study->experiment + "/" + configuration.name; }
    };
    /// Adds a file and what it stands on, unless it is there. `path`: the configurations that lead to it.
    std::size_t add(const std::filesystem::path& file, std::vector<std::string> path);
    std::size_t add_foundation(const config::Value& from, const std::vector<std::string>& path);
    bool is_collected(const Link&) const;
    std::vector<std::string> missing(const Link&) const;
    std::vector<std::string> faults(const Link&) const;
    Prepared prepared(Link&) const;

    RunOptions options_;
    std::vector<std::filesystem::path> selected_;
    std::vector<std::filesystem::path> open_;  ///< files whose foundations are being looked for
    std::vector<Link> links_;
};

/// All that next() of a chain gives one after another, without computing anything between.
std::vector<Prepared> prepare(Chain&);

/// Forecast of the time; `minutes` of a configuration are meant for all of it.
TimeForecast forecast(const RunOptions&, const Prepared&, int threads);

/// Says that no configuration is selected, and returns the exit code of that.
int report_nothing_selected(const Selection&);

}  // namespace rfbench::cli
