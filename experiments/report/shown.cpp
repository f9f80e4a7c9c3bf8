#include "report/shown.hpp"

namespace rfbench::experiments {

std::vector<Shown> all_shown(const store::Dataset& data, const std::vector<std::string>& axes) {
    std::vector<Shown> all;
    for (const std::string& method : report::words(data, "method"))
        for (const report::Fixed& place : report::places(data, axes)) all.push_back({method, place});
    return all;
}

}  // namespace rfbench::experiments
