// Every name that figures show again and again has its look.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench_places.hpp"

TEST_CASE("every sampling has a look of its own, and mechanisms without one are named") {
    std::ifstream file(RFBENCH_SOURCE_DIR "/framework/drawing/looks.json");
    const auto families = nlohmann::json::parse(file)["families"];
    const auto has_look = [&](const std::string& name) {
        return std::any_of(families.begin(), families.end(), [&](const auto& family) { return family.contains(name); });
    };
    // A mechanism that has none is drawn all the same: figures choose a look by its name, and say so.
    for (const auto& info : rfbench::features::catalogue())
        if (!has_look(info.name))
            WARN(info.name << " has no look of its own; 'rfbench look " << info.name << "' proposes one");
    for (const auto& scheme : rfbench::sampling::catalogue()) {
        INFO(scheme.name << ": 'rfbench look " << scheme.name << "' proposes one");
        CHECK(has_look(scheme.name));
    }
}
