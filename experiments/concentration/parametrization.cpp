// LUNA's parametrization error: networks of one hidden layer in place of the channels (cos, sin) of random Fourier
// features, and the kernel gain^2 exp(-|x - y|^2 / 2) that they then make on a ball, against their hidden units.
// Nothing is drawn: expectations are integrals. Beside Propositions 4 to 6, printed and corrected.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "rfbench/report/slice.hpp"
#include "rfbench/theory/learned_bounds.hpp"
#include "rfbench/theory/shallow_network.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

/// A way to build a network, and whether the paper clips it.
struct Construction {
    using Build = theory::ShallowNetwork (*)(double reach, Index hidden);
    const char* name;
    Build build;
    bool clipped;
};
constexpr Construction constructions[] = {{"sigmoid", theory::sigmoid_steps, true},
                                          {"relu", theory::relu_interpolation, true},
                                          {"relu-tapered", theory::tapered_interpolation, false}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<std::string> names;
    for (const Construction& one : constructions) names.emplace_back(one.name);
    return {
        required(
            "networks", one_or_more(one_of(names)),
            "sigmoid: steps (Proposition 4); relu: interpolation, constant beyond (5); relu-tapered: down to zero (6)"),
        required("gains", numbers(above(0).at_most(100)), "h, a constant"),
        required("reaches", numbers(above(0).at_most(8)), "|w| up to which the network is fitted: A"),
        required("hidden", integers(2, 65536), "hidden units"),
        defaulted("radius", real(above(0).at_most(10)), "2", "of the ball of x and y"),
        defaulted("dimension", integer(2, 4096), "2", "of the ball: it decides P(w not in A) alone"),
    };
}

struct Setting {
    double radius;
    Index dimension;
};

/// Largest |psi - psi_NN| over [-reach, reach].
double largest_error(const theory::ShallowNetwork& network, double reach) {
    const Vector at = Vector::LinSpaced(20'001, -reach, reach);
    Points difference = network(at);
    difference.col(0) -= at.array().cos().matrix();
    difference.col(1) -= at.array().sin().matrix();
    return difference.rowwise().norm().maxCoeff();
}

/// Values at radius times `norms` times the nodes, by norm.
std::vector<theory::NormalNodes::Channels> values_by_norm(const theory::NormalNodes& nodes,
                                                          const std::vector<double>& norms,
                                                          const theory::ShallowNetwork& network, double clip) {
    std::vector<theory::NormalNodes::Channels> values;
    for (const double norm : norms)
        values.push_back(nodes.channels(network(norm * nodes.nodes()).array().max(-clip).min(clip)));
    return values;
}

/// Largest |k - k_NN| over pairs, for gain 1.
double kernel_error(const theory::NormalNodes& nodes, const std::vector<double>& norms,
                    const std::vector<theory::NormalNodes::Channels>& values) {
    constexpr double cosines[] = {1, 0.75, 0.5, 0.25, 0, -0.5, -1};
    double largest = 0;
    for (std::size_t i = 0; i < norms.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (const double cosine : cosines) {
                const double square = norms[i] * norms[i] + norms[j] * norms[j] - 2 * norms[i] * norms[j] * cosine;
                largest =
                    std::max(largest, std::abs(nodes.product(values[i], values[j], cosine) - std::exp(-square / 2)));
            }
    return largest;
}

/// Largest E |psi - psi_NN|^2 over x.
double mean_square(const theory::NormalNodes& nodes, const std::vector<double>& norms,
                   const std::vector<theory::NormalNodes::Channels>& values) {
    double largest = 0;
    for (std::size_t i = 0; i < norms.size(); ++i) {
        const auto at = norms[i] * nodes.nodes().array();
        const Vector squares = (values[i].values.col(0).array() - at.cos()).square() +
                               (values[i].values.col(1).array() - at.sin()).square();
        largest = std::max(largest, nodes.mean(squares));
    }
    return largest;
}

store::Dataset compute(const Construction& construction, double gain, double reach, Index hidden,
                       const Setting& setting) {
    const theory::NormalNodes nodes;
    std::vector<double> norms;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) norms.push_back(share * setting.radius);
    const double covered = reach * setting.radius;
    const auto network = construction.build(covered, hidden);
    // sup |psi| = 1, sup |h psi| = gain.
    const auto by_norm = [&](double clip) {
        return values_by_norm(nodes, norms, network, construction.clipped ? clip : HUGE_VAL);
    };
    const auto values = by_norm(1);
    const double square = mean_square(nodes, norms, values), error = largest_error(network, covered);
    const double outside = boost::math::gamma_q(static_cast<double>(setting.dimension) / 2, reach * reach / 2);
    const theory::Parametrization of{error, gain, 1, 2, outside};
    // All over k(x, x) = gain^2.
    const auto bound = [&](double mean_square) {
        return theory::parametrization_error(mean_square, gain * gain) / (gain * gain);
    };
    const auto scalar = [](const char* name, double value, const char* description) {
        return store::Variable{name, {}, {value}, "", description};
    };
    return {{},
            {scalar("channel_error", error, "epsilon: largest |psi - psi_NN| where the network is fitted"),
             scalar("error", kernel_error(nodes, norms, values), "largest |k - k_NN| / k(x, x), M = sup |psi|"),
             scalar("error_printed", kernel_error(nodes, norms, by_norm(gain)), "the same for M = sup |h psi|"),
             scalar("bound_24", bound(gain * gain * square), "(24), from the exact E |phi - phi_NN|^2"),
             scalar("bound_printed", bound(theory::parametrization_square_printed(of)),
                    "(24) with (26) to (29) as printed"),
             scalar("bound_corrected", bound(theory::parametrization_square(of)), "(24) with (26) to (29) corrected")},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto networks = word_axis("network", Key{config, "networks"}, "what stands for the channels");
    const auto gains = axis("gain", Key{config, "gains"}, "h");
    const auto reaches = axis("reach", Key{config, "reaches"}, "|w| up to which the network is fitted");
    const auto hidden = whole_axis("hidden", Key{config, "hidden"}, "hidden units");
    const Setting setting{config.at("radius").number(), whole(config, "dimension")};
    Sweep sweep = Sweep::over(networks, gains, reaches, hidden);
    sweep.finite_but.emplace();
    sweep.compute = [=](const Point& at) {
        const auto* found = std::find_if(std::begin(constructions), std::end(constructions),
                                         [&](const Construction& one) { return at[networks] == one.name; });
        return compute(*found, at[gains], at[reaches], at[hidden], setting);
    };
    return sweep;
}

std::vector<double> curve(const store::Dataset& data, const char* variable, const std::string& network, double gain,
                          double reach) {
    return report::slice(data, variable, {{"network", network}, {"gain", gain}, {"reach", reach}}).values;
}

/// How many of these values are above those.
double count_above(const std::vector<double>& values, const std::vector<double>& bounds) {
    double count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) count += values[i] > bounds[i];
    return count;
}

report::Table table_of(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 2};
    report::Table table{.name = "parametrization",
                        .caption =
                            "Networks in place of (cos, sin): largest error of the kernel over k(x, x) at the fewest "
                            "and the most hidden "
                            "units, and at how many numbers of units it is above its bound.",
                        .columns = {report::word_column("network"),
                                    {"h"},
                                    {"reach"},
                                    report::number_column("error, fewest", two),
                                    report::number_column("error, most", two),
                                    report::number_column("corrected bound, most", two),
                                    {"corrected violated"},
                                    report::number_column("error, M printed", two),
                                    report::number_column("printed bound, most", two),
                                    {"printed violated"}}};
    for (const std::string& network : report::words(data, "network"))
        for (const double gain : report::numbers(data, "gain"))
            for (const double reach : report::numbers(data, "reach")) {
                const auto of = [&](const char* variable) { return curve(data, variable, network, gain, reach); };
                const auto error = of("error"), corrected = of("bound_corrected"), clipped = of("error_printed"),
                           printed = of("bound_printed");
                table.rows.push_back(
                    {{network, gain, reach, error.front(), error.back(), corrected.back(),
                      count_above(error, corrected), clipped.back(), printed.back(), count_above(clipped, printed)},
                     gain == report::numbers(data, "gain").front() && reach == report::numbers(data, "reach").front()});
            }
    table.notes = {
        "The proof of Proposition 4 clips psi_NN at M = sup |h psi|, below sup |psi| where h < 1. relu-tapered is not "
        "clipped."};
    return table;
}

/// Error against hidden units at the first gain, a panel a reach.
report::Figure figure_of(const store::Dataset& data) {
    report::Figure figure{.name = "parametrization",
                          .title = "Kernels of networks in place of (cos, sin)",
                          .caption =
                              "Largest error of the kernel over k(x, x) against hidden units, at the first h; dashed: "
                              "the corrected bound.",
                          .columns = 2};
    const double gain = report::numbers(data, "gain").front();
    for (const double reach : report::numbers(data, "reach")) {
        report::Panel panel{.title = fmt::format("fitted up to |w| = {}", reach)};
        panel.x = {.label = "hidden units", .log = true};
        panel.y = {.label = "error / k(x, x)", .log = true};
        for (const std::string& network : report::words(data, "network")) {
            panel.series.push_back(
                {network, report::numbers(data, "hidden"), curve(data, "error", network, gain, reach)});
            panel.series.push_back({network + ", bound", report::numbers(data, "hidden"),
                                    curve(data, "bound_corrected", network, gain, reach)});
            panel.series.back().style = report::Style::reference;
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

Report report_of(const store::Dataset& data) { return {{figure_of(data)}, {table_of(data)}}; }

}  // namespace

Study parametrization_study() {
    return {"concentration",
            "parametrization",
            "error of kernels whose channels are networks, against their hidden units",
            "Shahbazi et al. 2025, Propositions 2 and 4 to 6",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
