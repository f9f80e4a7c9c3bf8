#include "single_figure.hpp"

#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/report/file_name.hpp"
#include "study/project.hpp"

namespace rfbench::cli {

void require_picture_name(const std::filesystem::path& file) {
    if (file.extension() != ".svg" && file.extension() != ".pdf")
        throw InputError(fmt::format("--figure {}: a figure is drawn as .svg and .pdf; end the name with one of them",
                                     file.string()));
    try {
        report::check_file_name("figure", file.stem().string());
    } catch (const std::invalid_argument& error) {
        throw InputError(fmt::format("--figure {}: {}", file.string(), error.what()));
    }
}

void draw_to(report::Figure figure, const std::filesystem::path& file) {
    require_picture_name(file);
    figure.name = file.stem().string();
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const report::FigureFiles files = report::write_figure_data(figure, folder);
    std::cerr << report::draw({files}, {experiments::project() / "framework" / "drawing"});
    std::cerr << fmt::format("figure {} and .pdf, its data in .csv and .json\n", files.svg.string());
}

}  // namespace rfbench::cli
