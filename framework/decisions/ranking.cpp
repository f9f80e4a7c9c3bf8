#include "rfbench/decisions/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "rfbench/statistics/paired_test.hpp"

namespace rfbench::decisions {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Mean of differences, or of values, with its interval; of one, that one.
statistics::PairedDifference mean_of(const std::vector<double>& values, double overlap, double confidence) {
    if (values.size() < 2) return {values.front(), unknown, 1};
    return statistics::paired_difference(values, overlap, confidence);
}

}  // namespace

std::vector<Ranked> ranking(const std::vector<Contender>& contenders, bool larger_is_better, double overlap,
                            double confidence, Tested tested) {
    if (contenders.empty()) throw std::invalid_argument("ranking: there is no contender");
    const std::size_t repeats = contenders.front().values.size();
    for (const Contender& one : contenders)
        if (one.values.size() != repeats || repeats == 0)
            throw std::invalid_argument("ranking: " + one.name + " has another number of repeats, or none");
    if (tested == Tested::logarithms)
        for (const Contender& one : contenders)
            if (!std::all_of(one.values.begin(), one.values.end(), [](double value) { return value > 0; }))
                throw std::invalid_argument("ranking: " + one.name + " has a value without a logarithm");

    std::vector<std::pair<Ranked, const Contender*>> all;
    for (const Contender& one : contenders) {
        const auto mean = mean_of(one.values, overlap, confidence);
        all.push_back({{one.name, mean.mean, mean.half_width, 0, 0, false}, &one});
    }
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return larger_is_better ? a.first.mean > b.first.mean : a.first.mean < b.first.mean;
    });

    const std::vector<double>& best = all.front().second->values;
    std::vector<double> p;
    for (std::size_t k = 1; k < all.size(); ++k) {
        std::vector<double> worse_by(repeats);
        for (std::size_t r = 0; r < repeats; ++r)
            worse_by[r] = (larger_is_better ? 1 : -1) * (best[r] - all[k].second->values[r]);
        const auto mean = mean_of(worse_by, overlap, confidence);
        all[k].first.worse_by = mean.mean;
        all[k].first.worse_by_half_width = mean.half_width;
        if (tested == Tested::logarithms)
            for (std::size_t r = 0; r < repeats; ++r) worse_by[r] = std::log(best[r] / all[k].second->values[r]);
        p.push_back(mean_of(worse_by, overlap, confidence).p);
    }
    const std::vector<double> adjusted = statistics::holm(p);
    std::vector<Ranked> result;
    for (std::size_t k = 0; k < all.size(); ++k) {
        all[k].first.told_apart = k > 0 && adjusted[k - 1] <= 1 - confidence;
        result.push_back(all[k].first);
    }
    return result;
}

}  // namespace rfbench::decisions
