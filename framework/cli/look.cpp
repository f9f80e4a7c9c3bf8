// rfbench look NAME: a free colour, dash and mark for a new mechanism.
#include "look.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/report/draw.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/text/nearest.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

std::filesystem::path drawing_folder() { return experiments::project() / "framework" / "drawing"; }

/// The family of looks that a mechanism or a sampling belongs to, by what holds of it. Throws InputError for others.
std::string family_of(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& info : features::catalogue()) {
        if (info.name == name)
            return !info.estimates_kernel ? "learned"
                   : info.discrete        ? "discrete"
                   : info.positive        ? "positive"
                                          : "signed";
        known.push_back(info.name);
    }
    for (const auto& scheme : sampling::catalogue()) {
        if (scheme.name == name) return "samplings";
        known.push_back(scheme.name);
    }
    throw InputError(
        fmt::format("look: '{}' is no mechanism or sampling.{} A name of another kind needs --family, the family of "
                    "{} that it belongs to",
                    name, did_you_mean(name, known), (drawing_folder() / "looks.json").string()));
}

}  // namespace

std::set<std::string> mechanisms_without_look() {
    const std::filesystem::path path = drawing_folder() / "looks.json";
    std::ifstream file(path);
    const auto table = nlohmann::json::parse(file, nullptr, false);
    if (!table.is_object() || !table.contains("families"))
        throw FileError(fmt::format("{} is no table of looks", path.string()));
    std::set<std::string> names;
    for (const auto& info : features::catalogue()) names.insert(info.name);
    for (const auto& family : table["families"])
        for (const auto& [name, look] : family.items()) names.erase(name);
    return names;
}

std::string without_look(const std::string& mechanism) {
    return fmt::format(
        "{} has no look of its own: its colour and mark follow from its name; 'rfbench look {}' proposes some",
        mechanism, mechanism);
}

int look(const std::string& name, const std::string& family) {
    fmt::print("{}", report::proposed_look(name, family.empty() ? family_of(name) : family, drawing_folder()));
    return success;
}

}  // namespace rfbench::cli
