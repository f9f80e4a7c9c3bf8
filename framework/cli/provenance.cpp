#include "provenance.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <boost/version.hpp>

#include "rfbench/store/provenance.hpp"
#include "rfbench/version.hpp"

namespace rfbench::cli {

std::map<std::string, std::string> provenance() {
    return store::provenance({
        {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
        {"boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
        {"yaml_cpp", RFBENCH_YAML_CPP_VERSION},
    });
}

std::string version_text() {
    std::string text = fmt::format("rfbench {}", version);
    for (const auto& [name, value] : provenance())
        if (name != "version") text += fmt::format("\n{}: {}", name, value);
    return text;
}

}  // namespace rfbench::cli
