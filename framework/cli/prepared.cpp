#include "prepared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "provenance.hpp"
#include "results_folder.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/engine/status.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/file_name.hpp"
#include "sources/kept_networks.hpp"
#include "study/foundation.hpp"
#include "study/undrawn.hpp"

namespace rfbench::cli {
namespace {

/// Attributes of a collected file about the command that asked for it.
std::map<std::string, std::string> origin(const experiments::Configuration& configuration, const Selection& selection) {
    std::map<std::string, std::string> facts;
    const bool whole = configuration.as_written;
    facts["profile"] = whole || selection.profile.empty() ? "full" : selection.profile;
    facts["overrides"] =
        whole || selection.overrides.empty() ? "none" : fmt::format("{}", fmt::join(selection.overrides, ", "));
    // Named from the folder of configurations or from the working folder, so that results depend neither on where these
    // are nor on how the file was named.
    const auto whole_path = [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).lexically_normal();
    };
    facts["configuration_file"] = configuration.file.lexically_normal().generic_string();
    for (const auto& folder : {std::filesystem::current_path(), whole_path(selection.configs)})
        if (const auto inside = whole_path(configuration.file).lexically_relative(folder);
            !inside.empty() && !inside.generic_string().starts_with(".."))
            facts["configuration_file"] = inside.generic_string();
    return facts;
}

bool has_control_character(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// Throws InputError where files could not be named, or figures and tables not be written, once all is computed.
void require_names(const engine::Plan& plan, const std::filesystem::path& file, const std::string& as) {
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
        throw InputError(as.empty() ? fmt::format("{}: {} Rename the file, or name its results by --as.", file.string(),
                                                  error.what())
                                    : fmt::format("--as {}: {}", as, error.what()));
    }
    if (const std::filesystem::path name = plan.config; name.extension() == ".h5")
        throw InputError(fmt::format(
            "{}: results cannot be called '{}': their folder would be in the place of the file {} of others",
            as.empty() ? file.string() : "--as " + as, plan.config, plan.config));
    if (std::any_of(experiments::catalogue().begin(), experiments::catalogue().end(),
                    [&](const experiments::Study& study) { return study.experiment == plan.profile; }))
        throw InputError(
            fmt::format("{}: a profile cannot be called '{}', as an experiment is: results of both would "
                        "be in one folder",
                        file.string(), plan.profile));
    for (const char* taken : {"cells", engine::reference_folder, "slurm"})
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
    plan.config += options.suffix;
    require_names(plan, configuration.file, options.as);
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
void require_data(const WithoutData& refused, const std::vector<Prepared>& ready, bool first) {
    if (refused.empty()) return;
    std::vector<std::string> reasons, others;
    for (const auto& [reason, names] : refused)
        reasons.push_back(fmt::format("{} cannot be run: {}", fmt::join(names, ", "), reason));
    for (const Prepared& one : ready) others.push_back(one.plan.experiment + "/" + one.plan.config);
    const std::string rest = others.empty() ? ""
                                            : fmt::format("\nNothing {}was run. What needs no such data: {}",
                                                          first ? "" : "more ", fmt::join(others, " "));
    throw datasets::DataError(fmt::format("{}{}", fmt::join(reasons, "\n"), rest));
}

}  // namespace

Chain::Chain(const RunOptions& options) : options_(options) {
    const Selection& selection = options.selection;
    const auto files = experiments::configuration_files(selection.configs, selection.names);
    for (const auto& file : files) selected_.push_back(std::filesystem::weakly_canonical(file));
    for (const auto& file : files) add(file, {});
    for (const std::string& name : selection.names)
        if (const auto named = experiments::configuration_files(selection.configs, {name}); named.size() == 1)
            links_[add(named.front(), {})].is_named = true;
    if (!options.as.empty() && files.size() > 1)
        throw InputError(fmt::format("--as {} names the results of one configuration, and {} are selected", options.as,
                                     files.size()));
}

std::size_t Chain::add(const std::filesystem::path& file, std::vector<std::string> path) {
    const std::filesystem::path whole = std::filesystem::weakly_canonical(file);
    const auto known = std::find_if(links_.begin(), links_.end(), [&](const Link& one) {
        return std::filesystem::weakly_canonical(one.configuration.file) == whole;
    });
    if (known != links_.end()) return static_cast<std::size_t>(known - links_.begin());
    // Settings of the command line are for the configurations that it names.
    const bool selected = std::find(selected_.begin(), selected_.end(), whole) != selected_.end();
    const std::vector<std::string> none;
    const config::Options how{options_.selection.profile, selected ? options_.selection.overrides : none};
    Link link{
        .configuration = experiments::load_configuration(file, how), .stands_on = {}, .selected = selected, .plan = {}};
    path.push_back(link.name());
    open_.push_back(whole);
    for (const config::Value& from : experiments::foundations(link.configuration.value)) {
        link.stands_on.push_back(add_foundation(from, path));
        // Before anything is trained: a training takes minutes to hours.
        experiments::require_networks(link.configuration.value, links_[link.stands_on.back()].configuration,
                                      options_.selection.profile);
        const experiments::MethodKey& taken = link.configuration.study->methods;
        if (!taken.abilities.empty()) experiments::methods(link.configuration.value, taken);
    }
    open_.pop_back();
    links_.push_back(std::move(link));
    return links_.size() - 1;
}

std::size_t Chain::add_foundation(const config::Value& from, const std::vector<std::string>& path) {
    const std::string& name = from.text();
    std::vector<std::filesystem::path> files;
    try {
        files = experiments::configuration_files(options_.selection.configs, {name});
    } catch (const InputError& error) {
        from.refuse(error.what());
    }
    // By its whole name: an experiment that has one configuration today may have two tomorrow.
    const auto named = files.front().lexically_relative(options_.selection.configs).replace_extension();
    if (files.size() != 1 || named != name)
        from.refuse(fmt::format("'{}' does not name one configuration in {}, as training/teachers does", name,
                                options_.selection.configs.string()));
    if (std::find(open_.begin(), open_.end(), std::filesystem::weakly_canonical(files.front())) != open_.end())
        from.refuse(fmt::format("a configuration cannot stand on itself: {} -> {}", fmt::join(path, " -> "), name));
    const std::size_t number = add(files.front(), path);
    links_[number].is_foundation = true;
    if (links_[number].name() != name)
        from.refuse(
            fmt::format("its results are called {}, since that is its experiment: its file belongs into the "
                        "folder of that name",
                        links_[number].name()));
    return number;
}

bool Chain::is_collected(const Link& link) const {
    if (!link.plan) return false;
    if (engine::status(*link.plan, options_.results).collected) return true;
    return options_.keep_stale && std::filesystem::exists(options_.results / (place(*link.plan) + ".h5"));
}

std::vector<std::string> Chain::missing(const Link& link) const {
    std::vector<std::string> names;
    for (const std::size_t number : link.stands_on)
        if (!is_collected(links_[number])) names.push_back(links_[number].name());
    return names;
}

std::vector<std::string> Chain::faults(const Link& link) const {
    std::vector<std::string> all;
    for (const std::size_t number : link.stands_on) {
        const Link& one = links_[number];
        if (!one.plan || is_collected(one)) continue;
        const std::string fault = engine::status(*one.plan, options_.results).result_file;
        if (!fault.empty()) all.push_back(fmt::format("the file of {}: {}", one.name(), fault));
    }
    return all;
}

Prepared Chain::prepared(Link& link) const {
    RunOptions own = options_;
    if (!link.selected) {
        own.selection.overrides.clear();
        own.as.clear();
        own.suffix.clear();
    }
    const experiments::FoundationFolder results(tree(options_));
    experiments::Sweep sweep = link.configuration.study->prepare(link.configuration.value);
    say_undrawn(link.configuration, sweep);
    for (std::string& note : experiments::over_budget(*link.configuration.study, link.configuration.value))
        sweep.notes.push_back(std::move(note));
    engine::Plan plan = plan_of(link.configuration, sweep, own);
    std::vector<std::string> names;
    for (const std::size_t number : link.stands_on) names.push_back(links_[number].name());
    if (!names.empty()) plan.attributes["stands_on"] = fmt::format("{}", fmt::join(names, ", "));
    return {link.configuration, std::move(sweep), std::move(plan), std::move(names), link.selected};
}

std::vector<Prepared> Chain::next() {
    std::vector<Prepared> result;
    std::vector<Link*> now;
    const bool first = std::none_of(links_.begin(), links_.end(), [](const Link& one) { return one.given; });
    for (Link& link : links_)
        if (!link.given && missing(link).empty()) now.push_back(&link);
    WithoutData refused, left_out;
    for (Link* link : now) try {
            result.push_back(prepared(*link));
            link->given = true;
            if (link->is_foundation) link->plan = result.back().plan;
        } catch (const datasets::DataError& error) {
            // A refusal that several configurations share is said once, for all of them.
            const bool asked_for = link->is_named || link->is_foundation;
            (asked_for ? refused : left_out)[error.what()].push_back(link->name());
            link->given = !asked_for;
        }
    const bool none_left = first && result.empty() && waiting().empty();
    if (none_left) refused.merge(left_out);
    require_data(refused, result, first);
    for (const auto& [reason, names] : left_out)
        fmt::print(stderr, "note: {} {} left out: {}\n", fmt::join(names, ", "), names.size() == 1 ? "is" : "are",
                   reason);
    // Short configurations come first, so that the first figures are there soon; those without a time come last, as
    // named.
    const auto minutes = [](const Prepared& one) {
        return experiments::expected_minutes(one.configuration).value_or(std::numeric_limits<double>::infinity());
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const Prepared& a, const Prepared& b) { return minutes(a) < minutes(b); });
    return result;
}

std::vector<Waiting> Chain::waiting() const {
    std::vector<Waiting> all;
    for (const Link& link : links_)
        if (!link.given)
            all.push_back({link.name(), missing(link), faults(link), experiments::expected_minutes(link.configuration),
                           link.configuration.minutes_hold});
    return all;
}

Chain::Foundations Chain::foundations() const {
    Foundations all;
    for (const Link& link : links_) {
        if (!link.is_foundation) continue;
        all.names.push_back(link.name());
        all.selected = all.selected || link.selected;
    }
    return all;
}

std::vector<Prepared> prepare(Chain& chain) {
    std::vector<Prepared> all;
    for (std::vector<Prepared> stage = chain.next(); !stage.empty(); stage = chain.next())
        std::move(stage.begin(), stage.end(), std::back_inserter(all));
    return all;
}

TimeForecast forecast(const RunOptions& options, const Prepared& one, int threads) {
    return forecast_time(one.plan, options.results, threads, experiments::expected_minutes(one.configuration),
                         one.configuration.minutes_hold);
}

int report_nothing_selected(const Selection& selection) {
    std::cerr << "rfbench: no configuration in " << selection.configs.string() << " is selected\n";
    return nothing_selected;
}

}  // namespace rfbench::cli
