// Every configuration of the project says how long it takes.
#include <filesystem>

#include "catch.hpp"
#include "rfbench_places.hpp"
#include "study/configuration.hpp"

TEST_CASE("every configuration gives the minutes that it takes", "[experiments]") {
    const std::filesystem::path configs = RFBENCH_SOURCE_DIR "/configs";
    const auto files = rfbench::experiments::configuration_files(configs, {});
    REQUIRE(files.size() > 50);
    for (const auto& file : files) {
        INFO(file.string() << ": measure it, and add 'minutes: 1.5', on two cores");
        const auto minutes = rfbench::experiments::expected_minutes(rfbench::experiments::load_configuration(file, {}));
        REQUIRE(minutes.has_value());
        CHECK(*minutes > 0);
    }
}
