// LUNA's sampling error for channel functions psi that stay as they are: phi(w, x) = gain psi(w.x), w ~ N(0, I), and
// the mean of m products phi(w_i, x) phi(w_i, y): how often it is off, and its mean square, beside Propositions 8 to 11
// and Corollaries 1 and 2, printed and corrected.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "report/verdict_report.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/proportion.hpp"
#include "rfbench/theory/learned_bounds.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

/// psi with its Lipschitz constant and its least upper bound, infinite where it has none.
struct Channel {
    using Value = double (*)(double);
    const char* name;
    Value value;
    double sup, lipschitz;
};
const std::vector<Channel>& channels() {
    static const std::vector<Channel> all{
        {"sigmoid", [](double z) { return 1 / (1 + std::exp(-z)); }, 1, 0.25},
        {"tanh", [](double z) { return std::tanh(z); }, 1, 1},
        {"cos", [](double z) { return std::cos(z); }, 1, 1},
        {"clip", [](double z) { return std::clamp(z, -1.0, 1.0); }, 1, 1},
        {"relu", [](double z) { return std::max(z, 0.0); }, HUGE_VAL, 1},
        {"elu-plus-one", [](double z) { return z > 0 ? z + 1 : std::exp(z); }, HUGE_VAL, 1},
        {"identity", [](double z) { return z; }, HUGE_VAL, 1},
        {"ten-plus", [](double z) { return 10 + z; }, HUGE_VAL, 1},
    };
    return all;
}
const Channel& channel(const std::string& name) {
    return *std::find_if(channels().begin(), channels().end(), [&](const Channel& one) { return name == one.name; });
}
std::vector<std::string> channel_names() {
    std::vector<std::string> names;
    for (const Channel& one : channels()) names.emplace_back(one.name);
    return names;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("functions", one_or_more(one_of(channel_names())), "psi; ten-plus: 10 + z"),
        required("gains", numbers(above(0).at_most(100)), "psi is times this"),
        defaulted("norms", list_of(real(above(0).at_most(20)), 2, Repetition::allowed), "[1, 1]", "[|x|, |y|]"),
        defaulted("angle", real(between(0, 180)), "40", "between x and y, in degrees"),
        required("draws", integers(1, 65536), "m"),
        required("errors", numbers(above(0).at_most(1e3)),
                 "errors of which the probability is wanted, over the standard deviation of the estimate"),
        required("repeats", integer(10, 10'000'000), "drawn estimates a point"),
    };
}

struct Setting {
    double x, y, angle;  ///< |x|, |y|, radians
};

/// E f(w.x, w.y), by quadrature over two independent normal coordinates up to `reach` from zero.
template <int points = 60, class F>
double over_normals(const Setting& at, F f, int reach = 9) {
    using Rule = boost::math::quadrature::gauss<double, points>;
    const auto density = [](double u) { return std::exp(-0.5 * u * u) / std::sqrt(2 * M_PI); };
    // Halves and pieces, as psi may have corners at 0 and at 1.
    const auto line = [&](auto g) {
        double sum = 0;
        for (int piece = -reach; piece < reach; ++piece) sum += Rule::integrate(g, piece, piece + 1);
        return sum;
    };
    return line([&](double u) {
        return density(u) * line([&](double v) {
                   return density(v) * f(at.x * u, at.y * (std::cos(at.angle) * u + std::sin(at.angle) * v));
               });
    });
}

/// inf K with E exp(|f| / K) <= 2, by bisection from `low`, or below it, to `high`, which is one of these K.
template <class F>
double orlicz_norm(const Setting& at, F f, double low, double high) {
    // At the norm the integrand falls more slowly than the density: like exp(-w^2 / 8) for w^2 itself.
    constexpr int reach = 16;
    const auto within = [&](double norm) {
        return over_normals<20>(
                   at, [&](double a, double b) { return std::exp(std::abs(f(a, b)) / norm); }, reach) <= 2;
    };
    // The norm of a bounded f may be far below a bound by Lipschitz constants.
    while (within(low)) {
        high = low;
        low /= 1000;
    }
    for (int step = 0; step < 30; ++step) {
        const double middle = (low + high) / 2;
        (within(middle) ? high : low) = middle;
    }
    return high;
}

store::Dataset compute(const Channel& psi, double gain, const Setting& at, Index count, const Axis<double>& errors,
                       std::int64_t repeats, const Stream& stream) {
    const double square_gain = gain * gain;
    const auto product = [&](double a, double b) { return square_gain * psi.value(a) * psi.value(b); };
    const double mean = over_normals(at, product);
    const double variance = over_normals(at, [&](double a, double b) { return std::pow(product(a, b) - mean, 2); });
    const double m = static_cast<double>(count), deviation = std::sqrt(variance / m);

    std::vector<double> distances;
    double square = 0;
    Eigen::MatrixXd normals(2, count);
    for (const Index r : parallel::Parts(repeats)) {
        fill_normal(stream.child(static_cast<std::uint64_t>(r)), normals);
        double sum = 0;
        for (Index i = 0; i < count; ++i)
            sum += product(at.x * normals(0, i),
                           at.y * (std::cos(at.angle) * normals(0, i) + std::sin(at.angle) * normals(1, i)));
        distances.push_back(std::abs(sum / m - mean));
        square += distances.back() * distances.back();
    }
    std::sort(distances.begin(), distances.end());

    const bool bounded = std::isfinite(psi.sup);
    const theory::FeatureSize x{gain * psi.sup, gain * psi.lipschitz * at.x},
        y{gain * psi.sup, gain * psi.lipschitz * at.y};
    const auto mean_of = [&](bool second) {
        return gain * over_normals(at, [&](double a, double b) { return psi.value(second ? b : a); });
    };
    const theory::UnboundedFeature of_x{x.lipschitz, mean_of(false)}, of_y{y.lipschitz, mean_of(true)};

    const double norm_bound = theory::product_norm(of_x, of_y);
    const double norm = orlicz_norm(at, product, norm_bound / 1000, norm_bound);

    const std::vector<std::string> axes{"error"};
    store::Variable exceed{"exceed", axes, {}, "", "estimates that are off by the error or more"};
    store::Variable lemma{"lemma_9_printed", axes, {}, "", "Corollary 1 with the constant of Lemma 9 as printed"};
    store::Variable nine{"proposition_9_printed", axes, {}, "", "the same with that of Proposition 9 as printed"};
    store::Variable corrected{"corrected", axes, {}, "", "the same with the Lipschitz constant of the product"};
    store::Variable ten{"exponent_printed", axes, {}, "", "exponent of Proposition 10 as printed, no constant"};
    store::Variable scaled{"exponent", axes, {}, "", "exponent of Proposition 10 corrected, no constant"};
    for (const double error : errors) {
        const double absolute = error * deviation;
        exceed.values.push_back(
            static_cast<double>(distances.end() - std::lower_bound(distances.begin(), distances.end(), absolute)));
        const auto bound = [&](double lipschitz) {
            return bounded ? std::min(1.0, std::exp(theory::log_gaussian_concentration(count, absolute, lipschitz)))
                           : NAN;
        };
        lemma.values.push_back(bound(theory::product_lipschitz_lemma_9(x, y)));
        nine.values.push_back(bound(theory::product_lipschitz_proposition_9(x, y)));
        corrected.values.push_back(bound(theory::product_lipschitz(x, y)));
        ten.values.push_back(
            theory::sub_exponential_exponent(count, absolute, theory::product_scale_proposition_10(of_x, of_y)));
        scaled.values.push_back(theory::sub_exponential_exponent(count, absolute, theory::product_scale(of_x, of_y)));
    }
    const double printed =
        bounded ? theory::mean_square_39_printed(count, theory::product_lipschitz_proposition_9(x, y)) : NAN;
    const double proved = bounded ? theory::mean_square_proposition_8(count, theory::product_lipschitz(x, y)) : NAN;
    return {{errors.stored()},
            {{"trials", {}, {static_cast<double>(repeats)}, "", "drawn estimates"},
             {"mean", {}, {mean}, "", "the learned kernel, E phi(w, x) phi(w, y)"},
             {"exact_mean_square", {}, {variance / m}, "", "E error^2, by quadrature"},
             {"mean_square", {}, {square / static_cast<double>(repeats)}, "", "mean of drawn squared errors"},
             {"mean_square_printed", {}, {printed}, "", "(39) as printed: L / m"},
             {"mean_square_corrected", {}, {proved}, "", "(39) by Proposition 8: L^2 / m"},
             {"norm", {}, {norm}, "", "inf K with E exp(|product| / K) <= 2, by quadrature"},
             {"norm_printed", {}, {theory::product_norm_proposition_11(of_x, of_y)}, "", "Proposition 11 as printed"},
             {"norm_corrected", {}, {norm_bound}, "", "the same with the norm of w, and with means"},
             exceed,
             lemma,
             nine,
             corrected,
             ten,
             scaled},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto functions = word_axis("function", Key{config, "functions"}, "psi");
    const auto gains = axis("gain", Key{config, "gains"}, "factor of psi");
    const auto draws = whole_axis("draws", Key{config, "draws"}, "m");
    // Inside a cell: its estimates are drawn once for all errors.
    const auto errors = axis("error", config.at("errors").numbers(), "error over the standard deviation");
    const auto& norms = config.at("norms").items();
    if (norms.size() != 2) config.at("norms").refuse("two norms are wanted, [|x|, |y|]");
    const Setting at_pair{norms[0].number(), norms[1].number(), config.at("angle").number() * M_PI / 180};
    const std::int64_t repeats = config.at("repeats").integer();
    const Stream seed = study_stream(config, "concentration/learned");
    Sweep sweep = Sweep::over(functions, gains, draws);
    // Bounds on bounded features say nothing of others.
    sweep.finite_but = {"mean_square_printed", "mean_square_corrected", "lemma_9_printed", "proposition_9_printed",
                        "corrected"};
    sweep.compute = [=](const Point& at) {
        // Gains draw the same estimates, up to scale.
        return compute(channel(at[functions]), at[gains], at_pair, at[draws], errors, repeats,
                       seed.child(at[functions]).child(static_cast<std::uint64_t>(at[draws])));
    };
    return sweep;
}

report::Fixed place(const std::string& function, double gain, double draws) {
    return {{"function", function}, {"gain", gain}, {"draws", draws}};
}
std::vector<double> at_place(const store::Dataset& data, const char* variable, const report::Fixed& fixed) {
    return report::slice(data, variable, fixed).values;
}

/// Bounded functions: shares above each bound, and mean squares over what (39) allows.
report::Table bounded_table(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    report::Table table{.name = "learned-bounded",
                        .caption =
                            "Bounded channel functions: errors of the probability at which a bound is violated, "
                            "and m E error² beside (39).",
                        .columns = {report::word_column("function"),
                                    {"gain"},
                                    {"points"},
                                    {"Lemma 9 violated"},
                                    {"Proposition 9 violated"},
                                    {"corrected violated"},
                                    report::number_column("m E error²", two),
                                    report::number_column("(39) printed", two),
                                    report::number_column("(39) corrected", two),
                                    report::word_column("verdict, printed")}};
    for (const std::string& function : report::words(data, "function"))
        for (const double gain : report::numbers(data, "gain")) {
            double points = 0, violated[3] = {0, 0, 0};
            const char* const bounds[] = {"lemma_9_printed", "proposition_9_printed", "corrected"};
            for (const double draws : report::numbers(data, "draws")) {
                const auto fixed = place(function, gain, draws);
                const auto exceed = at_place(data, "exceed", fixed);
                const auto trials = static_cast<std::uint64_t>(at_place(data, "trials", fixed).front());
                for (std::size_t e = 0; e < exceed.size(); ++e) {
                    ++points;
                    const double low =
                        statistics::clopper_pearson(static_cast<std::uint64_t>(exceed[e]), trials, 0.9999).low;
                    for (int b = 0; b < 3; ++b) violated[b] += low > at_place(data, bounds[b], fixed)[e];
                }
            }
            const double m = report::numbers(data, "draws").front();
            const auto fixed = place(function, gain, m);
            const double square = m * at_place(data, "exact_mean_square", fixed).front(),
                         printed = m * at_place(data, "mean_square_printed", fixed).front(),
                         proved = m * at_place(data, "mean_square_corrected", fixed).front();
            if (std::isnan(proved)) continue;
            table.rows.push_back(
                {{function, gain, points, violated[0], violated[1], violated[2], square, printed, proved,
                  verdict_words({{decisions::exact_evidence(
                                    square, {.relation = decisions::Relation::not_above, .low = 0, .high = printed})}},
                                true, 0.05)
                      .front()},
                 gain == report::numbers(data, "gain").front()});
        }
    table.notes = {
        "Points: m and errors. Violated: the lower end of the 99.99 % Clopper-Pearson interval is above the "
        "bound. m E error² is exact."};
    return table;
}

/// Unbounded functions: the greatest absolute constant that Proposition 10 could have, by m.
report::Table unbounded_table(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    report::Table table{.name = "learned-constant",
                        .caption =
                            "The greatest c for which 2 exp(-c exponent) is not below the measured probability of "
                            "an error, over all errors: an absolute constant must serve every function, gain and "
                            "m.",
                        .columns = {report::word_column("function"),
                                    {"gain"},
                                    {"m"},
                                    report::number_column("printed", two),
                                    report::number_column("corrected", two)}};
    for (const std::string& function : report::words(data, "function"))
        for (const double gain : report::numbers(data, "gain"))
            for (const double draws : report::numbers(data, "draws")) {
                const auto fixed = place(function, gain, draws);
                const auto exceed = at_place(data, "exceed", fixed);
                const double trials = at_place(data, "trials", fixed).front();
                const auto constant = [&](const char* variable) {
                    const auto exponents = at_place(data, variable, fixed);
                    double least = NAN;
                    for (std::size_t e = 0; e < exceed.size(); ++e)
                        if (exceed[e] > 0 && exponents[e] > 0)
                            least = std::fmin(least, std::log(2 * trials / exceed[e]) / exponents[e]);
                    return least;
                };
                table.rows.push_back({{function, gain, draws, constant("exponent_printed"), constant("exponent")},
                                      draws == report::numbers(data, "draws").front()});
            }
    table.notes = {"From shares of draws: of rare errors c is known to their sampling error alone."};
    return table;
}

/// Orlicz norms beside Proposition 11; gains only scale all of them, m has no part in them.
report::Table norm_table(const store::Dataset& data) {
    const report::Format three{report::Format::Kind::significant, 3};
    report::Table table{.name = "learned-norm",
                        .caption =
                            "Orlicz norm of a product, inf K with E exp(|product| / K) ≤ 2, beside Proposition 11, "
                            "over gain².",
                        .columns = {report::word_column("function"), report::number_column("norm", three),
                                    report::number_column("printed", three), report::number_column("corrected", three),
                                    report::word_column("printed holds")}};
    const double gain = report::numbers(data, "gain").front();
    for (const std::string& function : report::words(data, "function")) {
        const auto fixed = place(function, gain, report::numbers(data, "draws").front());
        const auto of = [&](const char* variable) { return at_place(data, variable, fixed).front() / (gain * gain); };
        table.rows.push_back({{function, of("norm"), of("norm_printed"), of("norm_corrected"),
                               of("norm") <= of("norm_printed") ? "yes" : "no"}});
    }
    table.notes = {
        "Printed: the product of the Lipschitz constants. Corrected: (√(8/3) L + |mean| / √(log 2)) of each."};
    return table;
}

/// Probabilities against the error with the bounds, a panel a function; the first gain, the most draws.
report::Figure tails_figure(const store::Dataset& data) {
    report::Figure figure{.name = "learned-tails",
                          .title = "Errors of learned kernels",
                          .caption =
                              "Share of estimates that are off by a number of standard deviations, at the first "
                              "gain and the largest m, with bounds of bounded functions.",
                          .columns = 2};
    const auto& errors = report::numbers(data, "error");
    for (const std::string& function : report::words(data, "function")) {
        const auto fixed =
            place(function, report::numbers(data, "gain").front(), report::numbers(data, "draws").back());
        report::Panel panel{.title = function};
        panel.x = {.label = "error / standard deviation"};
        panel.y = {.label = "probability", .log = true, .range = {{1e-5, 2.0}}};
        std::vector<double> shares = at_place(data, "exceed", fixed);
        const double trials = at_place(data, "trials", fixed).front();
        for (double& share : shares) share /= trials;
        panel.series.push_back({"drawn", errors, shares});
        const std::pair<const char*, const char*> bounds[] = {{"Lemma 9 as printed", "lemma_9_printed"},
                                                              {"Proposition 9 as printed", "proposition_9_printed"},
                                                              {"corrected", "corrected"}};
        for (const auto& [title, variable] : bounds)
            if (const auto values = at_place(data, variable, fixed); !report::all_missing(values))
                panel.series.push_back({title, errors, values});
        figure.panels.push_back(panel);
    }
    return figure;
}

Report report_of(const store::Dataset& data) {
    return {{tails_figure(data)}, {bounded_table(data), unbounded_table(data), norm_table(data)}};
}

}  // namespace

Study concentration_learned_study() {
    return {"concentration",
            "learned",
            "errors of learned kernels with frozen channel functions, beside the paper's bounds",
            "Shahbazi et al. 2025, Propositions 8 to 11, Corollaries 1 and 2",
            2,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
