#include "rfbench/datasets/generators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rfbench/datasets/generate_car.hpp"
#include "rfbench/datasets/generate_krkopt.hpp"
#include "rfbench/datasets/generate_nursery.hpp"
#include "rfbench/datasets/place.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::datasets {

namespace {

struct Generator {
    const char* name;
    std::string (*text)();
};

constexpr Generator all_generators[] = {
    {"car", generate_car}, {"nursery", generate_nursery}, {"krkopt", generate_krkopt}};

}  // namespace

std::vector<std::string> generators() {
    std::vector<std::string> names;
    for (const Generator& generator : all_generators) names.emplace_back(generator.name);
    return names;
}

std::string generate(const std::string& name) {
    for (const Generator& generator : all_generators) {
        if (name == generator.name) return generator.text();
    }
    throw DataError(fmt::format("there is no generator {}; there are {}.{}", in_quotes(name),
                                fmt::join(generators(), ", "), did_you_mean(name, generators())));
}

}  // namespace rfbench::datasets
