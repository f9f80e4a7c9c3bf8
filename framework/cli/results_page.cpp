// results/index.html: all that collected files hold, and where it comes from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "configuration.hpp"
#include "drawing.hpp"
#include "rfbench/report/page.hpp"
#include "rfbench/store/hdf5_file.hpp"

namespace rfbench::cli {
namespace {

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
}

std::string attribute(const store::Dataset& data, const char* name) {
    const auto found = data.attributes.find(name);
    return found == data.attributes.end() ? "" : found->second;
}

/// An attribute without what a study as it stands in its file has; where cells of several runs were put together, they
/// have one resolved configuration, so one of them as it stands is enough.
std::string departure(const store::Dataset& data, const char* name, const std::string& as_it_stands) {
    const std::vector<std::string> all = lines(attribute(data, name));
    const bool departs = std::find(all.begin(), all.end(), as_it_stands) == all.end();
    return departs ? fmt::format("{}", fmt::join(all, ", ")) : "";
}

/// What makes it less, or other, than the study in its configuration file.
std::string reduced(const store::Dataset& data) {
    const std::string profile = departure(data, "profile", "full"), overrides = departure(data, "overrides", "none");
    std::string reason = profile.empty() ? "" : "profile " + profile;
    if (!overrides.empty()) reason += fmt::format("{}--set {}", reason.empty() ? "" : ", ", overrides);
    return reason;
}

/// The seed as the resolved configuration has it.
std::string seed(const std::string& configuration) {
    for (const std::string& line : lines(configuration))
        if (line.starts_with("seed: ")) return line.substr(6);
    return "";
}

std::vector<std::pair<std::string, std::string>> facts(const store::Dataset& data) {
    const std::string profile = departure(data, "profile", "full");
    const bool changed = attribute(data, "git_dirty") == "true";
    std::vector<std::pair<std::string, std::string>> all{
        {"study", attribute(data, "study")},
        {"profile", profile.empty() ? "full" : profile},
        {"seed", seed(attribute(data, "config"))},
        {"commit", attribute(data, "git_commit") + (changed ? ", with changes that are not committed" : "")},
        {"instruction set", attribute(data, "instruction_set")}};
    std::erase_if(all, [](const auto& fact) { return fact.second.empty(); });
    return all;
}

report::Section section(const std::filesystem::path& results, const std::filesystem::path& file) {
    const store::Dataset data = store::read(file);
    report::Section shown{.title = std::filesystem::relative(file, results).replace_extension().generic_string(),
                          .reduced = reduced(data),
                          .failures = lines(attribute(data, "failed_cells")),
                          .facts = facts(data),
                          .configuration = attribute(data, "config"),
                          .figure_folder = file.parent_path() / "figures",
                          .table_folder = file.parent_path() / "tables",
                          .files = {file}};
    if (data.variables.empty()) return shown;  // every cell failed
    experiments::Report report = experiments::report_of(data);
    shown.figures = std::move(report.figures);
    shown.tables = std::move(report.tables);
    return shown;
}

}  // namespace

void write_results_page(const std::filesystem::path& results) {
    std::vector<report::Section> sections;
    for (const auto& file : collected_files(results, {})) {
        try {
            sections.push_back(section(results, file));
        } catch (const std::exception& error) {
            std::cerr << "note: " << file.string() << " is not on the page of results: " << error.what() << '\n';
        }
    }
    const std::filesystem::path page = results / "index.html";
    report::write_page(page, "rfbench: results", sections);
    fmt::print("page {}\n", page.string());
}

}  // namespace rfbench::cli
