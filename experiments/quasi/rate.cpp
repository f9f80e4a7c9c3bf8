// How the error of the kernel estimate falls with the number of features M, over pairs of points: all of it, and its
// bias apart from its variance. The paper claims O(M^-1) for quasi-Monte Carlo points, and prints 1/M^-0.5 where it
// means O(M^-1/2) for independent ones.
#include <algorithm>
#include <cmath>

#include "quasi/rate_report.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/random/stream.hpp"
#include "sources/normal_points.hpp"
#include "sources/point_sets.hpp"
#include "study/singular.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::row_kernel}, .sampling = EntrySampling::drawn};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        optional("dimensions", integers(1, 1024), "d"),
        optional("lengths", numbers(above(0).at_most(10)), "root mean square length of the points; entries are normal"),
        optional("points", one_or_more(point_source_schema()),
                 "sources of points, in place of dimensions and lengths; their scale is their own"),
        required("draws", integers(1, 65536), "M of omega, of each estimate"),
        defaulted("pairs", integer(1, 100'000), "100", "of points over which errors are averaged"),
        defaulted("repeats", integer(2, 1'000), "6",
                  "groups of estimates; intervals come from the scatter between them"),
        defaulted("estimates", integer(2, 100'000), "10", "that each repeat averages over"),
    };
}

struct Setting {
    Axis<std::uint64_t> repeats;  ///< inside a cell: the bias in one is measured against the others
    Index pairs;
    std::uint64_t estimates;
};

/// Points to measure at, a row of x and of y a pair, and others that parameters are fitted to.
struct RatePoints {
    PointSets pairs, fit;
};

constexpr Index fitting_rows = 1024;

/// Normal entries, of this root mean square length: the same up to their length for every method and length.
RatePoints normal_rate_points(const Stream& stream, Index pairs, Index d, double length) {
    const auto points = [&](const char* name, Index rows) -> Points {
        return length / std::sqrt(static_cast<double>(d)) * normal_points(stream.child(name), rows, d);
    };
    return {{points("x", pairs), points("y", pairs)}, {points("fit x", fitting_rows), points("fit y", fitting_rows)}};
}

/// Points of a source; fewer pairs if either of its sets has fewer rows.
RatePoints rate_points_of(const PointSource& source, const Stream& stream, Index pairs) {
    PointSets drawn = source.draw(stream.child("pairs"), pairs);
    const Index rows = std::min(drawn.x.rows(), drawn.y.rows());
    for (Points* const set : {&drawn.x, &drawn.y}) set->conservativeResize(rows, Eigen::NoChange);
    return {std::move(drawn), source.draw(stream.child("fit"), fitting_rows)};
}

/// Errors of one repeat, relative to the root mean square of K over the pairs.
struct RepeatErrors {
    Vector mean;          ///< for each pair
    double square = 0;    ///< mean square over draws and pairs
    double variance = 0;  ///< mean over pairs of the unbiased variance over draws
    double singular = 0;  ///< mean share of columns that carry nothing, over draws
};

class Cell {
public:
    /// `seed`: of the points.
    Cell(const MethodChoice& method, const RatePoints& points, const Setting& setting, const Stream& seed)
        : method_(method),
          setting_(setting),
          seed_(seed),
          fitted_(method->row_features()->of_rows(points.fit.x, points.fit.y)),
          x_(points.pairs.x),
          y_(points.pairs.y),
          kernel_((-0.5 * (x_ - y_).rowwise().squaredNorm()).array().exp()),
          size_(std::sqrt(kernel_.squaredNorm() / static_cast<double>(x_.rows()))) {}

    /// Errors of estimates with `count` draws.
    store::Dataset measure(Index count) const {
        const std::vector<std::string> axes{"repeat"};
        store::Variable error{"relative_error", axes, {}, "", "root mean square of K^ - K over that of K"};
        store::Variable deviation{"relative_deviation", axes, {}, "", "root mean variance of K^, the same way"};
        store::Variable bias{"squared_bias",
                             axes,
                             {},
                             "",
                             "mean over pairs of mean error of this group times that of the others: no variance"};
        std::vector<RepeatErrors> groups;
        Vector total = Vector::Zero(x_.rows());
        double singular = 0;
        parallel::Parts parts(static_cast<Index>(setting_.repeats.size()));
        for (const std::uint64_t r : setting_.repeats) {
            groups.push_back(repeat_errors(count, r));
            total += groups.back().mean;
            singular += groups.back().singular / static_cast<double>(setting_.repeats.size());
            parts.done();
        }
        const double others = static_cast<double>(setting_.repeats.size() - 1) * static_cast<double>(x_.rows());
        for (const RepeatErrors& group : groups) {
            error.values.push_back(std::sqrt(group.square));
            deviation.values.push_back(std::sqrt(group.variance));
            // Groups are independent, so that the product of two means has the squared bias for its mean; the square of
            // one would have the variance as well.
            bias.values.push_back(group.mean.dot(total - group.mean) / others);
        }
        return {{setting_.repeats.stored()}, {error, deviation, bias, singular_columns(singular)}, {}};
    }

private:
    RepeatErrors repeat_errors(Index count, std::uint64_t repeat) const {
        RepeatErrors result{Vector::Zero(x_.rows())};
        Vector squares = Vector::Zero(x_.rows());
        // Estimates of different numbers of draws are independent, so that errors against M do not move together.
        const Stream own = seed_.child(method_.label).child(static_cast<std::uint64_t>(count)).child(repeat);
        for (const Index number : parallel::Parts(static_cast<Index>(setting_.estimates))) {
            const auto r = static_cast<std::uint64_t>(number);
            const RowMap drawn = fitted_.draw(count, method_.scheme(sampling::find("iid")), own.child(r));
            result.singular += static_cast<double>(drawn.singular) / static_cast<double>(drawn.map->columns());
            const Vector errors = errors_of(*drawn.map);
            result.mean += errors;
            squares += errors.cwiseAbs2();
        }
        const double estimates = static_cast<double>(setting_.estimates), pairs = static_cast<double>(x_.rows());
        result.mean /= estimates;
        result.singular /= estimates;
        result.square = squares.sum() / (estimates * pairs);
        // Over n - 1, pair by pair, and then the mean over pairs.
        result.variance = (squares - estimates * result.mean.cwiseAbs2()).sum() / ((estimates - 1) * pairs);
        return result;
    }

    /// (K^ - K) / size for each pair.
    Vector errors_of(const features::FeatureMap& map) const {
        features::FeatureBlock<double> queries, keys;
        map.evaluate(features::Side::query, x_, queries);
        map.evaluate(features::Side::key, y_, keys);
        // Row i of x meets row i of y alone. Factors of rows, which attention may drop, belong to the kernel.
        const Vector sums = queries.values.cwiseProduct(keys.values).rowwise().sum();
        const Vector estimates = sums.array() * (queries.log_scale + keys.log_scale).array().exp();
        return (estimates - kernel_) / size_;
    }

    const MethodChoice& method_;
    const Setting& setting_;
    Stream seed_;
    RowDrawing fitted_;
    Points x_, y_;
    Vector kernel_;
    double size_;  ///< root mean square of K over the pairs
};

/// Points x and y of dimension d, and their features, which may be complex.
double bytes(const Setting& setting, Index d, const Axis<Index>& draws) {
    const Index count = *std::max_element(draws.begin(), draws.end());
    return 2 * static_cast<double>(setting.pairs * (d + 2 * count)) * sizeof(double);
}

Sweep over_normal_points(const config::Value& config, const Axis<MethodChoice>& compared, const Axis<Index>& draws,
                         const Setting& setting, const Stream& seed) {
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto lengths = axis("length", Key{config, "lengths"}, "root mean square length of the points");
    for (const MethodChoice& method : compared)
        for (const Index d : dimensions) method.require_dimension(d);
    Sweep sweep = Sweep::over(compared, dimensions, lengths, draws);
    sweep.bytes = bytes(setting, *std::max_element(dimensions.begin(), dimensions.end()), draws);
    sweep.finite_but.emplace();
    sweep.compute = [=](const Point& at) {
        const Index d = at[dimensions];
        const Stream own = seed.child(static_cast<std::uint64_t>(d));
        return Cell(at[compared], normal_rate_points(own, setting.pairs, d, at[lengths]), setting, own)
            .measure(at[draws]);
    };
    return sweep;
}

Sweep over_sources(const config::Value& config, const Axis<MethodChoice>& compared, const Axis<Index>& draws,
                   const Setting& setting, const Stream& seed) {
    auto list = point_sources(Key{config, "points"}, {"points", {}, {}, "", "where the points come from"},
                              seed.child("points"));
    note_few_rows(list, setting.pairs, 1);
    const auto& sources = list.axis;
    Sweep sweep = Sweep::over(compared, sources, draws);
    for (const PointSourcePtr& source : sources) {
        for (const MethodChoice& method : compared) method.require_dimension(source->dimension());
        sweep.bytes = std::max(sweep.bytes, bytes(setting, source->dimension(), draws));
    }
    sweep.notes = list.notes;
    sweep.finite_but.emplace();
    sweep.compute = [=, sources = list.axis](const Point& at) {
        const auto& labels = std::get<std::vector<std::string>>(sources.labels);
        const Stream own = seed.child("points").child(draw_key(labels[at.index("points")]));
        return Cell(at[compared], rate_points_of(*at[sources], own, setting.pairs), setting, own).measure(at[draws]);
    };
    return sweep;
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const auto draws = whole_axis("draws", Key{config, "draws"}, "M of omega, of each estimate");
    const Setting setting{repeat_axis("repeat", config.at("repeats").integer(), "independent group of estimates"),
                          whole(config, "pairs"), static_cast<std::uint64_t>(config.at("estimates").integer())};
    const Stream seed = study_stream(config, "quasi/rate");
    // Two kinds of points, of which exactly one must be asked for, in full.
    const bool normal = config.has("dimensions") && config.has("lengths");
    if (!config.has("points") && normal) return over_normal_points(config, compared, draws, setting, seed);
    if (!config.has("points") || config.has("dimensions") || config.has("lengths"))
        config.refuse("points are either normal, of 'dimensions' and 'lengths', or those of the sources in 'points'");
    return over_sources(config, compared, draws, setting, seed);
}

}  // namespace

Study quasi_rate_study() {
    return {"quasi",
            "rate",
            "how the error of the kernel estimate falls with M; bias apart from variance",
            "Chen et al. 2024, Theorems 3.2 and 3.3",
            1,
            taken,
            keys,
            prepare,
            rate_report};
}

}  // namespace rfbench::experiments
