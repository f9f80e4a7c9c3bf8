#include "rfbench/report/draw.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/program.hpp"
#include "rfbench/report/script.hpp"
#include "rfbench/store/atomic_file.hpp"

namespace rfbench::report {

namespace {

void save(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error("the temporary file '" + path.string() + "' could not be written.");
}

std::string load(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs one drawing program; its product's bytes. Anything it has to say counts as a failure.
std::string product(const std::string& program, const std::string& package, const std::vector<std::string>& arguments,
                    const ScratchFolder& scratch, const std::string& file) {
    const auto result = run_program(program, arguments, scratch);
    if (!result) throw DrawError(fmt::format("{} is not installed (on Debian: apt-get install {})", program, package));
    if (result->exit_code != 0 || !result->messages.empty()) {
        throw DrawError(fmt::format("{} ended with code {} and said:\n{}\n", program, result->exit_code,
                                    result->messages.empty() ? "(nothing)" : result->messages));
    }
    std::string bytes = load(scratch.path() / file);
    if (bytes.empty()) throw DrawError(fmt::format("{} wrote no {}", program, file));
    return bytes;
}

// What an earlier run drew shows other data.
void discard(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

}  // namespace

FigureFiles write_figure(const Figure& figure, const std::filesystem::path& folder) {
    check(figure);
    const FigureCsv csv = figure_csv(figure);
    const std::string commands = script(figure, csv);
    const FigureFiles files{folder / (figure.name + ".csv"), folder / (figure.name + ".gp"),
                            folder / (figure.name + ".svg"), folder / (figure.name + ".pdf")};
    std::filesystem::create_directories(folder);
    discard(files.svg);
    discard(files.pdf);
    store::write_file(files.csv, csv.text);
    store::write_file(files.script, commands);

    std::string written = fmt::format("'{}', '{}'", files.csv.string(), files.script.string());
    try {
        const ScratchFolder scratch;
        save(scratch.path() / files.csv.filename(), csv.text);
        save(scratch.path() / files.script.filename(), commands);
        const std::string gp = files.script.filename().string(), svg = files.svg.filename().string(),
                          pdf = files.pdf.filename().string();
        store::write_file(files.svg, product("gnuplot", "gnuplot-nox", {"-d", gp}, scratch, svg));
        written += fmt::format(", '{}'", files.svg.string());
        store::write_file(
            files.pdf, product("rsvg-convert", "librsvg2-bin", {"--format=pdf", "--output=" + pdf, svg}, scratch, pdf));
    } catch (const DrawError& error) {
        throw DrawError(fmt::format("figure '{}' is not drawn completely: {}. Written nevertheless: {}.", figure.name,
                                    error.what(), written));
    }
    return files;
}

}  // namespace rfbench::report
