#include "study/configuration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>

#include "given_name.hpp"
#include "methods/stored_map.hpp"
#include "report/reduction.hpp"
#include "report/relative_figures.hpp"
#include "rfbench/config/document.hpp"
#include "rfbench/config/source_text.hpp"
#include "rfbench/engine/recipe.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/repeated_name.hpp"
#include "rfbench/store/entries_below.hpp"
#include "rfbench/text/counted.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/former_names.hpp"

namespace rfbench::experiments {
namespace {

/// The text of a top-level key, before the study, and so the schema, is known.
const config::Node& text_node(const config::Node& document, const char* key) {
    const config::Node* node = config::find(document, key);
    if (!node || node->shape != config::Shape::scalar)
        throw config::Error(document.place, key,
                            "this key is missing or holds no text; every configuration says which experiment and study "
                            "it is for");
    return *node;
}

/// The study that a document names: which keys there may be depends on it.
const Study& configured_study(const config::Node& document) {
    const config::Node& experiment = text_node(document, "experiment");
    const config::Node& study = text_node(document, "study");
    const bool known = std::any_of(catalogue().begin(), catalogue().end(),
                                   [&](const Study& one) { return one.experiment == experiment.text; });
    try {
        return find(experiment.text, study.text);
    } catch (const std::invalid_argument& error) {
        throw config::Error(known ? study.place : experiment.place, known ? "study" : "experiment", error.what());
    }
}

std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(folder))
        for (const auto& entry : store::entries_below(folder))
            if (entry.is_regular_file() && names_a_file(entry.path())) files.push_back(entry.path());
    const auto stem = [](std::filesystem::path file) { return file.replace_extension(); };
    // Files come in the order of their names, so that mine.yaml and mine.yml stand side by side.
    const auto twice = std::adjacent_find(files.begin(), files.end(),
                                          [&](const auto& a, const auto& b) { return stem(a) == stem(b); });
    if (twice != files.end())
        throw InputError("'" + twice->string() + "' and '" + std::next(twice)->string() +
                         "' would have their results in one place; give one of them another name");
    return files;
}

}  // namespace

bool names_a_file(const std::filesystem::path& name) {
    return name.extension() == ".yaml" || name.extension() == ".yml";
}

config::Schema schema_of(const Study& study) {
    using namespace config;
    std::vector<KeyRule> keys{
        required("experiment", one_of({study.experiment}), "the experiment, a folder of configs/ and of results/"),
        required("study", one_of({study.name}), "what is measured and shown: a study of the experiment"),
        optional("description", text(), "free text, kept in the results"),
        defaulted("seed", integer(0), "1", "of all random numbers"),
        optional("minutes", real(at_least(0)),
                 "what it takes on two cores (a profile may have its own); what takes less is run first"),
    };
    for (KeyRule& key : method_keys(study.methods)) keys.push_back(std::move(key));
    if (!study.methods.abilities.empty())
        keys.push_back(optional("relative_to", text(), "a method's label: figures show differences to its curve"));
    for (KeyRule& key : study.keys()) keys.push_back(std::move(key));
    for (KeyRule& key : former_keys(keys)) keys.push_back(std::move(key));
    return object(std::move(keys));
}

Configuration load_configuration(const std::filesystem::path& file, const config::Options& options) {
    config::Node document = config::read_document(config::read_source(file.string()), file.string());
    const Study& study = configured_study(document);
    try {
        config::Checked checked = config::check(std::move(document), file.string(), schema_of(study), options);
        const auto& given = checked.profile_keys;
        const bool own_minutes =
            options.overrides.empty() && std::find(given.begin(), given.end(), "minutes") != given.end();
        return {&study,
                file.stem().string(),
                file,
                std::move(checked.value),
                checked.as_written,
                checked.as_written || own_minutes};
    } catch (const config::Error& error) {
        // One --set is for all configurations of a command: which of them refuses it is said.
        if (!error.source() || error.source()->has_lines) throw;
        throw config::Error(fmt::format("{} ({})", error.what(), file.string()));
    }
}

std::optional<double> expected_minutes(const Configuration& configuration) {
    if (!configuration.value.has("minutes")) return {};
    return configuration.value.at("minutes").number();
}

namespace {

/// Keys that change no value: what no axis stands for and is not named here counts for every cell.
constexpr const char* silent_keys[] = {"experiment", "study", "description", "minutes", "relative_to"};

/// "name: text" lines of what values at each label of an axis depend on beside it.
std::vector<std::string> content_lines(const Sweep& sweep, std::size_t axis) {
    std::vector<std::string> lines(sweep.axes[axis].size());
    const auto add = [&](const char* name, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (!texts[i].empty()) lines.at(i) += fmt::format("{}: {}\n", name, texts[i]);
    };
    add("settings", sweep.contents.at(axis));
    add("data", sweep.data.at(axis));
    add("code", sweep.code.at(axis));
    return lines;
}

/// Hash of all data that the cells read, each once, in the order of the axes.
std::string data_hash(const Configuration& configuration, const Sweep& sweep) {
    std::vector<std::string> all{sweep.data_hash, files_hash(configuration.value)};
    for (const auto& of_axis : sweep.data) all.insert(all.end(), of_axis.begin(), of_axis.end());
    std::string text;
    for (auto one = all.begin(); one != all.end(); ++one)
        // Only the first of equal hashes: axes and keys may name one file.
        if (!one->empty() && std::find(all.begin(), one, *one) == one) text += (text.empty() ? "" : " ") + *one;
    return text;
}

/// The model of this machine's processor, and how many there are; times depend on them.
std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    std::string model = "unknown processor";
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) model = line.substr(std::min(line.size(), line.find(": ") + 2));
    return fmt::format("{}, {} at a time", model, std::thread::hardware_concurrency());
}

/// Lines that the values of all cells depend on.
std::string common_lines(const Configuration& configuration, const Sweep& sweep,
                         const std::map<std::string, std::string>& provenance) {
    const Study& study = *configuration.study;
    std::vector<std::string> without(std::begin(silent_keys), std::end(silent_keys));
    without.insert(without.end(), sweep.swept.begin(), sweep.swept.end());
    std::string text =
        fmt::format("study: {}/{}\nversion: {}\ncode: {}\n", study.experiment, study.name, study.version, study.code);
    // Facts that the last bits of sums depend on; compilers and the like are provenance and make nothing stale.
    for (const char* fact : {"instruction_set", "instruction_extensions"})
        if (const auto found = provenance.find(fact); found != provenance.end())
            text += fmt::format("{}: {}\n", fact, found->second);
    // Times are those of one machine: another processor has others.
    if (sweep.alone) text += engine::measured_line + processor() + "\n";
    // Methods that no axis stands for are behind every cell.
    if (!study.methods.abilities.empty() && std::find(without.begin(), without.end(), "methods") == without.end())
        for (const config::Value& entry : configuration.value.at("methods").items()) {
            const MethodInfo& method = find_method(entry.at("use").text());
            text += fmt::format("code of {}: {}\n", method.name, method.code);
        }
    // Files of keys that an axis stands for count with the axis, label by label.
    std::string data = sweep.data_hash;
    for (const std::string& key : configuration.value.keys())
        if (std::find(without.begin(), without.end(), key) == without.end())
            data += files_hash(configuration.value.at(key));
    if (!data.empty()) text += "data: " + data + "\n";
    return text + config::canonical(configuration.value, without);
}

/// The label that the key `relative_to` names. Throws config::Error where no method has it.
std::string relative_to(const Configuration& configuration) {
    const config::Value& wanted = configuration.value.at("relative_to");
    std::vector<std::string> labels;
    for (const MethodChoice& choice : methods(configuration.value, configuration.study->methods))
        labels.push_back(choice.label);
    if (std::find(labels.begin(), labels.end(), wanted.text()) == labels.end())
        wanted.refuse(fmt::format("no method is called '{}'.{} There are {}", wanted.text(),
                                  did_you_mean(wanted.text(), labels), fmt::join(labels, ", ")));
    return wanted.text();
}

}  // namespace

engine::Plan plan(const Configuration& configuration, const Sweep& sweep,
                  const std::map<std::string, std::string>& attributes,
                  const std::map<std::string, std::string>& provenance) {
    engine::Plan result;
    result.experiment = configuration.study->experiment;
    result.config = configuration.name;
    // An estimate of the time that a run takes says nothing of its results.
    result.resolved = config::canonical(configuration.value, {"minutes"});
    result.data_hash = data_hash(configuration, sweep);
    result.schema_version = configuration.study->version;
    result.axes = sweep.axes;
    result.cells = sweep.cells();
    result.attributes = attributes;
    result.attributes.insert(sweep.attributes.begin(), sweep.attributes.end());
    // By it study_of() finds what makes a report of the collected file.
    result.attributes["study"] = configuration.study->experiment + "/" + configuration.study->name;
    if (!configuration.study->methods.abilities.empty() && configuration.value.has("relative_to"))
        result.attributes["relative_to"] = relative_to(configuration);
    result.provenance = provenance;
    result.common = common_lines(configuration, sweep, provenance);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) result.contents.push_back(content_lines(sweep, a));
    result.measured = sweep.alone;
    return result;
}

namespace {

/// Draws figures relative to the method that the configuration names, with a note where none has its curve.
void state_relative(Report& report, const store::Dataset& collected) {
    const auto found = collected.attributes.find("relative_to");
    if (found == collected.attributes.end()) return;
    bool any = false;
    for (report::Figure& figure : report.figures) any = draw_relative(figure, found->second) || any;
    if (!any)
        report.notes.push_back(
            fmt::format("relative_to: no figure of this result has a curve called {}", found->second));
}

const Study& study_of(const store::Dataset& collected) {
    const auto found = collected.attributes.find("study");
    if (found == collected.attributes.end() || found->second.find('/') == std::string::npos)
        throw FileError("the file has no attribute 'study': it is no collected result");
    const std::string now = present_name(found->second);
    return find(now.substr(0, now.find('/')), now.substr(now.find('/') + 1));
}

/// "regimes-claims" of the study regimes is "mine-claims" for the configuration mine.
std::string name_of_files(const std::string& name, const std::string& study, const store::Dataset& collected) {
    const auto configuration = collected.attributes.find("name");
    if (configuration == collected.attributes.end() || study == configuration->second) return name;
    if (name == study || name.starts_with(study + "-")) return configuration->second + name.substr(study.size());
    return configuration->second + "-" + name;
}

/// A figure says what its bands and bars are, since no reader can guess.
void require_interval(const report::Figure& figure) {
    for (const report::Panel& panel : figure.panels)
        for (const report::Series& series : panel.series) {
            // Only a series that has an interval is asked what it is.
            if (series.low.empty()) continue;
            const char* drawn = series.spread == report::Spread::bars ? "Bars: " : "Bands: ";
            if (!figure.interval.starts_with(drawn))
                throw std::logic_error(fmt::format("figure '{}': its interval is '{}'; it must begin with '{}'",
                                                   figure.name, figure.interval, drawn));
        }
}

/// Marks a report made with fewer repeats, or otherwise than its configuration says, wherever it is shown.
void state_reduction(Report& report, const std::string& reduction) {
    if (reduction.empty()) return;
    constexpr std::size_t fits = 60;  // beside a title
    for (report::Figure& figure : report.figures) {
        figure.title += " (" + (reduction.size() <= fits ? reduction : "other settings: see its caption") + ")";
        if (reduction.size() > fits) figure.caption += " (" + reduction + ")";
    }
    for (report::Table& table : report.tables) table.caption += " (" + reduction + ")";
}

/// Cells that failed, or are not done in a partial result, leave holes, and rows of which nothing is left: what is
/// shown says so.
void state_missing(Report& report, const store::Dataset& collected) {
    const std::vector<std::string> missing = attribute_lines(collected, "failed_cells");
    if (missing.empty()) return;
    constexpr std::size_t shown = 3;
    const std::size_t count = missing.size();
    const std::string some =
        fmt::format("{}", fmt::join(missing.begin(), missing.begin() + std::min(count, shown), "; "));
    const std::string sentence = fmt::format("{} {}, of which nothing is shown: {}{}.", counted(count, "cell"),
                                             collected.attributes.contains("partial") ? "not done" : "failed", some,
                                             count > shown ? fmt::format("; and {} more", count - shown) : "");
    for (report::Figure& figure : report.figures) figure.caption += " " + sentence;
    for (report::Table& table : report.tables) table.notes.push_back(sentence);
}

/// A result may have nothing for a panel, or for all of a figure: no estimate that far off, no closed form.
void leave_out_what_is_empty(Report& report, const std::string& study, const store::Dataset& collected) {
    const auto is_empty = [](const report::Panel& panel) { return panel.series.empty() && !panel.map; };
    for (report::Figure& figure : report.figures) std::erase_if(figure.panels, is_empty);
    std::erase_if(report.figures, [&](const report::Figure& figure) {
        if (!figure.panels.empty()) return false;
        report.notes.push_back(fmt::format("the figure '{}' is left out, since this result has nothing to draw in it",
                                           name_of_files(figure.name, study, collected)));
        return true;
    });
}

std::string failed(const Study& study, const char* what) {
    return fmt::format("the report of the study {}/{} failed: {}", study.experiment, study.name, what);
}

/// The study's report of a result, checked by the rules of figures and tables. A name of the user's that it has for
/// something else is the user's to change; any other mistake in it becomes a StudyError. Faults of files and of input
/// stay what they are.
Report checked_report(const Study& study, const store::Dataset& collected) {
    try {
        Report report = study.report(collected);
        leave_out_what_is_empty(report, study.name, collected);
        for (const report::Figure& figure : report.figures) {
            report::check(figure);
            require_interval(figure);
        }
        for (const report::Table& table : report.tables) report::check(table);
        return report;
    } catch (const InputError&) {
        throw;
    } catch (const FileError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const report::RepeatedName& error) {
        const auto place = place_of_given_name(collected, error.name());
        if (!place) throw StudyError(failed(study, error.what()));
        throw InputError(
            fmt::format("{}: '{}' is the name of something else that this study shows ({}); give it another label",
                        *place, error.name(), error.what()));
    } catch (const std::exception& error) {
        throw StudyError(failed(study, error.what()));
    }
}

}  // namespace

Report report_of(const store::Dataset& collected) {
    const Study& study = study_of(collected);
    Report report = checked_report(study, collected);
    state_relative(report, collected);
    state_reduction(report, reduction(collected));
    state_missing(report, collected);
    for (report::Figure& figure : report.figures) figure.name = name_of_files(figure.name, study.name, collected);
    for (report::Table& table : report.tables) table.name = name_of_files(table.name, study.name, collected);
    return report;
}

namespace {

/// Whether one of the files has a profile of this name.
bool is_profile(const std::vector<std::filesystem::path>& files, const std::string& name) {
    return std::any_of(files.begin(), files.end(), [&](const std::filesystem::path& file) {
        try {
            const config::Node document = config::read_document(config::read_source(file.string()), file.string());
            const config::Node* profiles = config::find(document, "profiles");
            return profiles != nullptr && config::find(*profiles, name) != nullptr;
        } catch (const config::Error&) {
            return false;  // what is wrong in it is said to who asks for it
        }
    });
}

/// Suggestion for a name that is no configuration's, a sentence with a space before it; or empty.
std::string meant_by(const std::string& name, const std::filesystem::path& configs,
                     const std::vector<std::filesystem::path>& files, const std::vector<std::string>& names) {
    if (std::filesystem::is_regular_file(name))
        return " There is a file of that name, but those of configurations end in .yaml or .yml.";
    if (std::filesystem::is_directory(name))
        return " It is a folder: give its files, or a name below " + configs.string() + ", such as variance.";
    if (is_profile(files, name)) return " It is the name of a profile: --profile " + name + ".";
    // A name may lack its folder.
    const auto whole = std::find_if(names.begin(), names.end(), [&](const std::string& one) {
        return std::filesystem::path(one).filename() == name;
    });
    const std::string similar = did_you_mean(whole == names.end() ? name : *whole, names),
                      extension = std::filesystem::path(name).extension();
    return similar.empty() && !extension.empty() ? " Names of files end in .yaml or .yml, not in " + extension + "."
                                                 : similar;
}

}  // namespace

std::vector<std::filesystem::path> configuration_files(const std::filesystem::path& configs,
                                                       const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> known = yaml_files(configs);
    const bool all = names.empty() || (names.size() == 1 && names.front() == "all");
    if (all) return known;
    std::vector<std::string> known_names{"all"};
    for (const auto& file : known) {
        const std::string relative = std::filesystem::relative(file, configs).replace_extension().string();
        known_names.push_back(relative);
        known_names.push_back(std::filesystem::path(relative).parent_path().string());
    }
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names) {
        if (names_a_file(name)) {
            files.emplace_back(name);
            continue;
        }
        const std::size_t before = files.size();
        for (const auto& file : known) {
            const std::filesystem::path relative = std::filesystem::relative(file, configs).replace_extension();
            if (relative == name || relative.parent_path() == name) files.push_back(file);
        }
        if (files.size() > before) continue;
        if (const std::string now = present_name(name); now != name)
            throw InputError("the configuration '" + name + "' is called '" + now + "' now.");
        if (const std::string here = name + ".yaml"; std::filesystem::exists(here))
            throw InputError("there is no configuration '" + name + "' in " + configs.string() + ". To run the file " +
                             here + ", give its whole name; a configuration that others stand on is in that folder.");
        throw InputError("there is no configuration '" + name + "' in " + configs.string() + "." +
                         meant_by(name, configs, known, known_names) +
                         " 'rfbench list experiments' shows what there is, 'rfbench table NAME' a result.");
    }
    return files;
}

}  // namespace rfbench::experiments
