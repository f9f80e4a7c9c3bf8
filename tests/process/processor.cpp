#include "rfbench/process/processor.hpp"

#include <fstream>

#include "catch.hpp"

using namespace rfbench;

TEST_CASE("the processor is named as the system does, with what tells kinds of one name apart") {
    const std::string name = process::processor_name();
    std::ifstream file("/proc/cpuinfo");
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::string named = name.substr(0, name.find(", family "));
    CHECK(name.find('\n') == std::string::npos);
    if (all.find("model name") == std::string::npos) return;
    CHECK(all.find("model name\t: " + named + "\n") != std::string::npos);
    if (all.find("cpu family") == std::string::npos) return;
    const std::string numbers = name.substr(named.size());
    const std::size_t model = numbers.find(", model ");
    REQUIRE(model != std::string::npos);
    CHECK(all.find("cpu family\t: " + numbers.substr(9, model - 9) + "\n") != std::string::npos);
    CHECK(all.find("\nmodel\t\t: " + numbers.substr(model + 8) + "\n") != std::string::npos);
}
