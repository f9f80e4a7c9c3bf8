#include "rfbench/networks/carried_weights.hpp"

#include <stdexcept>
#include <unordered_map>

namespace rfbench::networks {
namespace {

void check_size(const char* which, const Layout& layout, Index size) {
    if (size != layout.size())
        throw std::invalid_argument("network: " + std::to_string(size) + " values are carried " + which +
                                    " a layout of " + std::to_string(layout.size()));
}

}  // namespace

template <class Scalar>
Column<Scalar> carried(const Layout& from, const Column<Scalar>& values, const Layout& to, Column<Scalar> start) {
    check_size("from", from, values.size());
    check_size("to", to, start.size());
    std::unordered_map<std::string, const Parameter*> known;
    for (const Parameter& one : from.all()) known.emplace(one.name, &one);
    for (const Parameter& one : to.all()) {
        const auto found = known.find(one.name);
        if (found == known.end()) continue;
        const Parameter& own = *found->second;
        if (own.rows != one.rows || own.columns != one.columns)
            throw std::invalid_argument("network: parameter " + one.name + " is " + std::to_string(own.rows) + " x " +
                                        std::to_string(own.columns) + " where it is carried from, and " +
                                        std::to_string(one.rows) + " x " + std::to_string(one.columns) +
                                        " where it is carried to");
        start.segment(one.first, one.size()) = values.segment(own.first, own.size());
    }
    return start;
}

template Column<float> carried(const Layout&, const Column<float>&, const Layout&, Column<float>);
template Column<double> carried(const Layout&, const Column<double>&, const Layout&, Column<double>);

}  // namespace rfbench::networks
