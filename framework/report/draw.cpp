#include "rfbench/report/draw.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/figure_json.hpp"
#include "rfbench/report/program.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::report {

namespace {

constexpr int no_matplotlib = 3;  // draw.py's exit code

std::vector<std::string> pythons() {
    if (const char* chosen = std::getenv("RFBENCH_PYTHON"); chosen != nullptr && *chosen != '\0') return {chosen};
    return {"/usr/bin/python3", "python3"};
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What draw.py is told; paths are absolute, since it runs elsewhere.
std::vector<std::string> arguments(const std::vector<FigureFiles>& figures, const Drawing& drawing) {
    std::vector<std::string> words{std::filesystem::absolute(drawing.folder / "draw.py").string()};
    if (!drawing.style.empty()) words.push_back("--style=" + std::filesystem::absolute(drawing.style).string());
    for (const FigureFiles& files : figures) words.push_back(std::filesystem::absolute(files.json).string());
    return words;
}

}  // namespace

FigureFiles figure_files(const std::string& name, const std::filesystem::path& folder) {
    return {folder / (name + ".csv"), folder / (name + ".json"), folder / (name + ".svg"), folder / (name + ".pdf")};
}

FigureFiles write_figure_data(const Figure& figure, const std::filesystem::path& folder) {
    check(figure);
    FigureFiles files = figure_files(figure.name, folder);
    std::filesystem::create_directories(folder);
    store::write_file(files.csv, figure_csv(figure));
    store::write_file(files.json, figure_json(figure));
    return files;
}

void draw(const std::vector<FigureFiles>& figures, const Drawing& drawing) {
    if (figures.empty()) return;
    if (!drawing.style.empty() && !std::filesystem::is_regular_file(drawing.style))
        throw std::invalid_argument(fmt::format("there is no style file '{}'.", drawing.style.string()));
    const ScratchFolder scratch;
    const std::vector<std::string> words = arguments(figures, drawing);
    const auto limit = std::chrono::minutes(2) + std::chrono::seconds(20) * figures.size();
    std::string tried;
    for (const std::string& python : pythons()) {
        const auto result = run_program(python, words, scratch, limit);
        if (result && result->exit_code == 0) return;
        if (result && result->exit_code != no_matplotlib)
            throw DrawError(fmt::format("not all figures are drawn; {} ended with code {} and said:\n{}", python,
                                        result->exit_code, result->messages.empty() ? "(nothing)" : result->messages));
        tried += fmt::format("{}{} {}", tried.empty() ? "" : ", ", python, result ? "has none" : "is not there");
    }
    throw NothingToDrawWith(
        fmt::format("figures are not drawn, since that takes Python with matplotlib ({}). On Debian: apt-get install "
                    "python3-matplotlib; elsewhere: pip install matplotlib, and RFBENCH_PYTHON names that Python. "
                    "Their data are written, and 'rfbench plot' draws them later.",
                    tried));
}

bool is_drawn(const FigureFiles& files) {
    const std::string json = contents(files.json);
    return !json.empty() && contents(files.svg).find("sha256:" + store::sha256(json)) != std::string::npos;
}

}  // namespace rfbench::report
