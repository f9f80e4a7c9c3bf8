// How often an estimate of one kernel value is off by a given part of it, against the number of draws, for every
// mechanism and sampling, with the bounds of Theorems 2, 8 and 20, and one on the lower tail of positive ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "concentration/tail_report.hpp"
#include "rfbench/features/drawn_moments.hpp"
#include "rfbench/theory/lower_tail.hpp"
#include "rfbench/theory/tail_bounds.hpp"
#include "sources/normal_points.hpp"
#include "sources/point_sets.hpp"
#include "study/map_bytes.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

/// Fitted on clouds of points around x and y, or on the points that these were taken from.
const MethodKey taken{.abilities = {Ability::moments}, .samplings = true};

std::vector<config::KeyRule> keys() {
    using namespace config;
    const Schema pair = object({
        required("label", text(), "its name in results"),
        required("dimension", integer(2, 1024), "d"),
        required("norms", list_of(real(at_least(0).at_most(20)), 2, Repetition::allowed), "[|x|, |y|]"),
        required("angle", real(between(0, 180)), "between x and y, in degrees"),
    });
    return {
        optional("pairs", list_of(pair), "points x and y, in the plane of (1, 1, ...) and (1, -1, 1, ...)"),
        optional("points", one_or_more(point_source_schema()),
                 "sources of points, of which pairs are taken at random; parameters are fitted to at most 1024 of "
                 "their points, of heads those of one sequence"),
        defaulted("point_pairs", integer(1, 1000), "2", "pairs of each of these sources"),
        required("draws", integers(1, 65536), "M of omega, which the bounds speak of"),
        required("errors", numbers(above(0).at_most(1e6)), "errors of which the probability is wanted, in units of K"),
        defaulted("spread", real(at_least(0).at_most(10)), "0.5",
                  "root mean square distance of the clouds' points from x and y"),
        required("repeats", integer(10, 100'000'000), "drawn estimates a point"),
    };
}

struct NamedPair {
    std::string label;
    Vector x, y;
    std::string of = {};              ///< the source's label, and
    PointSourcePtr source = nullptr;  ///< the source that they were taken from; none: they were given
};

NamedPair named_pair(const config::Value& entry) {
    const Index d = static_cast<Index>(entry.at("dimension").integer());
    const Vector first = Vector::Constant(d, 1 / std::sqrt(static_cast<double>(d)));
    // (1, -1, 1, ...) is orthogonal to (1, 1, ...) for even d alone: what it has of the other is taken away.
    Vector second = first;
    for (Index l = 1; l < d; l += 2) second[l] *= -1;
    second = (second - second.dot(first) * first).normalized();
    const double angle = entry.at("angle").number() * M_PI / 180;
    const auto& norms = entry.at("norms").items();
    if (norms.size() != 2) entry.at("norms").refuse("two norms are wanted, [|x|, |y|]");
    return {entry.at("label").text(), norms[0].number() * first,
            norms[1].number() * (std::cos(angle) * first + std::sin(angle) * second)};
}

/// Statistics that parameters are fitted to: those of the source's points, or of clouds around both points of a pair
/// that was given.
features::Statistics fitting_statistics(const NamedPair& pair, double spread, const Stream& stream) {
    if (pair.source) {
        const PointSets sets = pair.source->draw(stream.child("points").child(pair.of), 1024);
        return features::statistics(sets.x, sets.y);
    }
    const Stream own = stream.child(pair.label);
    constexpr Index rows = 64;
    const auto around = [&](const Vector& centre, const char* name) {
        // So many coordinates of this deviation have the root mean square length `spread`.
        const double scale = spread / std::sqrt(static_cast<double>(centre.size()));
        const Points noise = normal_points(own.child(name), rows, centre.size());
        return Points((scale * noise).rowwise() + centre.transpose());
    };
    const Points x = around(pair.x, "x"), y = around(pair.y, "y");
    return features::statistics(x, y);
}

/// The A of generalized exponential features with t = +1 and real A < 0; nothing for all other mechanisms.
std::optional<double> negative_a(const features::MechanismInfo& info, const features::Mechanism& mechanism) {
    if (info.name != "optimal-positive" && info.name != "generalized-exponential") return {};
    const features::Settings parameters = mechanism.parameters();
    // optimal-positive has no parameter t, which is +1 in it.
    const auto t = parameters.find("t");
    if (t != parameters.end() && std::get<double>(t->second) != 1) return {};
    const features::ParameterValue& value = parameters.find("A")->second;
    const auto* complex = std::get_if<std::complex<double>>(&value);
    if (complex && complex->imag() != 0) return {};
    const double a = complex ? complex->real() : std::get<double>(value);
    return a < 0 ? std::optional(a) : std::nullopt;
}

/// The law of Z / K.
theory::BoundedLaw in_units_of_kernel(const theory::BoundedLaw& law, double log_kernel) {
    return {[=](double n) { return law.log_moment(n) - n * log_kernel; }, law.log_greatest - log_kernel};
}

/// The bounds at one pair, by variable: log bound of M and of the error in units of K. So is all that is computed with,
/// since K may be below double's range.
class Bounds {
public:
    Bounds(const features::MechanismInfo& info, const features::MechanismWithMoments& mechanism,
           const features::Pair& pair, const sampling::Scheme& scheme)
        : pair_(pair),
          d_(pair.dimension),
          iid_(scheme.coupling == sampling::Coupling::independent),
          orthogonal_(scheme.coupling == sampling::Coupling::orthogonal),
          trigonometric_(info.name == "trigonometric"),
          regularized_(info.name == "regularized"),
          a_(negative_a(info, mechanism)),
          mean_(std::exp(mechanism.moments(pair).log_mean - pair.log_kernel())),
          lower_(has_lower_tail(info, mechanism)),
          log_ratio_(2 * mechanism.moments(pair).log_mean - mechanism.moments(pair).log_second_moment) {
        if (regularized_)
            bounded_by(in_units_of_kernel(theory::regularized_law(d_, pair.plus, pair.norms()), pair.log_kernel()));
        if (a_) bounded_by(exponential_law());
    }

    /// NaN where the theorem does not speak of this mechanism, sampling or M.
    double log_bound(const std::string& bound, Index count, double error) const {
        if (bound == "hoeffding")
            return trigonometric_ && iid_ ? theory::log_hoeffding(count, error * std::exp(pair_.log_kernel()), 2)
                                          : none;
        if (bound == "theorem_20_chernoff")
            return a_ && (iid_ || orthogonal_) ? chernoff_->log_bound(count, mean_ + error) : none;
        if (bound.starts_with("theorem_20")) return a_ && iid_ ? theorem_20(bound, count, error) : none;
        if (bound.starts_with("lower_tail")) return lower_ && error < mean_ ? lower_tail(bound, count, error) : none;
        if (bound == "multiplicative")
            return chernoff_ && (iid_ || orthogonal_)
                       ? theory::log_multiplicative_upper_tail(count, error / mean_, std::log(mean_) - log_greatest_)
                       : none;
        if (!regularized_) return none;
        // For independent draws nothing is subtracted: the printed and the corrected form are one.
        if (iid_) return bound == "theorem_8_sharper" ? none : chernoff_->log_bound(count, mean_ + error);
        // In print the theorem ends at M = d; blocks are independent.
        return orthogonal_ && (count <= d_ || bound != "theorem_8_printed") ? theorem_8(bound, count, error) : none;
    }

private:
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    void bounded_by(const theory::BoundedLaw& law) {
        chernoff_.emplace(law);
        log_greatest_ = law.log_greatest;
    }

    /// Whether the theorem on lower tails speaks of it (docs/concentration.md): Z >= 0, and draws that are independent,
    /// or orthogonal with a Z that depends on the direction by exp of one coordinate. The pair covariance of these is
    /// known.
    bool has_lower_tail(const features::MechanismInfo& info, const features::MechanismWithMoments& mechanism) const {
        return info.positive &&
               (iid_ || (orthogonal_ && mechanism.covariance(pair_, sampling::Coupling::orthogonal).has_value()));
    }

    double lower_tail(const std::string& bound, Index count, double error) const {
        const double share = error / mean_;
        return bound == "lower_tail" ? theory::log_lower_tail(count, share, log_ratio_)
                                     : theory::log_lower_tail_sharper(count, share, log_ratio_);
    }

    theory::BoundedLaw exponential_law() const {
        return in_units_of_kernel(theory::generalized_exponential_law(d_, *a_, pair_.plus, pair_.norms()),
                                  pair_.log_kernel());
    }

    double theorem_20(const std::string& bound, Index count, double error) const {
        // These widths are 1 at least: an error below double's range is nothing beside them.
        const double absolute = error * std::exp(pair_.log_kernel());
        if (bound == "theorem_20_printed")
            return theory::log_theorem_20_printed(d_, count, absolute, *a_, pair_.norms());
        if (bound == "theorem_20") return theory::log_theorem_20(d_, count, absolute, *a_, pair_.norms());
        // Hoeffding's bound needs no more than the width of what Z lies in, which is known exactly at a pair.
        return theory::log_hoeffding(count, error, std::exp(exponential_law().log_greatest));
    }

    double theorem_8(const std::string& bound, Index count, double error) const {
        const auto subtracted = bound == "theorem_8_printed" ? theory::log_subtracted_theorem_8_printed
                                : bound == "theorem_8"       ? theory::log_subtracted_theorem_8
                                                             : theory::log_subtracted_sharper;
        // The forms differ in what they take off the moments of independent draws. They know Z, and phi of it.
        return chernoff_->log_bound(
            count, mean_ + error,
            [&](Index m, double log_phi) {
                return subtracted(d_, m, log_phi - pair_.log_kernel(), pair_.plus, pair_.norms());
            },
            d_);
    }

    const features::Pair& pair_;
    Index d_;
    bool iid_, orthogonal_, trigonometric_, regularized_;
    std::optional<double> a_;
    double mean_;
    bool lower_;
    double log_ratio_;  // of (E Z)^2 to E Z^2
    std::optional<theory::Chernoff> chernoff_;
    double log_greatest_ = none;  // Z / K, where that is bounded
};

/// Chebyshev's bound on |K^ - K| >= error K from the exact variance and bias; NaN where the variance has no closed
/// form.
double mean_square_bound(const features::MechanismWithMoments& mechanism, const features::Pair& pair,
                         const sampling::Scheme& scheme, Index count, double error) {
    const auto log_variance = features::estimator_log_variance(mechanism, pair, scheme, count);
    if (!log_variance) return std::numeric_limits<double>::quiet_NaN();
    const double bias = std::expm1(mechanism.moments(pair).log_mean - pair.log_kernel());
    return std::min(1.0, (std::exp(*log_variance - 2 * pair.log_kernel()) + bias * bias) / (error * error));
}

/// `count`: draws of each of the estimates, which are the same for all errors.
store::Dataset compute(const MethodChoice& choice, const sampling::Scheme& scheme, const NamedPair& named, Index count,
                       const Axis<double>& errors, double spread, std::int64_t repeats, const Stream& seed) {
    const auto mechanism = choice->mechanism()->fit_with_moments(fitting_statistics(named, spread, seed.child("fit")));
    const features::Pair pair(named.x, named.y);
    // Estimates and errors are in units of K, which is 0 in double where points are far from each other.
    const double log_kernel = pair.log_kernel(), mean = std::exp(mechanism->moments(pair).log_mean - log_kernel);
    const Bounds bounds(choice->mechanism()->info, *mechanism, pair, scheme);

    const std::vector<std::string> axes{"error"};
    store::Variable exceed{"exceed", axes, {}, "", "estimates with |K^ - K| >= error K"};
    store::Variable over{"above", axes, {}, "", "estimates with K^ > E K^ + error K"};
    store::Variable under{"below", axes, {}, "", "estimates with K^ <= E K^ - error K"};
    std::vector<store::Variable> bounded;
    for (const TailBound& bound : tail_bounds()) bounded.push_back({bound.variable, axes, {}, "", bound.title});
    const Stream own =
        seed.child(choice.label).child(scheme.name).child(named.label).child(static_cast<std::uint64_t>(count));
    std::vector<double> estimates =
        features::drawn_estimates(*mechanism, pair, scheme, count, repeats, own, log_kernel);
    if (std::any_of(estimates.begin(), estimates.end(), [](double one) { return std::isnan(one); }))
        throw NotFinite(
            "an estimate comes out as nan: the points are so large that their squares or exponentials leave "
            "the range of double");
    std::vector<double> distances;
    distances.reserve(estimates.size());
    for (const double estimate : estimates) distances.push_back(std::abs(estimate - 1));
    // Sorted once: how many are beyond an error is then a bisection, with >= and > as in the theorems.
    std::sort(estimates.begin(), estimates.end());
    std::sort(distances.begin(), distances.end());
    for (const double error : errors) {
        const auto first = std::lower_bound(distances.begin(), distances.end(), error);
        const auto higher = std::upper_bound(estimates.begin(), estimates.end(), mean + error);
        exceed.values.push_back(static_cast<double>(distances.end() - first));
        over.values.push_back(static_cast<double>(estimates.end() - higher));
        const auto lower = std::upper_bound(estimates.begin(), estimates.end(), mean - error);
        under.values.push_back(static_cast<double>(lower - estimates.begin()));
        for (store::Variable& bound : bounded)
            bound.values.push_back(bound.name == "chebyshev" ? mean_square_bound(*mechanism, pair, scheme, count, error)
                                                             : std::exp(bounds.log_bound(bound.name, count, error)));
    }
    store::Dataset result;
    result.axes = {errors.stored()};
    result.variables = {{"kernel", {}, {std::exp(log_kernel)}, "", "K(x, y)"},
                        {"trials", {}, {static_cast<double>(repeats)}, "", "drawn estimates"},
                        exceed,
                        over,
                        under};
    for (store::Variable& bound : bounded) result.variables.push_back(std::move(bound));
    return result;
}

struct Pairs {
    Axis<NamedPair> axis;
    std::vector<std::string> notes;
};

/// Those that are given, then those of sources.
Pairs pair_axis(const config::Value& config, const Stream& seed) {
    Pairs all{{"pair", {}, {}, "", "points x and y", {"pairs", "points", "point_pairs"}}, {}};
    std::vector<std::string> labels;
    const auto add = [&](NamedPair pair, std::string content, const config::Value& place) {
        if (std::find(labels.begin(), labels.end(), pair.label) != labels.end())
            place.refuse("the label '" + pair.label + "' is taken by an earlier pair; give this one another");
        labels.push_back(pair.label);
        all.axis.values.push_back(std::move(pair));
        all.axis.contents.push_back(std::move(content));
    };
    if (config.has("pairs"))
        for (const config::Value& entry : config.at("pairs").items())
            add(named_pair(entry), config::canonical_flow(entry), entry);
    if (config.has("points")) {
        // Pairs that were given read no data, and yet need an entry each.
        all.axis.data.resize(labels.size());
        const auto sources = point_sources(Key{config, "points"}, {"points", {}, {}, "", ""}, seed.child("points"));
        const auto& names = std::get<std::vector<std::string>>(sources.axis.labels);
        for (std::size_t i = 0; i < sources.axis.size(); ++i)
            for (std::int64_t n = 1; n <= config.at("point_pairs").integer(); ++n) {
                const PointSourcePtr& source = sources.axis.values[i];
                // Pair n is keyed by its number: to ask for more of them leaves the first as they are.
                const Stream own = seed.child("points").child(draw_key(names[i])).child(static_cast<std::uint64_t>(n));
                const PointSets one = source->draw(own, 1);
                add({fmt::format("{} {}", names[i], n), one.x.row(0), one.y.row(0), names[i], source},
                    sources.axis.contents[i], config.at("points"));
                all.axis.data.push_back(sources.axis.data[i]);
            }
        all.notes = sources.notes;
    }
    if (labels.empty()) config.refuse("pairs are missing: list some under 'pairs', or sources of them under 'points'");
    all.axis.labels = labels;
    return all;
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const auto schemes = sampling_axis(config, compared.values);
    const Stream seed = study_stream(config, "concentration/tail");
    const auto [pairs, notes] = pair_axis(config, seed);
    const auto draws = whole_axis("draws", Key{config, "draws"}, "M of omega");
    // Inside a cell: its estimates are drawn once for all errors.
    const auto errors = axis("error", config.at("errors").numbers(), "error in units of K");
    const double spread = config.at("spread").number();
    const std::int64_t repeats = config.at("repeats").integer();

    Sweep sweep = Sweep::over(compared, schemes, pairs, draws);
    sweep.keep = [=](const Point& at) { return is_measured_at(at[compared], at[schemes]); };
    // A draw's map, and of every estimate itself and its distance from K.
    Index d = 0;
    for (const NamedPair& pair : pairs) d = std::max(d, pair.x.size());
    const Index most = *std::max_element(draws.begin(), draws.end());
    sweep.bytes = map_bytes(d, most) + 2 * static_cast<double>(repeats) * sizeof(double);
    sweep.notes = notes;
    // A bound is missing where its theorem says nothing.
    sweep.finite_but.emplace();
    for (const TailBound& bound : tail_bounds()) sweep.finite_but->push_back(bound.variable);
    sweep.compute = [=, pairs = pairs](const Point& at) {
        const MethodChoice& choice = at[compared];
        return compute(choice, scheme_at(choice, at[schemes]), at[pairs], at[draws], errors, spread, repeats, seed);
    };
    return sweep;
}

}  // namespace

Study tail_study() {
    return {"concentration",
            "tail",
            "probability of an error of a kernel estimate, beside the papers' bounds",
            "Likhosherstov 2022, Theorems 2, 8 and 20",
            2,
            taken,
            keys,
            prepare,
            tail_report};
}

}  // namespace rfbench::experiments
