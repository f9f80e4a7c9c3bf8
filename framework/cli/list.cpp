// rfbench list [experiments|mechanisms|samplings|methods|datasets]: each with one line of what it is.
#include <fmt/format.h>

#include <map>

#include "configuration.hpp"
#include "method.hpp"
#include "project.hpp"
#include "rfbench/datasets/describe.hpp"
#include "rfbench/features/catalogue.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

void heading(const char* text, bool alone) {
    if (!alone) fmt::print("{}\n", text);
}

void list_experiments(const std::filesystem::path& configs) {
    for (const experiments::Study& study : experiments::catalogue())
        fmt::print("  {:<22} {}\n", study.experiment + "/" + study.name, study.summary);
    fmt::print("  configurations, run by name (variance/regimes) or path, in {}:\n", configs.string());
    std::map<std::string, std::string> names;
    for (const auto& file : experiments::configuration_files(configs, {}))
        names[std::filesystem::relative(file, configs).parent_path().string() + "/"] += " " + file.stem().string();
    for (const auto& [folder, files] : names) fmt::print("    {:<20}{}\n", folder, files);
}

}  // namespace

int list(const std::string& what, const std::filesystem::path& configs) {
    const bool all = what.empty();
    if (all || what == "experiments") {
        heading("experiments", !all);
        list_experiments(configs);
    }
    if (all || what == "mechanisms") {
        heading("mechanisms", !all);
        for (const auto& info : features::catalogue())
            fmt::print("  {:<26} {:<16} {}\n", info.name, info.paper_name, info.summary);
    }
    if (all || what == "samplings") {
        heading("samplings", !all);
        for (const auto& scheme : sampling::catalogue()) fmt::print("  {:<12} {}\n", scheme.name, scheme.summary);
    }
    if (all || what == "methods") {
        heading("methods", !all);
        for (const auto& method : experiments::method_catalogue())
            fmt::print("  {:<26} {}\n", method.name, method.summary);
    }
    if (all || what == "datasets") {
        heading("datasets", !all);
        const auto places = experiments::data_places();
        for (const auto& entry : experiments::data_manifest().entries)
            fmt::print("  {}\n", datasets::summary(entry, places));
    }
    return success;
}

}  // namespace rfbench::cli
