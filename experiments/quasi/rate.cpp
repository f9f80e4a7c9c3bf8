// How the error of the kernel estimate falls with the number of features M, over pairs of points: all of it, and its
// bias apart from its variance. The paper claims O(M^-1) for quasi-Monte Carlo points, and prints 1/M^-0.5 where it
// means O(M^-1/2) for independent ones.
#include <algorithm>
#include <cmath>

#include "normal_points.hpp"
#include "quasi/estimators.hpp"
#include "quasi/rate_report.hpp"
#include "quasi/studies.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("estimators", estimators_schema(), "mechanisms, each with a sampling"),
        required("dimensions", integers(1, 1024), "d"),
        required("lengths", numbers(above(0).at_most(10)), "root mean square length of the points; entries are normal"),
        required("counts", integers(1, 65536), "draws M of omega"),
        defaulted("pairs", integer(1, 100'000), "100", "of points over which errors are averaged"),
        defaulted("draws", integer(2, 100'000), "10", "of features, in each group"),
        defaulted("groups", integer(2, 1'000), "6", "of draws; intervals come from the scatter between them"),
    };
}

struct Setting {
    std::vector<Index> counts;
    Index pairs;
    std::size_t draws, groups;
};

/// Points with normal entries, of this root mean square length.
Points points_of_length(const Stream& stream, Index rows, Index d, double length) {
    return length / std::sqrt(static_cast<double>(d)) * normal_points(stream, rows, d);
}

/// Errors of one group of draws, relative to the root mean square of K over the pairs.
struct GroupErrors {
    Vector mean;          ///< for each pair
    double square = 0;    ///< mean square over draws and pairs
    double variance = 0;  ///< mean over pairs of the unbiased variance over draws
};

class Cell {
public:
    Cell(const Estimator& estimator, Index d, double length, const Setting& setting, const Stream& seed)
        : estimator_(estimator), d_(d), setting_(setting), seed_(seed.child(static_cast<std::uint64_t>(d))) {
        // Points are the same up to their length for every estimator and length.
        constexpr Index fitting_rows = 1024;
        const Points fit_x = points_of_length(seed_.child("fit x"), fitting_rows, d, length);
        const Points fit_y = points_of_length(seed_.child("fit y"), fitting_rows, d, length);
        mechanism_ = features::fit(*estimator.info, features::statistics(fit_x, fit_y), estimator.settings);
        x_ = points_of_length(seed_.child("x"), setting.pairs, d, length);
        y_ = points_of_length(seed_.child("y"), setting.pairs, d, length);
        kernel_ = (-0.5 * (x_ - y_).rowwise().squaredNorm()).array().exp();
        size_ = std::sqrt(kernel_.squaredNorm() / static_cast<double>(setting.pairs));
    }

    store::Dataset measure() const {
        const std::vector<std::string> axes{"count", "group"};
        store::Variable error{"relative_error", axes, {}, "", "root mean square of K^ - K over that of K"};
        store::Variable deviation{"relative_deviation", axes, {}, "", "root mean variance of K^, the same way"};
        store::Variable bias{"squared_bias",
                             axes,
                             {},
                             "",
                             "mean over pairs of mean error of this group times that of the others: no variance"};
        for (const Index count : setting_.counts) {
            std::vector<GroupErrors> groups;
            Vector total = Vector::Zero(setting_.pairs);
            for (std::size_t g = 0; g < setting_.groups; ++g) {
                groups.push_back(group_errors(count, g));
                total += groups.back().mean;
            }
            const double others = static_cast<double>(setting_.groups - 1) * static_cast<double>(setting_.pairs);
            for (const GroupErrors& group : groups) {
                error.values.push_back(std::sqrt(group.square));
                deviation.values.push_back(std::sqrt(group.variance));
                bias.values.push_back(group.mean.dot(total - group.mean) / others);
            }
        }
        std::vector<double> counts;
        for (const Index count : setting_.counts) counts.push_back(static_cast<double>(count));
        return {{{"count", counts, "", "draws M of omega"},
                 {"group", numbered(static_cast<std::int64_t>(setting_.groups)), "", "independent group of draws"}},
                {error, deviation, bias},
                {}};
    }

private:
    GroupErrors group_errors(Index count, std::size_t g) const {
        GroupErrors result{Vector::Zero(setting_.pairs)};
        Vector squares = Vector::Zero(setting_.pairs);
        const Stream own = seed_.child(estimator_.label).child(static_cast<std::uint64_t>(count)).child(g);
        for (std::size_t r = 0; r < setting_.draws; ++r) {
            const Vector errors = draw_errors(count, own.child(r));
            result.mean += errors;
            squares += errors.cwiseAbs2();
        }
        const double draws = static_cast<double>(setting_.draws), pairs = static_cast<double>(setting_.pairs);
        result.mean /= draws;
        result.square = squares.sum() / (draws * pairs);
        result.variance = (squares - draws * result.mean.cwiseAbs2()).sum() / ((draws - 1) * pairs);
        return result;
    }

    /// (K^ - K) / size for each pair, of one draw.
    Vector draw_errors(Index count, const Stream& stream) const {
        const auto map = mechanism_->map(features::draw(*mechanism_, d_, count, *estimator_.sampling, stream));
        features::FeatureBlock<double> queries, keys;
        map->evaluate(features::Side::query, x_, queries);
        map->evaluate(features::Side::key, y_, keys);
        const Vector sums = queries.values.cwiseProduct(keys.values).rowwise().sum();
        const Vector estimates = sums.array() * (queries.log_scale + keys.log_scale).array().exp();
        return (estimates - kernel_) / size_;
    }

    const Estimator& estimator_;
    Index d_;
    const Setting& setting_;
    Stream seed_;
    std::unique_ptr<features::Mechanism> mechanism_;
    Points x_, y_;
    Vector kernel_;
    double size_;
};

Sweep prepare(const config::Value& config) {
    const auto choices = estimators(config.at("estimators"), Need::kernel);
    const auto dimensions = as_labels(config.at("dimensions").integers());
    require_dimensions(config.at("estimators"), choices, dimensions);
    const auto lengths = config.at("lengths").numbers();
    Setting setting{{},
                    static_cast<Index>(config.at("pairs").integer()),
                    static_cast<std::size_t>(config.at("draws").integer()),
                    static_cast<std::size_t>(config.at("groups").integer())};
    for (const std::int64_t count : config.at("counts").integers()) setting.counts.push_back(static_cast<Index>(count));
    const Stream seed = study_stream(config, "quasi/rate");

    Sweep sweep;
    sweep.axes = {estimator_axis(choices),
                  {"dimension", dimensions, "", "d"},
                  {"length", lengths, "", "root mean square length of the points"}};
    sweep.cells = product_cells(sweep.axes);
    // Points x and y, and their features, which may be complex.
    const double d = *std::max_element(dimensions.begin(), dimensions.end());
    const double count = static_cast<double>(*std::max_element(setting.counts.begin(), setting.counts.end()));
    sweep.bytes = 2 * static_cast<double>(setting.pairs) * (d + 2 * count) * sizeof(double);
    sweep.compute = [=](const engine::Cell& cell) {
        const auto& at = cell.coordinates;
        return Cell(choices[at[0]], static_cast<Index>(dimensions[at[1]]), lengths[at[2]], setting, seed).measure();
    };
    return sweep;
}

}  // namespace

Study quasi_rate_study() {
    return {"quasi",
            "rate",
            "how the error of the kernel estimate falls with M; bias apart from variance",
            "Chen et al. 2024, Theorems 3.2 and 3.3",
            1,
            keys,
            prepare,
            rate_report};
}

}  // namespace rfbench::experiments
