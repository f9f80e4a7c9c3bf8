// Reads a configuration, and writes and reads a result through the installed headers; exits
// with 0 when all is as it must be.
#include <cstdio>
#include <rfbench/config/load.hpp>
#include <rfbench/store/hdf5_file.hpp>
#include <rfbench/version.hpp>
#include <string>
#include <string_view>

using namespace rfbench;

static_assert(std::string_view(version) == FOUND_VERSION, "the header and the package are of one version");

int main(int, char** argv) {
    const auto schema = config::object({config::required("ages", config::numbers(config::above(0)), "of all")});
    const auto ages = config::parse("ages: {linspace: [1, 3, 3]}", "in memory", schema).at("ages").numbers();

    store::Dataset data;
    data.axes = {{"age", ages, "", ""}};
    data.variables = {{"twice", {"age"}, {2 * ages[0], 2 * ages[1], 2 * ages[2]}, "", ""}};
    const std::string file = std::string(argv[0]) + ".h5";
    store::write(file, data);
    const auto twice = store::read(file).variable("twice").values;
    std::printf("%s: %g %g %g\n", file.c_str(), twice[0], twice[1], twice[2]);
    return twice == std::vector<double>{2, 4, 6} ? 0 : 1;
}
