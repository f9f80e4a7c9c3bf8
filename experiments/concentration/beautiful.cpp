// Theorems 9 to 11 and 19 beyond their instances: for power series G without negative coefficients and isotropic omega
// of several lengths, what orthogonal draws take off the variance and off E exp(phi sum Z), exactly, beside what the
// theorems say they take off at least.
#include "rfbench/theory/beautiful.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/slice.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

using theory::BeautifulFunction;
using theory::Lengths;

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const BeautifulFunction& one : theory::beautiful_functions()) names.push_back(one.name);
    return names;
}

const BeautifulFunction& function_of(const std::string& name) {
    const auto& all = theory::beautiful_functions();
    return *std::find_if(all.begin(), all.end(), [&](const BeautifulFunction& one) { return one.name == name; });
}

/// Laws of |omega|, all with E |omega|^2 = d.
Lengths lengths_of(const std::string& law, Index d) {
    if (law == "constant") return theory::constant_length(d);
    if (law == "gaussian") return theory::chi_length(d, static_cast<double>(d));
    if (law == "chi-1") return theory::chi_length(d, 1);
    if (law == "log-normal") return theory::log_normal_length(d, 0.5);
    return theory::two_lengths(d, 0.1);
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("functions", one_or_more(one_of(function_names())), "G"),
        required("lengths", one_or_more(one_of({"constant", "gaussian", "chi-1", "two-point", "log-normal"})),
                 "law of |omega|, E |omega|^2 = d: sqrt(d); chi(d); chi(1) sqrt(d); 0 or sqrt(10 d); log-normal"),
        required("dimensions", integers(3, 4096), "d"),
        required("norms", numbers(above(0).at_most(10)), "|z|"),
        defaulted("phis", numbers(above(0).at_most(100)), "[0.1, 0.3, 1, 3]", "phi of Theorem 10, over E Z"),
    };
}

store::Dataset compute(const std::string& name, const std::string& law, Index d, double norm,
                       const Axis<double>& phis) {
    const BeautifulFunction& function = function_of(name);
    const Lengths lengths = lengths_of(law, d);
    const theory::BeautifulMoments moments = theory::beautiful_moments(function, lengths, d, norm);
    const Axis<Index> draws = whole_axis("draws", {2, 3}, "M");
    const std::vector<std::string> axes{"draws", "phi"};
    store::Variable gap{"gap", axes, {}, "", "1 - E exp(phi sum Z) / E exp(phi Z)^M, orthogonal over independent"};
    store::Variable printed{"theorem_10_printed", axes, {}, "", "what Theorem 10 takes off as printed, likewise"};
    store::Variable proved{"theorem_10", axes, {}, "", "what it takes off with a_1^4, likewise"};
    parallel::Parts parts(static_cast<Index>(draws.size() * phis.size()));
    for (const Index count : draws)
        for (const double relative : phis) {
            const double phi = relative / moments.mean;
            // A theorem about E exp(phi Z) speaks of bounded Z alone, and the first form has coefficients of one
            // argument.
            const bool spoken = lengths.bounded && std::isfinite(phi) && name != "tilted";
            const auto both = spoken ? theory::generating_functions(function, lengths, d, count, norm, phi)
                                     : theory::GeneratingFunctions{NAN, NAN};
            const double whole = std::isfinite(both.independent) ? both.independent : NAN;
            gap.values.push_back((both.independent - both.orthogonal) / whole);
            printed.values.push_back(theory::subtracted_theorem_10_printed(function, lengths, d, count, norm, phi) /
                                     whole);
            proved.values.push_back(theory::subtracted_theorem_10(function, lengths, d, count, norm, phi) / whole);
            parts.done();
        }
    return {{draws.stored(), phis.stored()},
            {{"mean", {}, {moments.mean}, "", "F(z) = E Z"},
             {"variance", {}, {moments.variance}, "", "Var Z"},
             {"reduction", {}, {moments.reduction}, "", "(E Z)^2 - E Z_1 Z_2 of two draws at right angles"},
             {"theorem_11", {}, {theory::min_reduction(moments, d)}, "", "the least that Theorems 11 and 19 say it is"},
             gap,
             printed,
             proved},
            {}};
}

Sweep prepare(const config::Value& config) {
    const auto functions = word_axis("function", Key{config, "functions"}, "G");
    const auto laws = word_axis("lengths", Key{config, "lengths"}, "law of |omega|");
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto norms = axis("norm", Key{config, "norms"}, "|z|");
    // Inside a cell, as all share the moments.
    const auto phis = axis("phi", config.at("phis").numbers(), "phi E Z");
    Sweep sweep = Sweep::over(functions, laws, dimensions, norms);
    // Missing where E Z is infinite, or beyond double's range.
    sweep.finite_but = {"mean", "variance", "reduction", "theorem_11", "gap", "theorem_10_printed", "theorem_10"};
    sweep.compute = [=](const Point& at) { return compute(at[functions], at[laws], at[dimensions], at[norms], phis); };
    return sweep;
}

report::Fixed place(const std::string& function, const std::string& law) {
    return {{"function", function}, {"lengths", law}};
}

/// The reduction over what Theorem 11 says, against d, a panel a law of lengths.
report::Figure looseness(const store::Dataset& data) {
    report::Figure figure{.name = "beautiful",
                          .title = "What orthogonal draws take off the variance, over Theorems 11 and 19",
                          .caption =
                              "(E Z)² - E Z₁Z₂ over 2 (F(z) - F(0))² / (d + 2), at the least |z|. At 1 the bound is "
                              "attained; it is never below. A function has no curve where its mean is infinite.",
                          .columns = 3};
    const double norm = report::numbers(data, "norm").front();
    for (const std::string& law : report::words(data, "lengths")) {
        report::Panel panel{.title = law};
        panel.x = {.label = "d", .log = true};
        panel.y = {.label = "reduction / bound", .log = true};
        for (const std::string& function : report::words(data, "function")) {
            const auto fixed = report::joined(place(function, law), {{"norm", norm}});
            const auto reduction = report::slice(data, "reduction", fixed).values,
                       bound = report::slice(data, "theorem_11", fixed).values;
            report::Series series{function, report::numbers(data, "dimension"), {}};
            for (std::size_t i = 0; i < reduction.size(); ++i) series.y.push_back(reduction[i] / bound[i]);
            if (!report::all_missing(series.y)) panel.series.push_back(series);
        }
        figure.panels.push_back(panel);
    }
    return figure;
}

/// Points where a bound says more than holds, and the least and largest value over bound.
struct Judged {
    double points = 0, violated = 0, least = NAN, largest = NAN;

    void add(double value, double bound) {
        // Differences of quadratures are known to 1e-9 of what they are differences of; they are over that.
        if (std::isnan(value) || std::isnan(bound)) return;
        ++points;
        violated += value < bound * (1 - 1e-9) - 1e-9;
        if (bound > 0 && value > 1e-9) {
            least = std::fmin(least, value / bound);
            largest = std::fmax(largest, value / bound);
        }
    }
    report::Entry ratio(double value) const { return std::isnan(value) ? report::Entry(report::Missing{}) : value; }
};

report::Table verdicts(const store::Dataset& data) {
    const report::Format two{report::Format::Kind::significant, 3};
    report::Table table{
        .name = "beautiful",
        .caption = "Exact reductions by orthogonal draws beside Theorems 10, 11 and 19.",
        .columns = {report::word_column("function"), report::word_column("lengths"),
                    report::number_column("Theorem 11: points", two), report::number_column("violated", two),
                    report::number_column("exact / bound, least", two), report::number_column("most", two),
                    report::number_column("Theorem 10: points", two), report::number_column("printed violated", two),
                    report::number_column("corrected violated", two),
                    report::number_column("exact / corrected, least", two)}};
    for (const std::string& function : report::words(data, "function"))
        for (const std::string& law : report::words(data, "lengths")) {
            const auto values = [&](const char* variable) {
                return report::slice(data, variable, place(function, law)).values;
            };
            const auto reduction = values("reduction"), bound = values("theorem_11"), gap = values("gap"),
                       printed = values("theorem_10_printed"), proved = values("theorem_10"), mean = values("mean");
            Judged eleven, in_print, corrected;
            for (std::size_t i = 0; i < reduction.size(); ++i)
                eleven.add(reduction[i] / (mean[i] * mean[i]), bound[i] / (mean[i] * mean[i]));
            for (std::size_t i = 0; i < gap.size(); ++i) {
                in_print.add(gap[i], printed[i]);
                corrected.add(gap[i], proved[i]);
            }
            if (eleven.points == 0) continue;
            const bool ten = corrected.points > 0;
            const auto where_ten = [&](double value) {
                return ten ? report::Entry(value) : report::Entry(report::Missing{});
            };
            table.rows.push_back(
                {{function, law, eleven.points, eleven.violated, eleven.ratio(eleven.least),
                  eleven.ratio(eleven.largest), where_ten(corrected.points), where_ten(in_print.violated),
                  where_ten(corrected.violated), corrected.ratio(corrected.least)},
                 law == report::words(data, "lengths").front()});
        }
    table.notes = {
        "Points: d and |z|, for Theorem 10 also M and phi. All values are exact to 1e-9 of the mean (of E exp(phi "
        "Z)^M), "
        "so that a violation is one. Theorem 10 takes nothing off where a_1 = 0, and speaks of bounded Z alone."};
    return table;
}

Report report_of(const store::Dataset& data) { return {{looseness(data)}, {verdicts(data)}}; }

}  // namespace

Study beautiful_study() {
    return {"concentration",
            "beautiful",
            "gain of orthogonal draws for other functions and lengths than features have",
            "Likhosherstov 2022, Theorems 9, 10, 11 and 19",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
