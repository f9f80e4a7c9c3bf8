// rfbench plot and table: from collected result files alone.
#include "drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>

#include "look.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/layout.hpp"
#include "rfbench/engine/lock.hpp"
#include "rfbench/engine/needed_cells.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/table_latex.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/store/links.hpp"
#include "rfbench/store/provenance.hpp"
#include "rfbench/store/staged_result.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/configuration.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

/// Version and commit of these attributes; empty where they lack one.
std::string program_of(const std::map<std::string, std::string>& attributes) {
    const auto made_by = attributes.find("version"), commit = attributes.find("git_commit");
    if (made_by == attributes.end() || commit == attributes.end()) return {};
    return fmt::format("rfbench {}, commit {}", made_by->second, commit->second);
}

}  // namespace

// A file of another version or commit need not be one that this program can show, which is nobody's mistake.
experiments::Report report_of(const std::filesystem::path& collected) {
    const store::Dataset data = store::read(collected);
    if (data.variables.empty()) return {};
    try {
        return experiments::report_of(data);
    } catch (const InputError&) {
        throw;
    } catch (const std::logic_error& error) {
        const std::string made_by = program_of(data.attributes), own = program_of(store::provenance());
        if (made_by == own) throw;
        const std::string reason = error.what();
        throw FileError(
            fmt::format("{} was made by {}, and this program ({}) cannot show it: {} 'rfbench run' makes "
                        "it again",
                        collected.string(), made_by.empty() ? "another program" : made_by, own,
                        reason + (reason.ends_with('.') ? "" : ".")));
    }
}

namespace {

/// A picture that is in place and shows the same data is as good as a new one.
bool take_over(const report::Figure& figure, const std::filesystem::path& result, const report::FigureFiles& files) {
    const report::FigureFiles there = report::figure_files(figure.name, result / "figures");
    if (report::picture_of(figure, there).empty() || !std::filesystem::exists(there.pdf)) return false;
    store::write_file(files.svg, store::read_whole(there.svg));
    store::write_file(files.pdf, store::read_whole(there.pdf));
    return true;
}

}  // namespace

namespace {

/// A note on each mechanism in these figures that has no look.
void say_missing_looks(const std::vector<ToDraw>& results) {
    std::set<std::string> missing = mechanisms_without_look();
    for (const ToDraw& one : results)
        for (const report::Figure& figure : one.figures)
            for (const report::Panel& panel : figure.panels)
                for (const report::Series& series : panel.series)
                    if (missing.erase(series.label) > 0) std::cerr << "note: " << without_look(series.label) << '\n';
}

}  // namespace

Drawn draw_figures(const std::vector<ToDraw>& results, const std::filesystem::path& style, bool titled) {
    std::vector<report::FigureFiles> all;
    for (const ToDraw& one : results)
        for (const report::Figure& figure : one.figures)
            all.push_back(report::write_figure_data(figure, one.folder / "figures"));
    Drawn drawn;
    try {
        std::cerr << report::draw(all, {experiments::project() / "framework" / "drawing", style, titled});
        say_missing_looks(results);
    } catch (const report::NothingToDrawWith& error) {
        drawn.failure = error.what();
        drawn.nothing_to_draw_with = true;
    } catch (const report::DrawError& error) {  // one that failed leaves the others
        drawn.failure = error.what();
    }
    auto files = all.begin();
    for (const ToDraw& one : results)
        for (const report::Figure& figure : one.figures) {
            if (!report::picture_of(figure, *files).empty() || take_over(figure, one.result, *files))
                drawn.pictures.push_back(one.result / "figures" / files->svg.filename());
            ++files;
        }
    return drawn;
}

namespace {

/// LaTeX of a table of the results in that folder.
report::LatexStyle latex_style(const report::Table& table, const std::filesystem::path& result, bool narrow) {
    return {.label = result.parent_path().filename().string() + "-" + table.name,
            .width = narrow ? report::column_width : report::article_width};
}

/// A table for the screen, or as `format` says: md, tex or csv.
std::string shown(const report::Table& table, const std::filesystem::path& result, const TableOptions& how) {
    return how.format == "md"    ? report::markdown(table)
           : how.format == "csv" ? report::csv(table)
           : how.format == "tex" ? report::latex(table, latex_style(table, result, how.narrow))
                                 : report::terminal(table);
}

}  // namespace

std::vector<std::filesystem::path> write_tables(const std::vector<report::Table>& tables,
                                                const std::filesystem::path& folder,
                                                const std::filesystem::path& result, bool narrow) {
    std::vector<std::filesystem::path> written;
    for (const report::Table& table : tables)
        written.push_back(
            std::filesystem::path("tables") /
            report::write_table(table, folder / "tables", latex_style(table, result, narrow)).markdown.filename());
    return written;
}

namespace {

/// Whether a folder has a collected file that one of the names means; any, where there are none.
bool has_results(const std::filesystem::path& folder, const std::vector<std::string>& names) {
    const auto files = collected_files(folder, {});
    if (names.empty()) return !files.empty();
    return std::any_of(files.begin(), files.end(), [&](const std::filesystem::path& file) {
        const auto relative = std::filesystem::relative(file, folder).replace_extension();
        return std::any_of(names.begin(), names.end(), [&](const std::filesystem::path& name) {
            return relative == name || relative.parent_path() == name;
        });
    });
}

/// Says how to come to a result that is not there. Similar names are offered unless a configuration has this name.
std::string remedy(const std::filesystem::path& results, const std::string& name,
                   const std::vector<std::string>& known_names) {
    if (std::filesystem::is_regular_file(name))
        return " There is a file of that name, but those of results end in .h5.";
    if (results.filename() == engine::reference_folder)
        return did_you_mean(name, known_names) + " Without a name, those that come with rfbench are all shown.";
    const std::string other = hint_at_other_profiles(results, {name});
    if (std::filesystem::exists(experiments::project() / "configs" / (name + ".yaml")))
        return fmt::format("{} 'rfbench run {}' makes it; 'rfbench table --partial {}' shows what is done.", other,
                           name, name);
    return did_you_mean(name, known_names) + other +
           " 'rfbench run' makes results; 'rfbench table --partial' shows what is done of one.";
}

}  // namespace

std::string hint_at_other_profiles(const std::filesystem::path& results, const std::vector<std::string>& names) {
    if (!std::filesystem::is_directory(results)) return {};
    std::vector<std::string> profiles;
    for (const auto& folder : std::filesystem::directory_iterator(results))
        if (folder.is_directory() && folder.path().filename() != engine::reference_folder &&
            has_results(folder.path(), names))
            profiles.push_back(folder.path().filename().string());
    std::sort(profiles.begin(), profiles.end());
    std::string text;
    for (const std::string& profile : profiles)
        text += fmt::format("{}{} has {}: --profile {}", text.empty() ? " " : "; ", (results / profile).string(),
                            names.empty() ? "some" : "it", profile);
    return text.empty() ? text : text + ".";
}

namespace {

/// The files in their order, each once, however it was named.
std::vector<std::filesystem::path> without_repeats(const std::vector<std::filesystem::path>& files) {
    std::vector<std::filesystem::path> once;
    std::set<std::filesystem::path> seen;
    for (const auto& file : files)
        if (seen.insert(std::filesystem::weakly_canonical(file)).second) once.push_back(file);
    return once;
}

}  // namespace

std::vector<std::filesystem::path> collected_files(const std::filesystem::path& results,
                                                   const std::vector<std::string>& names) {
    // results/<experiment>/<config>.h5
    std::vector<std::filesystem::path> known;
    if (std::filesystem::is_directory(results))
        for (const auto& experiment : std::filesystem::directory_iterator(results))
            // The folder of packs is no experiment.
            if (experiment.is_directory() && experiment.path().filename() != "cells")
                for (const auto& file : std::filesystem::directory_iterator(experiment))
                    if (file.is_regular_file() && file.path().extension() == ".h5" &&
                        (results.filename() == engine::reference_folder || engine::is_result(file)))
                        known.push_back(file.path());
    std::sort(known.begin(), known.end());
    if (names.empty()) return known;
    std::vector<std::string> known_names;
    std::vector<std::filesystem::path> files;
    for (const auto& file : known) {
        known_names.push_back(std::filesystem::relative(file, results).replace_extension().string());
        known_names.push_back(file.stem().string());
        known_names.push_back(file.parent_path().filename().string());
    }
    for (const std::string& name : names) {
        const std::size_t before = files.size();
        const std::filesystem::path path(name);
        if (path.extension() == ".h5") {
            // A result whose file is gone has its folder: that it is gone is for the verbs to say.
            if (!std::filesystem::exists(path) &&
                !std::filesystem::exists(std::filesystem::path(path).replace_extension()))
                throw InputError(
                    fmt::format("there is no file '{}'; the path of an .h5 file is taken as it is, and is "
                                "not looked up in {}",
                                name, results.string()));
            files.emplace_back(name);
        }
        const std::filesystem::path wanted =
            experiments::names_a_file(path) ? experiments::load_configuration(path, {}).study->experiment / path.stem()
                                            : path;
        for (const auto& file : known) {
            const auto relative = std::filesystem::relative(file, results).replace_extension();
            if (relative == wanted || relative.parent_path() == wanted) files.push_back(file);
        }
        // A name without its experiment, as --as gives it.
        if (files.size() == before && !wanted.has_parent_path())
            for (const auto& file : known)
                if (file.stem() == wanted) files.push_back(file);
        if (files.size() == before)
            throw InputError("there is no result '" + name + "' in " + results.string() + "." +
                             remedy(results, name, known_names));
    }
    return without_repeats(files);
}

namespace {

/// A collected file whose figures or tables are to be replaced, under the lock of its folder. `next` is null if a run
/// holds the lock or files cannot be written: then the report can only be printed.
struct Held {
    std::filesystem::path collected, result;
    experiments::Report report;
    std::unique_ptr<engine::Lock> lock;
    std::unique_ptr<store::StagedResult> next;
};

/// Results among the named ones that can be shown; messages about the others, and the exit code.
struct Selected {
    std::vector<Held> results;
    int code = success;
};

void hold(Held& one) {
    require_writable(one.result);
    const std::filesystem::path whole = std::filesystem::absolute(one.result).lexically_normal(),
                                results = whole.parent_path().parent_path();
    store::require_no_link(results, whole.lexically_relative(results));
    store::make_folders(one.result);
    one.lock = std::make_unique<engine::Lock>(one.result / "lock");
    one.next = std::make_unique<store::StagedResult>(one.result);
    for (const std::string& sentence : one.next->damaged()) std::cerr << "note: " << sentence << '\n';
}

enum class IfNotHeld { leave_out, take_as_it_is };

Selected select(const std::filesystem::path& results, const std::vector<std::string>& names, IfNotHeld otherwise) {
    Selected selected;
    const auto fail = [&](const std::exception& error, int code) {
        std::cerr << "rfbench: " << error.what() << '\n';
        selected.code = std::max(selected.code, code);
    };
    for (const auto& file : collected_files(results, names)) {
        try {
            Held one{file, std::filesystem::path(file).replace_extension(), {}, {}, {}};
            try {
                // Held before it is read, so that what is drawn is of the file that is there.
                hold(one);
            } catch (const FileError& error) {
                if (otherwise == IfNotHeld::leave_out) throw;
                fail(error, failure);
            }
            one.report = report_of(file);
            if (!one.report.figures.empty() || !one.report.tables.empty() || !one.report.notes.empty()) {
                selected.results.push_back(std::move(one));
                continue;
            }
            std::cerr << "note: " << file.string()
                      << ": every cell failed, so there is nothing to draw; 'rfbench status' says why\n";
        } catch (const store::Error& error) {
            fail(error, verification_failed);
        } catch (const FileError& error) {
            fail(error, failure);
        }
    }
    if (!selected.results.empty() || selected.code != success) return selected;
    const std::string hint = hint_at_other_profiles(results, {});
    std::cerr << "rfbench: there are no results to show in " << results.string()
              << (hint.empty() ? "; 'rfbench run' makes them" : "." + hint) << '\n';
    selected.code = nothing_selected;
    return selected;
}

/// Results that `run NAME --as AS` has made: their experiment is that of NAME.
std::vector<std::string> named_as(const std::vector<std::string>& names, const std::string& as) {
    if (as.empty()) return names;
    if (names.size() != 1)
        throw InputError(
            fmt::format("--as {} names the results of one configuration, and {} are given", as, names.size()));
    const std::filesystem::path name(names.front());
    if (experiments::names_a_file(name))
        return {experiments::load_configuration(name, {}).study->experiment + "/" + as};
    return {((name.has_parent_path() ? name.parent_path() : name) / as).string()};
}

}  // namespace

int table(const std::filesystem::path& results, const std::vector<std::string>& names, const TableOptions& how) {
    Selected selected = select(results, named_as(names, how.as), IfNotHeld::take_as_it_is);
    // Other programs read a table and nothing else.
    std::FILE* const aside = how.format == "table" ? stdout : stderr;
    for (Held& one : selected.results) {
        for (const report::Table& table : one.report.tables) fmt::print("{}\n", shown(table, one.result, how));
        if (!one.next) {
            fmt::print(aside, "tables of {} are shown, not written\n", one.collected.string());
            continue;
        }
        const auto written = write_tables(one.report.tables, one.next->folder(), one.result, how.narrow);
        one.next->replace({"tables/"});
        for (const auto& file : written) fmt::print(aside, "table {}\n", (one.result / file).string());
    }
    return selected.code;
}

int reference(const std::filesystem::path& results, const std::vector<std::string>& names, const TableOptions& how) {
    for (const auto& file : collected_files(results, names)) {
        const store::Dataset data = store::read(file);
        const auto fact = [&](const char* name) {
            const auto found = data.attributes.find(name);
            return found == data.attributes.end() ? std::string("unknown") : found->second;
        };
        fmt::print(how.format == "table" ? stdout : stderr, "{}: commit {}, {}\n", file.string(), fact("git_commit"),
                   fact("instruction_set"));
        const std::filesystem::path result = std::filesystem::path(file).replace_extension();
        for (const report::Table& table : report_of(file).tables) fmt::print("{}\n", shown(table, result, how));
    }
    return success;
}

int plot(const std::filesystem::path& results, const std::vector<std::string>& names, const std::string& as,
         const std::filesystem::path& style, bool titled) {
    Selected selected = select(results, named_as(names, as), IfNotHeld::leave_out);
    if (selected.results.empty()) return selected.code;
    std::vector<ToDraw> figures;
    for (const Held& one : selected.results) figures.push_back({one.report.figures, one.result, one.next->folder()});
    const Drawn drawn = draw_figures(figures, style, titled);
    for (Held& one : selected.results) one.next->replace({"figures/"});
    std::vector<std::string> left_out;
    for (const Held& one : selected.results)
        left_out.insert(left_out.end(), one.report.notes.begin(), one.report.notes.end());
    // The locks are let go: what follows only reads results, all of them.
    selected.results.clear();
    for (const auto& picture : drawn.pictures) fmt::print("figure {}\n", picture.string());
    for (const std::string& one : left_out) std::cerr << "note: " << one << '\n';
    if (!drawn.failure.empty()) std::cerr << "rfbench: " << drawn.failure << '\n';
    write_results_page(results);
    return selected.code != success ? selected.code : drawn.failure.empty() ? success : failure;
}

int plot_reference(const std::filesystem::path& results, const std::vector<std::string>& names,
                   const std::filesystem::path& folder, const std::filesystem::path& style, bool titled) {
    std::vector<ToDraw> figures;
    for (const auto& file : collected_files(results, names)) {
        const auto own = folder / std::filesystem::relative(file, results).replace_extension();
        figures.push_back({report_of(file).figures, own, own});
    }
    const Drawn drawn = draw_figures(figures, style, titled);
    for (const auto& picture : drawn.pictures) fmt::print("figure {}\n", picture.string());
    if (!drawn.failure.empty()) std::cerr << "rfbench: " << drawn.failure << '\n';
    return drawn.failure.empty() ? success : failure;
}

}  // namespace rfbench::cli
