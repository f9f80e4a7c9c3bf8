// results/index.html: all that collected files hold, and where it comes from.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <optional>

#include "claim_answers.hpp"
#include "drawing.hpp"
#include "report/reduction.hpp"
#include "rfbench/claims/claim_table.hpp"
#include "rfbench/report/page.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "study/configuration.hpp"

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
        {"instruction set", attribute(data, "instruction_set")},
        {"processor", attribute(data, "processor")}};
    std::erase_if(all, [](const auto& fact) { return fact.second.empty(); });
    return all;
}

report::Section section(const std::filesystem::path& results, const std::filesystem::path& file) {
    const store::Dataset data = store::read(file);
    report::Section part{.title = std::filesystem::relative(file, results).replace_extension().generic_string(),
                         .reduced = experiments::reduction(data),
                         .failures = experiments::attribute_lines(data, "failed_cells"),
                         .facts = facts(data),
                         .configuration = attribute(data, "config"),
                         .figure_folder = std::filesystem::path(file).replace_extension() / "figures",
                         .table_folder = std::filesystem::path(file).replace_extension() / "tables",
                         .files = {file}};
    if (data.variables.empty()) return part;  // every cell failed
    experiments::Report report = experiments::report_of(data);
    part.figures = std::move(report.figures);
    part.tables = std::move(report.tables);
    return part;
}

/// Waits until no other process holds the folder. File systems that cannot lock folders are taken as they are.
class OnlyOne {
public:
    explicit OnlyOne(const std::filesystem::path& folder)
        : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
    }
    ~OnlyOne() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OnlyOne(const OnlyOne&) = delete;
    OnlyOne& operator=(const OnlyOne&) = delete;

private:
    int descriptor_;
};

/// Answers to the papers' claims, to be filtered by paper, verdict and method; those that no result here judges are
/// hidden at first.
report::FilteredTable filtered(const claims::ClaimList& list, const std::vector<claims::Answer>& answers) {
    report::Table table{.name = "claims", .caption = claims::summary(answers), .notes = {claims::error_text(list)}};
    for (const char* title : {"id", "place", "claim", "printed", "measured", "asked", "verdict", "note"})
        table.columns.push_back(report::word_column(title));
    report::Filter paper{"paper", {}}, verdict{"verdict", {}, in_words(claims::Answer::Verdict::not_judged)},
        method{"method", {}};
    for (const claims::Answer& one : answers) {
        const claims::Claim& claim = *one.claim;
        table.rows.push_back(
            {{claim.id, claim.paper + ", " + claim.place, claim.sentence, claim.printed, measured_text(one),
              rule_text(one), std::string(in_words(one.verdict)), note_text(list, one)}});
        paper.entries.push_back({claim.paper});
        verdict.entries.push_back({in_words(one.verdict)});
        method.entries.push_back(claim.methods());
    }
    return {"Which claims hold", std::move(table), {paper, verdict, method}};
}

/// Nothing where a file cannot be read, as the page then says.
std::optional<report::FilteredTable> verdicts(const std::filesystem::path& results) {
    try {
        const claims::ClaimList list = claim_list();
        return filtered(list, answers_of(list, results));
    } catch (const store::Error& error) {
        std::cerr << "note: the page of results does not judge claims: " << error.what() << '\n';
        return {};
    }
}

}  // namespace

void write_results_page(const std::filesystem::path& results) {
    // One process at a time reads and writes, so that no page takes the place of one that has more.
    const OnlyOne here(results);
    std::vector<report::Section> sections;
    for (const auto& file : collected_files(results, {})) {
        try {
            sections.push_back(section(results, file));
        } catch (const std::exception& error) {
            std::cerr << "note: " << file.string() << " is not on the page of results: " << error.what() << '\n';
        }
    }
    const std::filesystem::path page = results / results_page;
    report::write_page(page, "rfbench: results", sections, verdicts(results));
    fmt::print("page {}\n", page.string());
}

}  // namespace rfbench::cli
