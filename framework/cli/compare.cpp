// rfbench compare: two results side by side.
#include "rfbench/comparison/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "comparison_figure.hpp"
#include "drawing.hpp"
#include "rfbench/config/document.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/json/json.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "single_figure.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

constexpr double level = 0.05;

/// Result files by the name of their results; a single file has the name of its configuration.
std::map<std::string, std::filesystem::path> files_of(const std::string& given) {
    const std::filesystem::path path =
        given == "reference" ? experiments::project() / "results" / "reference" : std::filesystem::path(given);
    if (!std::filesystem::exists(path))
        throw InputError(fmt::format("compare: there is no file or folder '{}'", given));
    std::map<std::string, std::filesystem::path> files;
    if (std::filesystem::is_directory(path)) {
        for (const auto& file : collected_files(path, {}))
            files[std::filesystem::relative(file, path).replace_extension().string()] = file;
    } else if (path.extension() == ".h5" && std::filesystem::exists(path)) {
        files[path.parent_path().filename().string() + "/" + path.stem().string()] = path;
    }
    if (files.empty())
        throw InputError(
            fmt::format("compare: '{}' is no result file (.h5), and no folder with results; 'reference' are "
                        "those that come with rfbench",
                        given));
    return files;
}

std::string study_of(const store::Dataset& data) {
    const auto found = data.attributes.find("study");
    return found == data.attributes.end() ? "unknown" : found->second;
}

/// The configuration of a result; an empty map where it keeps none.
config::Node configuration_of(const store::Dataset& data) {
    const auto text = data.attributes.find("config");
    return config::parse_document(
        text == data.attributes.end() ? "{}" : text->second,
        std::make_shared<const config::Source>(config::Source{"a result's configuration", false, ""}));
}

/// Settings that both have and that differ, such as "heads.length is 256 and 64". Lists are what is swept: axes tell.
void add_differences(const config::Node& a, const config::Node& b, const std::string& path,
                     std::vector<std::string>& all) {
    if (a.shape != b.shape) return;
    if (a.shape == config::Shape::scalar) {
        if (a.text != b.text) all.push_back(fmt::format("{} is {} and {}", path, a.text, b.text));
    } else if (a.shape == config::Shape::list) {
        for (std::size_t i = 0; a.items.size() == b.items.size() && i < a.items.size(); ++i)
            if (a.items[i].shape == config::Shape::map)
                add_differences(a.items[i], b.items[i], config::joined(path, i), all);
    } else {
        for (std::size_t i = 0; i < a.keys.size(); ++i)
            if (const config::Node* other = config::find(b, a.keys[i].name))
                add_differences(a.items[i], *other, config::joined(path, a.keys[i].name), all);
    }
}

/// Notes on settings that differ. Times that configurations state, and words, change no value.
std::vector<std::string> notes_on_settings(const store::Dataset& one, const store::Dataset& other) {
    std::vector<std::string> differences, notes;
    add_differences(configuration_of(one), configuration_of(other), "", differences);
    for (const std::string& difference : differences) {
        if (difference.starts_with("minutes ") || difference.starts_with("description ")) continue;
        notes.push_back(difference + (difference.starts_with("seed ")
                                          ? ": what is drawn once, such as points, differs too, and errors of repeats "
                                            "do not cover that"
                                          : ""));
    }
    return notes;
}

comparison::Compared compared(const std::string& name, const std::filesystem::path& a, const std::filesystem::path& b) {
    const store::Dataset one = store::read(a), other = store::read(b);
    if (study_of(one) != study_of(other))
        throw InputError(
            fmt::format("compare: {} is of the study {}, and {} of {}; only results of one study have the "
                        "same variables",
                        a.string(), study_of(one), b.string(), study_of(other)));
    comparison::Compared result = comparison::compare(name, one, other);
    for (std::string& note : notes_on_settings(one, other)) result.notes.push_back(std::move(note));
    return result;
}

/// Pairs of files: two files whatever their names are, else those of one name.
std::vector<comparison::Compared> all_compared(const std::string& a, const std::string& b) {
    const auto in_a = files_of(a), in_b = files_of(b);
    const auto single = [](const std::string& given) {
        return given != "reference" && !std::filesystem::is_directory(given);
    };
    std::vector<comparison::Compared> all;
    if (single(a) && single(b)) return {compared(in_a.begin()->first, in_a.begin()->second, in_b.begin()->second)};
    for (const auto& [name, file] : in_a)
        if (const auto other = in_b.find(name); other != in_b.end())
            all.push_back(compared(name, file, other->second));
        else if (!single(b))
            std::cerr << "note: " << name << " is in the first alone\n";
    for (const auto& [name, file] : in_b)
        if (!in_a.contains(name) && !single(a)) std::cerr << "note: " << name << " is in the second alone\n";
    if (all.empty()) throw InputError(fmt::format("compare: {} and {} have no results of one name", a, b));
    return all;
}

std::string caption(const std::vector<comparison::Compared>& all, const std::vector<comparison::Cell>& ranked,
                    bool differ) {
    std::size_t values = 0, equal = 0, differing = 0, untold = 0;
    for (const auto& one : all) values += one.values, equal += one.equal;
    for (const auto& cell : ranked) differing += cell.adjusted_p <= level, untold += std::isnan(cell.error);
    if (ranked.empty()) return fmt::format("The same: all {} values are equal bit for bit.", values);
    const std::string counts = fmt::format(
        "{} values, {} of them equal bit for bit, {} compared by their errors (a mean over repeats counts once){}",
        values, equal, ranked.size() - untold, untold == 0 ? "" : fmt::format(", {} without a known error", untold));
    return differ ? fmt::format("Differs, worst first: {}; {} differ at {:g} % for all of them together.", counts,
                                differing, 100 * level)
                  : fmt::format("No difference is shown: {}; none differs at {:g} % for all of them together.", counts,
                                100 * level);
}

/// `results`: whether the first column names the results of a difference.
report::Table table_of(const std::vector<comparison::Cell>& ranked, const std::string& caption, std::size_t rows,
                       bool results) {
    report::Table table{.name = "comparison", .caption = caption, .columns = {}};
    if (results) table.columns.push_back(report::word_column("results"));
    for (const char* title : {"variable", "at"}) table.columns.push_back(report::word_column(title));
    for (const char* title : {"first", "second", "difference", "relative", "in errors", "p"})
        table.columns.push_back(report::number_column(title, {}));
    for (const comparison::Cell& cell : ranked) {
        if (rows > 0 && table.rows.size() == rows) break;
        const double difference = cell.difference;
        report::Row row;
        if (results) row.entries.emplace_back(cell.results);
        row.entries.insert(row.entries.end(),
                           {cell.variable, cell.place, cell.a, cell.b, difference, difference / std::abs(cell.a),
                            cell.error > 0 ? std::abs(difference) / cell.error : NAN, cell.adjusted_p});
        table.rows.push_back(std::move(row));
    }
    table.notes = {
        "Beside stated values the difference is that of how far each is off; 'in errors' has it in its standard "
        "errors, where values have any. p is adjusted for all that is compared (Holm 1979)."};
    if (table.rows.size() < ranked.size())
        table.notes.push_back(
            fmt::format("{} more are not shown; '--rows 0' shows all.", ranked.size() - table.rows.size()));
    return table;
}

/// The same for programs: null where a number is not known.
std::string json_of(const std::vector<comparison::Cell>& ranked, const std::string& said, bool differ,
                    std::size_t rows) {
    nlohmann::ordered_json cells = nlohmann::ordered_json::array();
    for (const comparison::Cell& cell : ranked) {
        if (rows > 0 && cells.size() == rows) break;
        cells.push_back({{"results", cell.results},
                         {"variable", cell.variable},
                         {"at", cell.place},
                         {"first", cell.a},
                         {"second", cell.b},
                         {"difference", cell.difference},
                         {"relative", cell.difference / std::abs(cell.a)},
                         {"errors", cell.error > 0 ? std::abs(cell.difference) / cell.error : NAN},
                         {"p", cell.adjusted_p}});
    }
    return json_lines({{"verdict", ranked.empty() ? "same"
                                   : differ       ? "differs"
                                                  : "statistically the same"},
                       {"level", level},
                       {"says", said},
                       {"differences", ranked.size()},
                       {"cells", cells}});
}

}  // namespace

int compare(const CompareOptions& asked) {
    if (!asked.figure.empty()) require_picture_name(asked.figure);
    const auto all = all_compared(asked.a, asked.b);
    for (const auto& one : all)
        for (const std::string& note : one.notes) std::cerr << "note: " << one.results << ": " << note << '\n';
    if (std::all_of(all.begin(), all.end(), [](const auto& one) { return one.values == 0; }))
        throw InputError(fmt::format("compare: {} and {} have no value in common", asked.a, asked.b));
    const auto ranked = comparison::ranked(all);
    const bool differ = comparison::differs(ranked, level);
    const std::string said = caption(all, ranked, differ);
    // The sentence says all if nothing differs.
    // Programs find the same columns whatever is compared.
    const report::Table table = table_of(ranked, said, asked.rows, all.size() > 1 || asked.format == "csv");
    if (asked.format == "json")
        fmt::print("{}\n", json_of(ranked, said, differ, asked.rows));
    else if (asked.format == "csv")
        fmt::print("{}", report::csv(table));
    else if (ranked.empty())
        fmt::print("{}\n", said);
    else
        fmt::print("{}", asked.format == "md"    ? report::markdown(table)
                         : asked.format == "tex" ? report::latex(table)
                                                 : report::terminal(table));
    if (!asked.figure.empty()) {
        if (ranked.empty())
            std::cerr << "note: nothing differs, so there is no figure\n";
        else
            draw_to(comparison_figure(ranked, asked.rows), asked.figure);
    }
    return differ ? values_differ : success;
}

}  // namespace rfbench::cli
