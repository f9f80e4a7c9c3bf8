// rfbench pages: numbers of the documentation, and tables beside reference results, that come from those results.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "drawing.hpp"
#include "rfbench/claims/file_expression.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/marks.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

/// Reference results and their tables, each made when it is first asked for.
class Tables {
public:
    explicit Tables(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// The text of a mark.
    std::string of(const report::Mark& mark) {
        const std::filesystem::path file = folder_ / (mark.results + ".h5");
        if (!std::filesystem::exists(file))
            throw std::invalid_argument(fmt::format("there are no results {}", file.string()));
        if (!mark.expression.empty())
            return report::entry_text(claims::number_of(mark.expression, data_of(file)),
                                      {report::Format::Kind::significant, mark.digits});
        for (const report::Table& table : in(file))
            if (table.name == mark.table) return report::entry_of(table, mark);
        throw std::invalid_argument(fmt::format("{} has no table '{}'", mark.results, mark.table));
    }

    const std::vector<report::Table>& in(const std::filesystem::path& file) {
        const auto [found, is_new] = known_.try_emplace(file);
        if (is_new) found->second = report_of(file).tables;
        return found->second;
    }

private:
    const store::Dataset& data_of(const std::filesystem::path& file) {
        const auto [found, is_new] = read_.try_emplace(file);
        if (is_new) found->second = store::read(file);
        return found->second;
    }

    std::filesystem::path folder_;
    std::map<std::filesystem::path, store::Dataset> read_;
    std::map<std::filesystem::path, std::vector<report::Table>> known_;
};

/// Text of a mark; a mistake in it is told with its line.
std::string text_of(const report::Mark& mark, Tables& tables) {
    try {
        return tables.of(mark);
    } catch (const std::logic_error& error) {
        throw std::invalid_argument(fmt::format("line {}: {}", mark.line, error.what()));
    }
}

std::vector<std::filesystem::path> pages_of(const std::filesystem::path& root) {
    std::vector<std::filesystem::path> pages{root / "README.md"};
    for (const auto& file : std::filesystem::directory_iterator(root / "docs"))
        if (file.path().extension() == ".md") pages.push_back(file.path());
    std::sort(pages.begin(), pages.end());
    return pages;
}

/// Tables in Markdown beside the result files that they come from: each that is other, missing, or of no result file
/// is told and, unless `check`, mended. Returns how many there were.
std::size_t mend_tables_beside(const std::filesystem::path& folder, Tables& tables, bool check) {
    std::set<std::filesystem::path> made;
    std::size_t other = 0;
    for (const auto& file : collected_files(folder, {}))
        for (const report::Table& table : tables.in(file)) {
            const std::filesystem::path path = file.parent_path() / (table.name + ".md");
            const std::string text = report::markdown(table);
            made.insert(path);
            if (std::filesystem::exists(path) && store::read_whole(path) == text) continue;
            ++other;
            std::cerr << fmt::format("{}: not the table of {}\n", path.string(), file.filename().string());
            if (!check) store::write_file(path, text);
        }
    for (const auto& experiment : std::filesystem::directory_iterator(folder)) {
        if (!experiment.is_directory()) continue;
        for (const auto& file : std::filesystem::directory_iterator(experiment)) {
            if (file.path().extension() != ".md" || made.contains(file.path())) continue;
            ++other;
            std::cerr << fmt::format("{}: a table of no result file\n", file.path().string());
            if (!check) std::filesystem::remove(file.path());
        }
    }
    return other;
}

}  // namespace

int pages(const std::filesystem::path& root, bool check) {
    if (!std::filesystem::is_directory(root / "docs"))
        throw InputError(fmt::format("pages: {} has no folder docs; pages are those of a checkout", root.string()));
    const std::filesystem::path reference = root / "results" / "reference";
    Tables tables(reference);
    std::size_t numbers = 0, other = 0;
    for (const auto& page : pages_of(root)) {
        const std::string before = store::read_whole(page);
        try {
            const std::string after = report::filled(before, [&](const report::Mark& mark) {
                const std::string text = text_of(mark, tables);
                ++numbers;
                if (text != mark.shown) {
                    ++other;
                    std::cerr << fmt::format("{}:{}: {} here, {} in results/reference/{}.h5\n", page.string(),
                                             mark.line, mark.shown, text, mark.results);
                }
                return text;
            });
            if (!check && after != before) store::write_file(page, after);
        } catch (const std::invalid_argument& error) {
            throw InputError(fmt::format("{}: {}", page.string(), error.what()));
        }
    }
    const std::size_t other_tables = mend_tables_beside(reference, tables, check);
    const char* const what = check ? "differ" : "were replaced";
    fmt::print("{} numbers of pages come from results/reference; {} {}. Of the tables there {} {}.\n", numbers, other,
               what, other_tables, what);
    return check && other + other_tables > 0 ? values_differ : success;
}

}  // namespace rfbench::cli
