// The largest error of the attention matrix over the entries for L rows of length R, and over all rows in a ball of
// radius R: how many features it takes to bring it below eps, against d, R and L (Theorems 2, 4 and 21).
#include <algorithm>
#include <cmath>
#include <limits>

#include "concentration/uniform_report.hpp"
#include "rfbench/features/uniform_error.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/statistics/crossing.hpp"
#include "rfbench/theory/uniform_bounds.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// The ball is searched for trigonometric, positive and optimal positive features.
const MethodKey taken{.abilities = {Ability::kernel}, .samplings = true};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(2, 1024), "d"),
        required("radii", numbers(above(0).at_most(10)), "length of all rows of Q and K, in the unit below"),
        defaulted("radius_unit", one_of({"d^(1/4)", "d^(1/2)"}), "d^(1/4)",
                  "d^(1/4): R^2/sqrt(d) is the same for every d; d^(1/2): R/sqrt(d) is"),
        required("lengths", integers(1, 8192), "L; the rows of a shorter sequence are the first of a longer one"),
        required("draws", integers(1, 1'000'000), "M of omega, between which the number needed is interpolated"),
        required("errors", numbers(above(0).at_most(1e6)), "eps, for the largest entry of |A^ - A|"),
        defaulted("confidence", real(above(0).below(1)), "0.9", "share of estimates that must reach eps"),
        defaulted("repeats", integer(2, 1'000), "6",
                  "groups of estimates; intervals come from the scatter between them"),
        defaulted("estimates", integer(2, 10'000), "10", "of rows and features, in each repeat"),
    };
}

struct Setting {
    // Inside a cell: shorter sequences are parts of the longest, and between draws the number needed is interpolated.
    Axis<Index> draws, lengths;
    Axis<double> errors;
    double confidence;
    std::uint64_t estimates;
};

/// L rows, uniform on the sphere of this radius.
Points sphere_rows(const Stream& stream, Index rows, Index d, double radius) {
    Projections directions(d, rows);
    fill_normal(stream, directions);
    directions.colwise().normalize();
    return radius * directions.transpose();
}

/// The largest error in the ball for one draw; NaN for the mechanisms it is not searched for.
double ball_error(const features::MechanismInfo& info, const features::Mechanism& mechanism, const features::Draw& draw,
                  double radius, const Stream& stream) {
    if (info.name == "trigonometric") return features::largest_trigonometric_error(draw.omega, radius, {}, stream);
    if (info.name == "positive") return features::largest_exponential_error(draw.omega, 0, radius, {}, stream);
    if (info.name != "optimal-positive") return missing;
    // Optimal positive features are generalized exponential ones with real A and t = +1, as the search needs them.
    const double a = std::get<double>(mechanism.parameters().find("A")->second);
    return features::largest_exponential_error(draw.omega, a, radius, {}, stream);
}

/// One cell: a mechanism and sampling at one d and (scaled) radius, in one repeat.
class Cell {
public:
    Cell(const MethodChoice& choice, const sampling::Scheme& scheme, Index d, double radius, const Setting& setting,
         const Stream& seed)
        : choice_(choice),
          scheme_(scheme),
          d_(d),
          radius_(radius),
          setting_(setting),
          seed_(seed.child(static_cast<std::uint64_t>(d))) {
        constexpr Index rows = 256;
        const Points x = sphere_rows(seed_.child("fit x"), rows, d, radius);
        const Points y = sphere_rows(seed_.child("fit y"), rows, d, radius);
        mechanism_ = choice->mechanism()->fit(features::statistics(x, y));
    }

    store::Dataset measure(std::uint64_t repeat) const {
        store::Variable matrix{"matrix_error",
                               {"draws", "length"},
                               {},
                               "",
                               "error that the stated share of estimates does not exceed, largest entry for L rows"};
        store::Variable ball{"ball_error", {"draws"}, {}, "", "the same over the whole ball, a lower bound"};
        parallel::Parts parts(static_cast<Index>(setting_.draws.size()));
        for (const Index count : setting_.draws) {
            const auto quantiles = error_quantiles(count, repeat);
            matrix.values.insert(matrix.values.end(), quantiles.begin(), quantiles.end() - 1);
            ball.values.push_back(quantiles.back());
            parts.done();
        }
        return dataset(matrix, ball);
    }

private:
    /// For every length and, last, for the ball.
    std::vector<double> error_quantiles(Index count, std::uint64_t repeat) const {
        std::vector<std::vector<double>> drawn(setting_.lengths.size() + 1);
        for (const Index number : parallel::Parts(static_cast<Index>(setting_.estimates))) {
            const auto r = static_cast<std::uint64_t>(number);
            // The rows are the same for every mechanism, sampling, radius and count.
            const Stream rows = seed_.child("rows").child(repeat).child(r);
            const Rows<float> x =
                sphere_rows(rows.child("x"), setting_.lengths.values.back(), d_, radius_).cast<float>();
            const Rows<float> y =
                sphere_rows(rows.child("y"), setting_.lengths.values.back(), d_, radius_).cast<float>();
            const Stream own = seed_.child(choice_.label)
                                   .child(scheme_.name)
                                   .child(repeat)
                                   .child(r)
                                   .child(static_cast<std::uint64_t>(count));
            const features::Draw draw = features::draw(*mechanism_, d_, count, scheme_, own.child("features"));
            const auto errors = features::largest_entry_errors(*mechanism_->map(draw), x, y, setting_.lengths.values);
            for (std::size_t l = 0; l < errors.size(); ++l) drawn[l].push_back(errors[l]);
            // Rows of the matrix are points of the ball.
            const double in_ball =
                ball_error(choice_->mechanism()->info, *mechanism_, draw, radius_, own.child("search"));
            drawn.back().push_back(std::isnan(in_ball) ? in_ball : std::max(in_ball, errors.back()));
        }
        std::vector<double> result;
        for (const auto& values : drawn)
            result.push_back(std::isnan(values.front()) ? missing
                                                        : statistics::empirical_quantile(values, setting_.confidence));
        return result;
    }

    store::Dataset dataset(const store::Variable& matrix, const store::Variable& ball) const {
        const std::size_t lengths = setting_.lengths.size(), counts = setting_.draws.size();
        store::Variable for_matrix{
            "matrix_features", {"error", "length"}, {}, "", "draws M at which matrix_error falls to the error"};
        store::Variable for_ball{"ball_features", {"error"}, {}, "", "draws M at which ball_error falls to it"};
        const auto& draws = std::get<std::vector<double>>(setting_.draws.labels);
        const auto needed = [&](double eps, auto error_at) {
            std::vector<double> errors;
            for (std::size_t k = 0; k < counts; ++k) errors.push_back(error_at(k));
            return statistics::log_crossing(draws, errors, eps);
        };
        for (const double eps : setting_.errors) {
            for (std::size_t l = 0; l < lengths; ++l)
                for_matrix.values.push_back(needed(eps, [&](std::size_t k) { return matrix.values[k * lengths + l]; }));
            for_ball.values.push_back(needed(eps, [&](std::size_t k) { return ball.values[k]; }));
        }
        store::Dataset result;
        result.axes = {setting_.draws.stored(), setting_.lengths.stored(), setting_.errors.stored()};
        result.variables = {matrix, ball, for_matrix, for_ball};
        for (store::Variable& promised : promises()) result.variables.push_back(std::move(promised));
        return result;
    }

    /// Bound of the theorem about this mechanism; NaN for other mechanisms.
    std::vector<store::Variable> promises() const {
        store::Variable printed{"printed_order", {"error"}, {}, "", "order of M by Theorem 4 or 21 as printed"};
        store::Variable corrected{"corrected_order", {"error"}, {}, "", "order of M by its proof"};
        store::Variable theorem_2{"theorem_2_features", {"error"}, {}, "", "M by Theorem 2 at this confidence"};
        // Theorems 4 and 21 speak of rows of Q and K, which are d^(1/4) times longer than x and y.
        const double norm = radius_ * std::pow(static_cast<double>(d_), 0.25);
        const bool trigonometric = choice_->mechanism()->info.name == "trigonometric";
        const features::Settings parameters = mechanism_->parameters();
        const double a =
            choice_->mechanism()->info.name == "optimal-positive" ? std::get<double>(parameters.find("A")->second) : 0;
        for (const double eps : setting_.errors) {
            printed.values.push_back(trigonometric ? theory::order_of_theorem_4_printed(d_, norm, eps)
                                     : a < 0       ? theory::order_of_theorem_21_printed(d_, norm, eps, a)
                                                   : missing);
            corrected.values.push_back(trigonometric ? theory::order_of_theorem_4(d_, norm, eps)
                                       : a < 0       ? theory::order_of_theorem_21(d_, norm, eps, a)
                                                     : missing);
            // An error of eps in A is one of eps exp(-radius^2) in K at worst.
            const double kernel_error = eps * std::exp(-radius_ * radius_);
            theorem_2.values.push_back(
                trigonometric && scheme_.coupling == sampling::Coupling::independent
                    ? theory::features_by_theorem_2(d_, radius_, kernel_error, 1 - setting_.confidence)
                    : missing);
        }
        return {printed, corrected, theorem_2};
    }

    const MethodChoice& choice_;
    const sampling::Scheme& scheme_;
    Index d_;
    double radius_;
    const Setting& setting_;
    Stream seed_;
    std::unique_ptr<features::Mechanism> mechanism_;
};

Axis<Index> sorted_axis(const char* name, std::vector<std::int64_t> values, const char* description) {
    std::sort(values.begin(), values.end());
    return whole_axis(name, values, description);
}

Sweep prepare(const config::Value& config) {
    const auto compared = method_axis(methods(config, taken));
    const auto schemes = sampling_axis(config, compared.values);
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto radii =
        axis("radius", Key{config, "radii"}, "length of the rows over " + config.at("radius_unit").text());
    const auto repeats = repeat_axis("repeat", Key{config, "repeats"}, "independent group of estimates");
    const bool root = config.at("radius_unit").text() == "d^(1/2)";
    const Setting setting{sorted_axis("draws", config.at("draws").integers(), "M of omega"),
                          sorted_axis("length", config.at("lengths").integers(), "rows L"),
                          axis("error", config.at("errors").numbers(), "eps, for the largest |A^ - A|"),
                          config.at("confidence").number(),
                          static_cast<std::uint64_t>(config.at("estimates").integer())};
    for (const MethodChoice& method : compared)
        for (const Index d : dimensions) method.require_dimension(d);
    const Stream seed = study_stream(config, "concentration/uniform");

    Sweep sweep = Sweep::over(compared, schemes, dimensions, radii, repeats);
    sweep.keep = [=](const Point& at) { return is_measured_at(at[compared], at[schemes]); };
    // Rows x and y, and their features, which may be complex.
    const Index d_most = *std::max_element(dimensions.begin(), dimensions.end());
    sweep.bytes = 2 * static_cast<double>(setting.lengths.values.back() * (d_most + 2 * setting.draws.values.back())) *
                  sizeof(float);
    sweep.compute = [=](const Point& at) {
        const MethodChoice& choice = at[compared];
        const Index d = at[dimensions];
        // Radius of x and y, which are rows over d^(1/4): a radius in that unit is theirs as it stands.
        const double scaled = at[radii] * (root ? std::pow(static_cast<double>(d), 0.25) : 1.0);
        return Cell(choice, scheme_at(choice, at[schemes]), d, scaled, setting, seed).measure(at[repeats]);
    };
    return sweep;
}

}  // namespace

Study uniform_study() {
    return {"concentration",
            "uniform",
            "features needed for an error of the attention matrix against d, R and L",
            "Likhosherstov 2022, Theorems 2, 4 and 21",
            1,
            taken,
            keys,
            prepare,
            uniform_report};
}

}  // namespace rfbench::experiments
