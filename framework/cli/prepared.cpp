#include "prepared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <stdexcept>

#include "provenance.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/file_name.hpp"
#include "undrawn.hpp"

namespace rfbench::cli {
namespace {

/// Whether profile and overrides leave it as it stands in its file: the quick profile of a study that takes a second.
bool is_whole(const experiments::Configuration& configuration, const Selection& selection) {
    if (selection.profile.empty() && selection.overrides.empty()) return true;
    const auto as_it_stands = experiments::load_configuration(configuration.file, {});
    return config::canonical(configuration.value) == config::canonical(as_it_stands.value);
}

/// What a collected file says of the command that asked for it.
std::map<std::string, std::string> origin(const experiments::Configuration& configuration, const Selection& selection) {
    std::map<std::string, std::string> facts;
    const bool whole = is_whole(configuration, selection);
    facts["profile"] = whole || selection.profile.empty() ? "full" : selection.profile;
    facts["overrides"] =
        whole || selection.overrides.empty() ? "none" : fmt::format("{}", fmt::join(selection.overrides, ", "));
    // Named from the folder of configurations, so that results do not depend on where that folder is, nor on how the
    // file was named.
    const auto whole_path = [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).lexically_normal();
    };
    const auto inside = whole_path(configuration.file).lexically_relative(whole_path(selection.configs));
    const bool ours = !inside.empty() && !inside.generic_string().starts_with("..");
    facts["configuration_file"] = (ours ? inside : configuration.file.lexically_normal()).generic_string();
    return facts;
}

bool has_control_character(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// Throws InputError where files could not be named, or figures and tables not be written, once all is computed.
void require_names(const engine::Plan& plan, const std::filesystem::path& file) {
    try {
        report::check_file_name("configuration", plan.config);
        if (!plan.profile.empty()) report::check_file_name("profile", plan.profile);
        // Names alone: their lengths, too.
        engine::Plan names;
        names.experiment = plan.experiment;
        names.config = plan.config;
        names.profile = plan.profile;
        engine::check(names);
    } catch (const std::invalid_argument& error) {
        throw InputError(
            fmt::format("{}: {} Rename the file, or name its results by --as.", file.string(), error.what()));
    }
    for (const char* taken : {"cells", "slurm"})
        if (plan.profile == taken)
            throw InputError(
                fmt::format("{}: a profile cannot be called '{}': the folder of that name in that of the "
                            "results holds other files",
                            file.string(), taken));
    for (const store::Axis& axis : plan.axes) {
        const auto* labels = std::get_if<std::vector<std::string>>(&axis.labels);
        if (labels == nullptr) continue;
        for (const std::string& label : *labels)
            if (has_control_character(label))
                throw InputError(
                    fmt::format("{}: the {} has the label {}, in which there is a line break or another "
                                "control character; labels are text on one line",
                                file.string(), axis.name, datasets::in_quotes(label)));
    }
}

engine::Plan plan_of(const experiments::Configuration& configuration, const experiments::Sweep& sweep,
                     const RunOptions& options) {
    const Selection& selection = options.selection;
    engine::Plan plan = experiments::plan(configuration, sweep, origin(configuration, selection), provenance());
    plan.profile = selection.profile;
    if (!options.as.empty()) plan.config = options.as;
    require_names(plan, configuration.file);
    return plan;
}

/// Adds a note on methods that a sampling cannot draw. Throws InputError where that leaves no cell.
void say_undrawn(const experiments::Configuration& configuration, experiments::Sweep& sweep) {
    const std::vector<std::string> sentences = experiments::undrawn(*configuration.study, configuration.value);
    if (sweep.cells().empty())
        throw InputError(fmt::format("{}: nothing is left to compute{}{}", configuration.file.string(),
                                     sentences.empty() ? "" : ": ", fmt::join(sentences, "; ")));
    for (const std::string& sentence : sentences) sweep.notes.push_back(sentence + "; these cells are left out");
}

/// Configurations whose data is not on this machine, or damaged, by what is said of that data.
using WithoutData = std::map<std::string, std::vector<std::string>>;

/// Throws DataError: what cannot be run and why, with the remedies, and what can be run by name without them.
void require_data(const WithoutData& refused, const std::vector<Prepared>& ready) {
    if (refused.empty()) return;
    std::vector<std::string> reasons, others;
    for (const auto& [reason, names] : refused)
        reasons.push_back(fmt::format("{} cannot be run: {}", fmt::join(names, ", "), reason));
    for (const Prepared& one : ready) others.push_back(one.plan.experiment + "/" + one.plan.config);
    const std::string rest =
        others.empty() ? "" : fmt::format("\nNothing was run. What needs no such data: {}", fmt::join(others, " "));
    throw datasets::DataError(fmt::format("{}{}", fmt::join(reasons, "\n"), rest));
}

}  // namespace

std::vector<Prepared> prepare(const RunOptions& options) {
    const Selection& selection = options.selection;
    std::vector<Prepared> result;
    WithoutData refused;
    for (const auto& file : experiments::configuration_files(selection.configs, selection.names)) {
        auto configuration = experiments::load_configuration(file, {selection.profile, selection.overrides});
        try {
            experiments::Sweep sweep = configuration.study->prepare(configuration.value);
            say_undrawn(configuration, sweep);
            engine::Plan plan = plan_of(configuration, sweep, options);
            result.push_back({std::move(configuration), std::move(sweep), std::move(plan)});
        } catch (const datasets::DataError& error) {
            // What several lack alike is said once, for all of them.
            refused[error.what()].push_back(configuration.study->experiment + "/" + configuration.name);
        }
    }
    require_data(refused, result);
    if (!options.as.empty() && result.size() > 1)
        throw InputError(fmt::format("--as {} names the results of one configuration, and {} are selected", options.as,
                                     result.size()));
    // What takes less comes first, so that the first figures are there soon; what does not say comes last, as named.
    const auto minutes = [](const Prepared& one) {
        return experiments::expected_minutes(one.configuration).value_or(std::numeric_limits<double>::infinity());
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const Prepared& a, const Prepared& b) { return minutes(a) < minutes(b); });
    return result;
}

TimeForecast forecast(const RunOptions& options, const Prepared& one, int threads) {
    const bool whole = is_whole(one.configuration, options.selection);
    return forecast_time(one.plan, options.results, threads,
                         whole ? experiments::expected_minutes(one.configuration) : std::nullopt);
}

int nothing(const Selection& selection) {
    std::cerr << "rfbench: no configuration in " << selection.configs.string() << " is selected\n";
    return nothing_selected;
}

}  // namespace rfbench::cli
