#pragma once
#include <bit>
#include <cmath>
#include <limits>

#include "rfbench/store/dataset.hpp"
#include "support/same_bits.hpp"

/// Every kind of shape, number and text that a Dataset can hold.
inline rfbench::store::Dataset varied_dataset() {
    using namespace rfbench::store;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double odd_nan = std::bit_cast<double>(std::uint64_t{0x7ff8dead0000beef});
    Dataset data;
    data.axes = {
        {"mechanism", std::vector<std::string>{"positive", "", "trigonométrique γ→∞"}, "", "Mechanismus für √x"},
        {"gamma", std::vector<double>{0.1, 1.0 / 3, -0.0, 1e-310}, "1/m", "bandwidth γ"},
        {"repeat", std::vector<double>{0}, "", ""},
        {"nothing", std::vector<double>{}, "", "no labels"},
        {"no words", std::vector<std::string>{}, "", ""},
        {"dimension", std::vector<double>{2, 64}, "", ""},
    };
    data.variables = {
        {"variance",
         {"mechanism", "gamma"},
         {1, 2, NAN, odd_nan, infinity, -infinity, 0, -0.0, 5e-324, 1.5, 2.5, 3.5},
         "nat",
         "log variance"},
        {"alone", {}, {0.1}, "s", "a single number"},
        {"undefined", {}, {NAN}, "", ""},
        {"along", {"gamma"}, {4, 3, 2, 1}, "", ""},
        {"cube", {"dimension", "repeat", "gamma"}, {1, 2, 3, 4, 5, 6, 7, 8}, "", ""},
        {"void", {"nothing", "gamma"}, {}, "", ""},
        {"wordless", {"no words"}, {}, "m", ""},
    };
    data.attributes = {{"config", "seed: 1\nname: \"größe\"\n"}, {"empty", ""}, {"long", std::string(200000, 'x')}};
    for (char letter = 'a'; letter <= 'z'; ++letter) data.attributes[std::string("attribute ") + letter] = letter;
    return data;
}

/// A small result, as a cell writes it.
inline rfbench::store::Dataset small_dataset(double first) {
    using namespace rfbench::store;
    Dataset data;
    data.axes = {{"gamma", std::vector<double>{0.1, 0.2, 0.5, 1}, "", "inverse bandwidth"},
                 {"mechanism", std::vector<std::string>{"positive", "trigonometric"}, "", ""}};
    data.variables = {{"log_variance", {"mechanism", "gamma"}, {first, 2, 3, 4, 5, 6, 7, 8}, "nat", "log variance"},
                      {"mean", {"gamma"}, {0.25, NAN, 1, 2}, "", ""}};
    data.attributes = {{"git_commit", "0123456789abcdef"}, {"config", "experiment: variance\nseed: 7\n"}};
    return data;
}

inline bool same(const rfbench::store::Axis& a, const rfbench::store::Axis& b) {
    if (a.name != b.name || a.unit != b.unit || a.description != b.description) return false;
    if (a.labels.index() != b.labels.index()) return false;
    if (a.labels.index() == 1) return a.labels == b.labels;
    return rfbench::tests::same_bits(std::get<0>(a.labels), std::get<0>(b.labels));
}

inline bool same(const rfbench::store::Variable& a, const rfbench::store::Variable& b) {
    return a.name == b.name && a.axes == b.axes && a.unit == b.unit && a.description == b.description &&
           rfbench::tests::same_bits(a.values, b.values);
}

inline bool same(const rfbench::store::Dataset& a, const rfbench::store::Dataset& b) {
    if (a.axes.size() != b.axes.size() || a.variables.size() != b.variables.size()) return false;
    for (std::size_t i = 0; i < a.axes.size(); ++i)
        if (!same(a.axes[i], b.axes[i])) return false;
    for (std::size_t i = 0; i < a.variables.size(); ++i)
        if (!same(a.variables[i], b.variables[i])) return false;
    return a.attributes == b.attributes;
}
