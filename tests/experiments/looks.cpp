// Every name that figures show again and again has its look.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench_places.hpp"

TEST_CASE("every mechanism and every sampling has a look of its own") {
    std::ifstream file(RFBENCH_SOURCE_DIR "/framework/drawing/looks.json");
    const auto families = nlohmann::json::parse(file)["families"];
    const auto has_look = [&](const std::string& name) {
        return std::any_of(families.begin(), families.end(), [&](const auto& family) { return family.contains(name); });
    };
    for (const auto& info : rfbench::features::catalogue()) {
        INFO(info.name);
        CHECK(has_look(info.name));
    }
    for (const auto& scheme : rfbench::sampling::catalogue()) {
        INFO(scheme.name);
        CHECK(has_look(scheme.name));
    }
}
