// rfbench plot and table: from collected result files alone.
#include "drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>

#include "configuration.hpp"
#include "project.hpp"
#include "results_folder.hpp"
#include "rfbench/engine/sums.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/text/nearest.hpp"
#include "rfbench/version.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

/// What another version has written need not be what this one can show, and is then nobody's mistake.
experiments::Report report_of(const std::filesystem::path& collected) {
    const store::Dataset data = store::read(collected);
    try {
        return experiments::report_of(data);
    } catch (const std::logic_error& error) {
        const auto made_by = data.attributes.find("version");
        if (made_by != data.attributes.end() && made_by->second == version) throw;
        throw FileError(
            fmt::format("{} was made by rfbench {}, and rfbench {} cannot show it ({}); 'rfbench run' makes it "
                        "again",
                        collected.string(), made_by == data.attributes.end() ? "of another kind" : made_by->second,
                        version, error.what()));
    }
}

/// The folder of a configuration's own files.
std::filesystem::path folder_of(std::filesystem::path collected) { return collected.replace_extension(); }

/// Where figures or tables of a result go: refused where they cannot.
std::filesystem::path folder_for(const std::filesystem::path& collected, const char* name) {
    std::filesystem::path folder = folder_of(collected) / name;
    require_writable(folder);
    return folder;
}

std::vector<std::filesystem::path> files_of(const std::vector<report::FigureFiles>& figures) {
    std::vector<std::filesystem::path> all;
    for (const report::FigureFiles& one : figures) all.insert(all.end(), {one.csv, one.json, one.svg, one.pdf});
    return all;
}

}  // namespace

void draw_figures(const std::vector<std::filesystem::path>& collected, const std::filesystem::path& style) {
    std::vector<report::FigureFiles> all;
    std::map<std::filesystem::path, std::vector<report::FigureFiles>> of;
    for (const std::filesystem::path& file : collected)
        for (const report::Figure& figure : report_of(file).figures) {
            all.push_back(report::write_figure_data(figure, folder_for(file, "figures")));
            of[file].push_back(all.back());
        }
    const auto list = [&] {
        for (const report::FigureFiles& files : all)
            if (report::is_drawn(files)) fmt::print("figure {}\n", files.svg.string());
        for (const auto& [file, figures] : of) engine::list_sums(folder_of(file), "figures", files_of(figures));
    };
    try {
        report::draw(all, {experiments::project() / "framework" / "drawing", style});
    } catch (const report::DrawError&) {
        list();  // one that failed leaves the others
        throw;
    }
    list();
}

void draw_tables(const std::filesystem::path& collected, bool print) {
    std::vector<std::filesystem::path> written;
    for (const report::Table& table : report_of(collected).tables) {
        const report::TableFiles files = report::write_table(table, folder_for(collected, "tables"));
        written.insert(written.end(), {files.markdown, files.latex, files.csv});
        if (print) fmt::print("{}\n", report::terminal(table));
        fmt::print("table {}\n", files.markdown.string());
    }
    engine::list_sums(folder_of(collected), "tables", written);
}

std::vector<std::filesystem::path> collected_files(const std::filesystem::path& results,
                                                   const std::vector<std::string>& names) {
    // results/<experiment>/<config>.h5
    std::vector<std::filesystem::path> known;
    if (std::filesystem::is_directory(results))
        for (const auto& experiment : std::filesystem::directory_iterator(results))
            if (experiment.is_directory() && experiment.path().filename() != "cells")
                for (const auto& file : std::filesystem::directory_iterator(experiment))
                    if (file.is_regular_file() && file.path().extension() == ".h5") known.push_back(file.path());
    std::sort(known.begin(), known.end());
    if (names.empty()) return known;
    std::vector<std::string> known_names;
    std::vector<std::filesystem::path> files;
    for (const auto& file : known) {
        known_names.push_back(std::filesystem::relative(file, results).replace_extension().string());
        known_names.push_back(file.parent_path().filename().string());
    }
    for (const std::string& name : names) {
        const std::size_t before = files.size();
        const std::filesystem::path path(name);
        if (path.extension() == ".h5") files.emplace_back(name);
        const std::filesystem::path wanted =
            experiments::names_a_file(path) ? experiments::load_configuration(path, {}).study->experiment / path.stem()
                                            : path;
        for (const auto& file : known) {
            const auto relative = std::filesystem::relative(file, results).replace_extension();
            if (relative == wanted || relative.parent_path() == wanted) files.push_back(file);
        }
        if (files.size() == before)
            throw InputError("there is no result '" + name + "' in " + results.string() + "." +
                             did_you_mean(name, known_names) + " 'rfbench run' makes results.");
    }
    return files;
}

namespace {

/// Of the named results those that have a cell to show.
std::vector<std::filesystem::path> drawable_files(const std::filesystem::path& results,
                                                  const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> files = collected_files(results, names);
    std::erase_if(files, [](const std::filesystem::path& file) {
        if (!store::read(file).variables.empty()) return false;
        std::cerr << "note: " << file.string()
                  << ": every cell failed, so there is nothing to draw; 'rfbench status' "
                     "says why\n";
        return true;
    });
    return files;
}

int nothing(const std::filesystem::path& results) {
    std::cerr << "rfbench: there are no results to show in " << results.string() << "; 'rfbench run' makes them\n";
    return nothing_selected;
}

}  // namespace

int table(const std::filesystem::path& results, const std::vector<std::string>& names) {
    const auto files = drawable_files(results, names);
    if (files.empty()) return nothing(results);
    for (const auto& file : files) draw_tables(file, true);
    return success;
}

int plot(const std::filesystem::path& results, const std::vector<std::string>& names,
         const std::filesystem::path& style) {
    const auto files = drawable_files(results, names);
    if (files.empty()) return nothing(results);
    int code = success;
    try {
        draw_figures(files, style);
    } catch (const report::DrawError& error) {
        std::cerr << "rfbench: " << error.what() << '\n';
        code = failure;
    }
    write_results_page(results);
    return code;
}

}  // namespace rfbench::cli
