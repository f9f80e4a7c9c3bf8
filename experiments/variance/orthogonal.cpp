// Exact gain of orthogonal and simplex sampling over iid: the ratio of variances against |x + y| (positive features) or
// |x - y| (trigonometric ones), with Monte Carlo points on top and the bounds of Theorems 3, 6 and 18.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/features/tilted_variance.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/running_moments.hpp"
#include "rfbench/theory/bounds.hpp"
#include "study/map_bytes.hpp"
#include "study/study.hpp"
#include "variance/orthogonal_report.hpp"

namespace rfbench::experiments {
namespace {

/// Those whose variance depends on |x - y| alone are looked at along it, all others along |x + y|.
const MethodKey taken{.abilities = {Ability::covariance}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("samplings", one_or_more(one_of({"orthogonal", "simplex"})), "compared with iid"),
        required("dimensions", integers(2, 1024), "d"),
        required("blocks", integers(1, 64), "M / d"),
        required("distances", numbers(above(0).at_most(100)), "|x + y| or |x - y|"),
        defaulted("offset", real(at_least(0)), "0.75",
                  "length of half the other of x + y and x - y in the pairs at which Theorem 18 is looked at: x.y < 0 "
                  "where it exceeds half the distance"),
        required("drawn_distances", numbers(above(0).at_most(4)), "distances at which estimators are drawn as well"),
        required("repeats", integer(100, 10'000'000), "drawn estimators a point"),
    };
}

/// x = y for the positive family, x = -y for the trigonometric one, with the given distance.
struct PairAt {
    Vector x, y;
};
PairAt pair_at(bool along_difference, Index dimension, double distance, double offset = 0) {
    Vector x = Vector::Zero(dimension);
    x[0] = 0.5 * distance;
    Vector y = along_difference ? Vector(-x) : x;
    // At x = y this leaves x + y as it is and takes offset^2 from x.y.
    x[1] += offset;
    y[1] -= offset;
    return {x, y};
}

features::Statistics pair_statistics(const PairAt& pair) {
    return features::statistics(pair.x.transpose(), pair.y.transpose());
}

/// Whether the variance stays when both points are shifted alike.
bool shift_invariant(const MethodChoice& choice) {
    // One pair and one shift, none of which is special, tell.
    const Vector x{{0.3, 0.1}}, y{{-0.2, 0.4}}, shift{{0.5, -0.7}}, x_there = x + shift, y_there = y + shift;
    const auto fitted = choice->mechanism()->fit_with_moments(features::statistics(x.transpose(), y.transpose()));
    const double here = fitted->moments(features::Pair(x, y)).log_variance;
    return std::abs(fitted->moments(features::Pair(x_there, y_there)).log_variance - here) < 1e-9;
}

/// log(1 - gain / Var_iid): the ratio of variances that a bound promises; NaN where it promises a negative variance.
double log_promised_ratio(double log_gain, double log_variance_iid) {
    return std::log1p(-std::exp(log_gain - log_variance_iid));
}

class Cell {
public:
    Cell(const MethodChoice& choice, Index dimension, const std::vector<const sampling::Scheme*>& schemes)
        : choice_(choice), dimension_(dimension), schemes_(schemes), along_difference_(shift_invariant(choice)) {}

    bool along_difference() const { return along_difference_; }

    /// multiple x sampling x distance
    store::Variable exact(const std::vector<Index>& multiples, const std::vector<double>& distances) const {
        store::Variable result{"log_ratio",
                               {"block", "sampling", "distance"},
                               {},
                               "",
                               "log of the variance over that of iid sampling, exact"};
        for (const Index multiple : multiples)
            for (const sampling::Scheme* scheme : schemes_)
                for (const double distance : distances) {
                    const PairAt at = pair_at(along_difference_, dimension_, distance);
                    const features::Pair pair(at.x, at.y);
                    const auto mechanism = choice_->mechanism()->fit_with_moments(pair_statistics(at));
                    const Index count = multiple * dimension_;
                    result.values.push_back(estimator_log_variance(*mechanism, pair, *scheme, count).value_or(NAN) -
                                            iid(*mechanism, pair, count));
                }
        return result;
    }

    /// multiple x distance, for pairs `offset` apart in the other direction
    store::Variable bound(const char* name, const char* description, const std::vector<Index>& multiples,
                          const std::vector<double>& distances, double offset,
                          double (*log_gain)(Index d, Index count, double plus, double minus)) const {
        store::Variable result{name, {"block", "distance"}, {}, "", description};
        for (const Index multiple : multiples)
            for (const double distance : distances) {
                const PairAt at = pair_at(along_difference_, dimension_, distance, offset);
                const features::Pair pair(at.x, at.y);
                const auto mechanism = choice_->mechanism()->fit_with_moments(pair_statistics(at));
                const Index count = multiple * dimension_;
                result.values.push_back(log_promised_ratio(log_gain(dimension_, count, pair.plus, pair.minus),
                                                           iid(*mechanism, pair, count)));
            }
        return result;
    }

    /// Drawn variances over the exact iid one, half their 95 % intervals, and what they estimate: multiple x sampling x
    /// drawn_distance
    std::vector<store::Variable> drawn(const std::vector<Index>& multiples, const std::vector<double>& distances,
                                       std::int64_t repeats, const Stream& seed) const {
        const std::vector<std::string> axes{"block", "sampling", "drawn_distance"};
        store::Variable ratio{"drawn_ratio",
                              axes,
                              {},
                              "",
                              "variance of drawn estimators, by importance sampling, over the exact iid one"};
        store::Variable half{"drawn_ratio_half_width", axes, {}, "", "half the 95 % interval of drawn_ratio"};
        store::Variable exact{"drawn_exact", axes, {}, "", "the exact ratio that drawn_ratio estimates"};
        // Student's interval serves, since importance sampling keeps what is averaged bounded.
        const double quantile =
            statistics::student_quantile(static_cast<std::uint64_t>(repeats), statistics::confidence);
        parallel::Parts parts(static_cast<Index>(multiples.size() * schemes_.size() * distances.size()));
        for (const Index multiple : multiples)
            for (const sampling::Scheme* scheme : schemes_)
                for (const double distance : distances) {
                    const PairAt at = pair_at(along_difference_, dimension_, distance);
                    const features::Pair pair(at.x, at.y);
                    const auto mechanism = choice_->mechanism()->fit_with_moments(pair_statistics(at));
                    const Index count = multiple * dimension_;
                    const Stream own = seed.child(scheme->name)
                                           .child(static_cast<std::uint64_t>(multiple))
                                           .child(fmt::format("{}", distance));
                    // The sample variance of exponential features is mostly far too small
                    // (features/tilted_variance.hpp).
                    const auto tilt = features::square_tilt(*mechanism, choice_->mechanism()->info.name, pair);
                    const auto drawn = features::drawn_variance(*mechanism, pair, *scheme, count, repeats, tilt, own);
                    const double scale = std::exp(-iid(*mechanism, pair, count));
                    ratio.values.push_back(drawn.value * scale);
                    half.values.push_back(quantile * drawn.error * scale);
                    const auto known = estimator_log_variance(*mechanism, pair, *scheme, count);
                    exact.values.push_back(known ? std::exp(*known) * scale : NAN);
                    parts.done();
                }
        return {ratio, half, exact};
    }

private:
    static double iid(const features::MechanismWithMoments& mechanism, const features::Pair& pair, Index count) {
        return *estimator_log_variance(mechanism, pair, sampling::find("iid"), count);
    }

    const MethodChoice& choice_;
    Index dimension_;
    std::vector<const sampling::Scheme*> schemes_;
    bool along_difference_;
};

/// In the form of the other bounds, which read |x + y|^2 as well.
double theorem_3(Index d, Index count, double, double minus) { return theory::log_gain_theorem_3(d, count, minus); }

/// NaN for the mechanisms the theorem does not speak of, so that all cells have the same variables.
double no_theorem(Index, Index, double, double) { return NAN; }

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto blocks = whole_axis("block", config.at("blocks").integers(), "M / d");
    const auto distances = config.at("distances").numbers();
    const auto drawn_distances = config.at("drawn_distances").numbers();
    const double offset = config.at("offset").number();
    const std::int64_t repeats = config.at("repeats").integer();
    const Axis<std::string> schemes = axis("sampling", config.at("samplings").texts(), "how projections are drawn");
    const Stream seed = study_stream(config, "variance/orthogonal");

    // Blocks, samplings and distances are inside a cell: what has some of them as axes has not the others, and all of
    // it takes half a minute.
    Sweep sweep = Sweep::over(compared, dimensions);
    // A draw's map: drawn variances are sums, which no estimate is kept for.
    const Index d = *std::max_element(dimensions.begin(), dimensions.end());
    sweep.bytes = map_bytes(d, d * *std::max_element(blocks.begin(), blocks.end()));
    sweep.compute = [=](const Point& at) {
        const features::MechanismInfo& info = at[compared]->mechanism()->info;
        // The axis keeps names; schemes are found by them here.
        std::vector<const sampling::Scheme*> couplings;
        for (const std::string& name : schemes) couplings.push_back(&sampling::find(name));
        const Cell cell(at[compared], at[dimensions], couplings);
        const auto& multiples = blocks.values;
        store::Dataset result;
        result.axes = {blocks.stored(),
                       schemes.stored(),
                       {"distance", distances, "", "|x - y| where the variance depends on it alone, else |x + y|"},
                       {"drawn_distance", drawn_distances, "", "as distance, where estimators are drawn"}};
        const bool has_theorem_6 = info.name == "positive" || info.name == "optimal-positive";
        result.variables = {
            {"along_difference",
             {},
             {cell.along_difference() ? 1.0 : 0.0},
             "",
             "1 where distances are |x - y|, 0 where they are |x + y|"},
            cell.exact(multiples, distances),
            cell.bound("theorem_3", "log ratio by the leading term of Theorem 3", multiples, distances, 0,
                       info.name == "trigonometric" ? theorem_3 : no_theorem),
            cell.bound("theorem_6", "log ratio that Theorem 6, and Theorem 18 as corrected, promise", multiples,
                       distances, 0, has_theorem_6 ? theory::log_gain_theorem_6 : no_theorem),
            cell.bound("theorem_18_printed", "log ratio that Theorem 18 as printed promises, at the offset", multiples,
                       distances, offset, has_theorem_6 ? theory::log_gain_theorem_18_printed : no_theorem),
        };
        const Stream own = seed.child(at[compared].label).child(static_cast<std::uint64_t>(at[dimensions]));
        for (store::Variable& variable : cell.drawn(multiples, drawn_distances, repeats, own))
            result.variables.push_back(std::move(variable));
        return result;
    };
    return sweep;
}

}  // namespace

Study orthogonal_study() {
    return {"variance",
            "orthogonal",
            "exact gain of orthogonal and simplex sampling over iid, drawn points, printed bounds",
            "Likhosherstov 2022, Theorems 3, 6, 18; the exact gain is ours",
            3,
            taken,
            keys,
            prepare,
            orthogonal_report};
}

}  // namespace rfbench::experiments
