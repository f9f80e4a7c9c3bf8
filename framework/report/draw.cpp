#include "rfbench/report/draw.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "rfbench/errors.hpp"
#include "rfbench/process/python.hpp"
#include "rfbench/process/run.hpp"
#include "rfbench/report/figure_csv.hpp"
#include "rfbench/report/figure_json.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::report {

namespace {

constexpr int no_matplotlib = 3;  // exit code of draw.py and propose.py
constexpr int no_family = 2;      // propose.py's

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Ours, without what would make the same figure differ between two users.
std::vector<std::string> environment() {
    std::vector<std::string> variables = process::environment();
    std::erase_if(variables, [](const std::string& variable) {
        return variable.starts_with("LC_") || variable.starts_with("LANG") || variable.starts_with("MPLBACKEND=") ||
               variable.starts_with("PYTHONHASHSEED=") || variable.starts_with("SOURCE_DATE_EPOCH=");
    });
    // With SOURCE_DATE_EPOCH matplotlib writes no time of drawing into its files.
    variables.insert(variables.end(), {"LC_ALL=C.UTF-8", "PYTHONHASHSEED=0", "SOURCE_DATE_EPOCH=0"});
    return variables;
}

// Arguments of draw.py; paths are absolute, since it runs elsewhere.
std::vector<std::string> arguments(const std::vector<FigureFiles>& figures, const Drawing& drawing) {
    std::vector<std::string> words{std::filesystem::absolute(drawing.folder / "draw.py").string()};
    if (!drawing.style.empty()) words.push_back("--style=" + std::filesystem::absolute(drawing.style).string());
    if (!drawing.titled) words.push_back("--no-title");
    for (const FigureFiles& files : figures) words.push_back(std::filesystem::absolute(files.json).string());
    return words;
}

std::string failure(const std::string& python, const process::Outcome& result, std::chrono::milliseconds time) {
    const std::string said = result.errors + result.output;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
    return fmt::format("{} {} and said:\n{}", python,
                       result.ending == process::Ending::out_of_time
                           ? fmt::format("was ended after {} s", seconds)
                           : fmt::format("ended with code {}", result.exit_code),
                       said.empty() ? "(nothing)" : said);
}

// Runs a script with the first Python that has matplotlib, which `command` then names. `undone` and `later` are put
// around the sentence that says how to get one.
process::Outcome with_matplotlib(process::Command& command, const std::string& undone, const std::string& later) {
    command.environment = environment();
    std::string tried;
    for (const std::string& python : process::pythons()) {
        command.program = python;
        // Another Python is tried only where this one has no matplotlib; any other failure is said.
        auto result = process::run(command);
        if (result && result->exit_code != no_matplotlib) return std::move(*result);
        tried += fmt::format("{}{} {}", tried.empty() ? "" : ", ", python, result ? "has none" : "is not there");
    }
    throw NothingToDrawWith(
        fmt::format("{}, since that takes Python with matplotlib ({}). On Debian: apt-get install "
                    "python3-matplotlib; elsewhere: pip install matplotlib, and RFBENCH_PYTHON names that Python.{}",
                    undone, tried, later));
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

std::string draw(const std::vector<FigureFiles>& figures, const Drawing& drawing) {
    if (figures.empty()) return {};
    if (!drawing.style.empty() && !std::filesystem::is_regular_file(drawing.style))
        throw InputError(fmt::format("there is no style file '{}'.", drawing.style.string()));
    // It runs where draw.py is: matplotlib also reads settings from the folder that it runs in.
    process::Command command{.program = "", .arguments = arguments(figures, drawing), .folder = drawing.folder};
    command.time = std::chrono::minutes(2) + std::chrono::seconds(20) * figures.size();
    const process::Outcome result = with_matplotlib(command, "figures are not drawn",
                                                    " Their data are written, and 'rfbench plot' draws them later.");
    if (result.exit_code != 0)
        throw DrawError("not all figures are drawn; " + failure(command.program, result, command.time));
    return result.errors;
}

std::string proposed_look(const std::string& name, const std::string& family, const std::filesystem::path& folder) {
    process::Command command{.program = "",
                             .arguments = {std::filesystem::absolute(folder / "propose.py").string(), name, family},
                             .folder = folder};
    command.time = std::chrono::minutes(2);
    const process::Outcome result = with_matplotlib(command, "no look is proposed", "");
    if (result.exit_code == no_family) throw InputError("look: " + result.errors.substr(0, result.errors.find('\n')));
    if (result.exit_code != 0)
        throw DrawError("no look is proposed; " + failure(command.program, result, command.time));
    return result.output;
}

std::string picture_of(const Figure& figure, const FigureFiles& files) {
    std::string svg = contents(files.svg);
    // draw.py writes the sha256 of the .json that it has drawn into the picture.
    return svg.find("sha256:" + store::sha256(figure_json(figure))) == std::string::npos ? std::string() : svg;
}

}  // namespace rfbench::report
