// rfbench pages: numbers of the documentation that come from reference results.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>

#include "drawing.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/marks.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/file_reading.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

/// Tables of reference results, each made when it is first asked for.
class Tables {
public:
    explicit Tables(std::filesystem::path folder) : folder_(std::move(folder)) {}

    const report::Table& of(const report::Mark& mark) {
        const auto [found, is_new] = known_.try_emplace(mark.results);
        const std::filesystem::path file = folder_ / (mark.results + ".h5");
        if (!std::filesystem::exists(file))
            throw std::invalid_argument(fmt::format("there are no results {}", file.string()));
        if (is_new) found->second = report_of(file).tables;
        for (const report::Table& table : found->second)
            if (table.name == mark.table) return table;
        throw std::invalid_argument(fmt::format("{} has no table '{}'", mark.results, mark.table));
    }

private:
    std::filesystem::path folder_;
    std::map<std::string, std::vector<report::Table>> known_;
};

std::vector<std::filesystem::path> pages_of(const std::filesystem::path& root) {
    std::vector<std::filesystem::path> pages{root / "README.md"};
    for (const auto& file : std::filesystem::directory_iterator(root / "docs"))
        if (file.path().extension() == ".md") pages.push_back(file.path());
    std::sort(pages.begin(), pages.end());
    return pages;
}

}  // namespace

int pages(const std::filesystem::path& root, bool check) {
    if (!std::filesystem::is_directory(root / "docs"))
        throw InputError(fmt::format("pages: {} has no folder docs; pages are those of a checkout", root.string()));
    Tables tables(root / "results" / "reference");
    std::size_t numbers = 0, other = 0;
    for (const auto& page : pages_of(root)) {
        const std::string before = store::read_whole(page);
        try {
            const std::string after = report::filled(before, [&](const report::Mark& mark) {
                const std::string text = report::entry_of(tables.of(mark), mark);
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
    fmt::print("{} numbers of pages come from results/reference; {} {}\n", numbers, other,
               check ? "differ" : "were replaced");
    return check && other > 0 ? values_differ : success;
}

}  // namespace rfbench::cli
