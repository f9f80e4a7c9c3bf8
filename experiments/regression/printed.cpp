#include "regression/printed.hpp"

#include <algorithm>

#include "sources/data_sets.hpp"

namespace rfbench::experiments {
namespace {

struct PrintedRow {
    const char* mechanism;
    const char* sampling;
    double accuracy[8];  // in the order of thesis_sets()
};

constexpr PrintedRow printed_rows[] = {
    {"trigonometric", "iid", {12.0, 66.2, 66.3, 29.7, 46.6, 31.3, 15.2, 16.5}},
    {"trigonometric", "orthogonal", {12.0, 66.2, 66.3, 29.7, 46.6, 31.3, 15.2, 16.5}},
    {"positive", "iid", {15.5, 83.9, 68.9, 34.6, 44.7, 73.2, 84.6, 19.6}},
    {"positive", "orthogonal", {16.0, 83.4, 69.2, 34.4, 45.1, 77.4, 88.8, 20.2}},
    {"generalized-exponential", "iid", {17.7, 93.2, 70.5, 42.8, 47.4, 63.8, 93.0, 20.4}},
    {"generalized-exponential", "orthogonal", {17.0, 92.4, 70.9, 42.9, 47.8, 63.8, 93.3, 20.4}},
    {"optimal-positive", "iid", {16.7, 92.3, 69.9, 42.1, 47.3, 75.8, 92.1, 20.4}},
    {"optimal-positive", "orthogonal", {17.1, 92.6, 69.5, 44.4, 46.3, 78.9, 93.3, 20.2}},
    {"hybrid", "orthogonal", {12.2, 66.2, 66.3, 29.7, 46.6, 31.4, 28.2, 16.5}},
    {"poisson", "iid", {18.0, 84.4, 66.3, 36.9, 46.6, 77.1, 95.3, 19.1}},
    {"geometric", "iid", {18.3, 94.5, 66.3, 35.9, 47.3, 77.1, 95.8, 19.5}},
    {"poisson-shifted", "iid", {14.0, 80.1, 66.3, 29.7, 35.5, 77.3, 77.2, 19.2}},
    {"geometric-shifted", "iid", {15.1, 85.6, 67.2, 31.0, 43.5, 71.0, 82.9, 22.5}},
};

}  // namespace

std::optional<double> printed_accuracy(const std::string& dataset, const std::string& mechanism,
                                       const std::string& sampling) {
    const auto& sets = thesis_sets();
    const auto place = std::find(sets.begin(), sets.end(), dataset);
    if (place == sets.end()) return {};
    for (const PrintedRow& row : printed_rows)
        if (mechanism == row.mechanism && sampling == row.sampling) return row.accuracy[place - sets.begin()];
    return {};
}

}  // namespace rfbench::experiments
