#pragma once
// From a YAML file to a plan: which study a file configures, checked against that study's keys.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/config/load.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

struct Configuration {
    const Study* study;
    std::string name;  ///< of the file, without .yaml: the name of its results
    std::filesystem::path file;
    config::Value value;
    bool as_written = true;    ///< neither the profile nor --set changes it
    bool minutes_hold = true;  ///< `minutes` are of these values: as written, or a profile's own without --set
};

/// Throws config::Error with file:line:column for whatever is wrong in it.
Configuration load_configuration(const std::filesystem::path& file, const config::Options& options);

/// The keys a study's configuration takes, those common to all first.
config::Schema schema_of(const Study&);

/// Minutes that the configuration states for two cores: they order runs and do not identify results.
std::optional<double> expected_minutes(const Configuration&);

/// The engine's plan for a prepared sweep. `attributes`: of its collected file.
engine::Plan plan(const Configuration&, const Sweep&, const std::map<std::string, std::string>& attributes,
                  const std::map<std::string, std::string>& provenance = {});

/// Figures and tables of a collected result, by the study that made it. Their names begin with the configuration's
/// (where they begin with the study's, in its place), so that configurations of one study do not overwrite each other's
/// files. Panels and figures without anything to draw are left out, and notes say which figures are. Throws FileError
/// when the file does not say which study made it, and StudyError, which names the study, when its report fails, or
/// breaks a rule: a figure that does not say which its intervals are, or calls bars bands, or what check() of figures
/// and tables refuses.
Report report_of(const store::Dataset& collected);

/// Whether a name on the command line is the path of a configuration: it ends in .yaml or .yml.
bool names_a_file(const std::filesystem::path&);

/// The YAML files that a name on the command line means: "variance" all of an experiment's, "variance/regimes" one, a
/// path ending in .yaml or .yml itself; "all" or no name at all: every configuration. Sorted.
/// Throws InputError, with what may have been meant, when there is no such configuration, or when two files of the
/// folder would have their results in one place.
std::vector<std::filesystem::path> configuration_files(const std::filesystem::path& configs,
                                                       const std::vector<std::string>& names);

}  // namespace rfbench::experiments
