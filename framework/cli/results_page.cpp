// results/index.html: all that collected files hold, and where it comes from.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "configuration.hpp"
#include "drawing.hpp"
#include "reduction.hpp"
#include "rfbench/report/page.hpp"
#include "rfbench/store/hdf5_file.hpp"

namespace rfbench::cli {
namespace {

std::string attribute(const store::Dataset& data, const char* name) {
    const auto found = data.attributes.find(name);
    return found == data.attributes.end() ? "" : found->second;
}

/// The seed as the resolved configuration has it.
std::string seed(const store::Dataset& data) {
    for (const std::string& line : experiments::attribute_lines(data, "config"))
        if (line.starts_with("seed: ")) return line.substr(6);
    return "";
}

std::vector<std::pair<std::string, std::string>> facts(const store::Dataset& data) {
    const bool changed = attribute(data, "git_dirty") == "true";
    std::vector<std::pair<std::string, std::string>> all{
        {"study", attribute(data, "study")},
        {"profile", experiments::profile_of(data)},
        {"seed", seed(data)},
        {"commit", attribute(data, "git_commit") + (changed ? ", with changes that are not committed" : "")},
        {"instruction set", attribute(data, "instruction_set")}};
    std::erase_if(all, [](const auto& fact) { return fact.second.empty(); });
    return all;
}

report::Section section(const std::filesystem::path& results, const std::filesystem::path& file) {
    const store::Dataset data = store::read(file);
    report::Section shown{.title = std::filesystem::relative(file, results).replace_extension().generic_string(),
                          .reduced = experiments::reduction(data),
                          .failures = experiments::attribute_lines(data, "failed_cells"),
                          .facts = facts(data),
                          .configuration = attribute(data, "config"),
                          .figure_folder = std::filesystem::path(file).replace_extension() / "figures",
                          .table_folder = std::filesystem::path(file).replace_extension() / "tables",
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
