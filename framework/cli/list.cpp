// rfbench list [experiments|mechanisms|samplings|methods|datasets]: each with one line of what it is.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "rfbench/datasets/describe.hpp"
#include "rfbench/features/catalogue.hpp"
#include "study/configuration.hpp"
#include "study/known_names.hpp"
#include "study/method.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

void heading(const char* text, bool alone) {
    if (!alone) fmt::print("{}\n", text);
}

using Lines = std::vector<std::pair<std::string, std::string>>;

/// Names in a column as wide as the longest, and beside each what it is.
void print_lines(const Lines& lines, int indent = 2) {
    std::size_t width = 0;
    for (const auto& [name, text] : lines) width = std::max(width, name.size());
    for (const auto& [name, text] : lines) fmt::print("{:{}}{:<{}}  {}\n", "", indent, name, width, text);
}

void list_experiments(const std::filesystem::path& configs) {
    Lines studies;
    for (const experiments::Study& study : experiments::catalogue())
        studies.emplace_back(study.experiment + "/" + study.name, study.summary);
    print_lines(studies);
    fmt::print("  configurations, run by name (variance/regimes) or path, in {}:\n", configs.string());
    std::map<std::string, std::string> names;
    for (const auto& file : experiments::configuration_files(configs, {}))
        names[std::filesystem::relative(file, configs).parent_path().string() + "/"] += file.stem().string() + " ";
    print_lines({names.begin(), names.end()}, 4);
}

bool is_mechanism(const std::string& name) {
    const auto& all = features::catalogue();
    return std::any_of(all.begin(), all.end(), [&](const auto& info) { return info.name == name; });
}

}  // namespace

int list(const std::string& what, const std::filesystem::path& configs) {
    const bool all = what.empty();
    if (all || what == "experiments") {
        heading("experiments", !all);
        list_experiments(configs);
    }
    Lines lines;
    if (all || what == "mechanisms") {
        heading("mechanisms", !all);
        for (const auto& info : features::catalogue())
            lines.emplace_back(info.name, fmt::format("{:<16} {}", info.paper_name, info.summary));
        print_lines(std::exchange(lines, {}));
    }
    if (all || what == "samplings") {
        heading("samplings", !all);
        for (const auto& scheme : sampling::catalogue()) lines.emplace_back(scheme.name, scheme.summary);
        print_lines(std::exchange(lines, {}));
    }
    if (all || what == "methods") {
        heading("methods beside the mechanisms", !all);
        for (const auto& method : experiments::method_catalogue())
            if (!all || !is_mechanism(method.name)) lines.emplace_back(method.name, method.summary);
        print_lines(std::exchange(lines, {}));
        fmt::print("{}other names, accepted in a list of methods\n", all ? "" : "\n");
        for (const auto& known : experiments::known_names())
            lines.emplace_back(known.alias.name, known.alias.yaml + ", " + known.reference);
        print_lines(std::exchange(lines, {}));
    }
    if (all || what == "datasets") {
        heading("datasets", !all);
        const auto places = experiments::data_places();
        for (const auto& entry : experiments::data_manifest().entries)
            lines.emplace_back(entry.name, datasets::summary(entry, places));
        print_lines(std::exchange(lines, {}));
    }
    return success;
}

}  // namespace rfbench::cli
