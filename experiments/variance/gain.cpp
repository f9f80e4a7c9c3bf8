// Figure 6.2: how much smaller the variance of optimal positive features is than that of positive ones, against
// |x + y|^2. The ratio depends on |x + y|^2 and d alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "report/reduction.hpp"
#include "report/verdict_report.hpp"
#include "rfbench/report/slice.hpp"
#include "study/method_identity.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::moments},
                      .sampling = EntrySampling::exact,
                      .default_methods = "[positive, optimal-positive]"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(1, 4096), "d"),
        required("square_sums", numbers(above(0).at_most(10000)), "|x + y|^2"),
        defaulted("blocks", integer(1, 64), "1", "M / d, of entries with a sampling: what it gains depends on it"),
    };
}

/// log M Var of the estimator of M draws by the entry's sampling; without one they are independent, and it is that of
/// one draw.
double log_variance(const MethodChoice& choice, const Vector& x, Index count) {
    // Fitted to the very pair, so that each method is at its best there.
    const auto fitted = choice->mechanism()->fit_with_moments(features::statistics(x.transpose(), x.transpose()));
    const features::Pair pair(x, x);
    if (choice.sampling == nullptr) return fitted->moments(pair).log_variance;
    return features::estimator_log_variance(*fitted, pair, *choice.sampling, count).value() +
           std::log(static_cast<double>(count));
}

/// Variance of each method over that of the first, in the order of the list.
store::Dataset compute(const MethodChoice& first, const Axis<MethodChoice>& others, Index dimension,
                       const std::vector<double>& square_sums, Index blocks) {
    const Index count = blocks * dimension;
    store::Variable log_ratio{
        "log_ratio", {"method", "square_sum"}, {}, "", "log of the variance over that of " + first.label};
    for (const MethodChoice& other : others)
        for (const double q : square_sums) {
            Vector x = Vector::Zero(dimension);
            // x = y with |x + y|^2 = q.
            x[0] = 0.5 * std::sqrt(q);
            log_ratio.values.push_back(log_variance(other, x, count) - log_variance(first, x, count));
        }
    return {{others.stored(), {"square_sum", square_sums, "", "|x + y|^2"}}, {log_ratio}, {}};
}

Sweep prepare(const config::Value& config) {
    auto compared = methods(config, taken);
    if (compared.size() < 2)
        config.at("methods").refuse("two methods are wanted: the first, and one to compare with it");
    const MethodChoice first = compared.front();
    const auto others = method_axis({compared.begin() + 1, compared.end()}, "compared with " + first.label);
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    // Methods are inside a cell, since all are divided by the first; square sums, since they are closed forms.
    Sweep sweep = Sweep::over(dimensions);
    sweep.attributes = {{"first_method", first.label}, {"blocks", std::to_string(whole(config, "blocks"))}};
    // The second moments of x and of y. Fits of the dense mechanisms decompose them, in up to nine times as much.
    const double d = static_cast<double>(*std::max_element(dimensions.begin(), dimensions.end()));
    sweep.bytes = 2 * d * d * sizeof(double);
    sweep.compute = [=, square_sums = config.at("square_sums").numbers(), blocks = whole(config, "blocks")](
                        const Point& at) { return compute(first, others, at[dimensions], square_sums, blocks); };
    return sweep;
}

/// Number that Figure 6.2 is said to show for d = 64 at |x + y|^2 = 100.
constexpr double printed_log_ratio = -60, printed_dimension = 64, printed_square_sum = 100;

const std::string& first_of(const store::Dataset& data) { return data.attributes.at("first_method"); }

/// Whether Figure 6.2 speaks of this method's gain.
bool printed(const store::Dataset& data, const std::string& method) {
    return is_of(data, {"variance/gain.yaml"}) && label_of_plain(data, "positive") == first_of(data) &&
           label_of_plain(data, "optimal-positive") == method;
}

/// A panel a method, a curve a dimension.
report::Figure curves(const store::Dataset& data) {
    const auto& compared = report::words(data, "method");
    report::Figure figure{.name = "gain",
                          .title = compared.size() > 1
                                       ? "Variance over that of " + first_of(data)
                                       : fmt::format("Variance of {} over {}", compared.front(), first_of(data)),
                          .caption =
                              "Natural log of the variance over that of the first method, at x = y, against |x + y|². "
                              "Below zero the variance is smaller.",
                          .columns = static_cast<int>(std::min<std::size_t>(2, compared.size()))};
    if (printed(data, compared.front()))
        figure.caption += " That of optimal-positive over positive features depends on nothing else but d.";
    for (const std::string& method : compared) {
        report::Panel panel{.title = compared.size() > 1 ? method : ""};
        panel.x = {.label = "|x + y|²"};
        panel.y = {.label = "ln of the ratio of variances"};
        for (const double dimension : report::numbers(data, "dimension")) {
            const auto slice = report::slice(data, "log_ratio", {{"dimension", dimension}, {"method", method}});
            panel.series.push_back({fmt::format("d = {}", dimension), slice.numbers("square_sum"), slice.values});
        }
        if (printed(data, method)) panel.horizontal = {{printed_log_ratio, "printed for\nd = 64 at 100"}};
        figure.panels.push_back(panel);
    }
    return figure;
}

/// Rows a method and dimension, columns some of the |x + y|^2; the printed claim beside what it speaks of.
report::Table claims(const store::Dataset& data) {
    report::Table table{
        .name = "gain",
        .caption = "Natural log of the variance over that of " + first_of(data) + " features, at x = y.",
        .columns = {report::word_column("method"), {"d"}}};
    const auto& square_sums = report::numbers(data, "square_sum");
    std::vector<std::size_t> shown;
    // Those of the round numbers that the grid has.
    for (const double wanted : {5.0, 25.0, 50.0, printed_square_sum})
        for (std::size_t i = 0; i < square_sums.size(); ++i)
            if (std::abs(square_sums[i] - wanted) < 1e-9) shown.push_back(i);
    for (const std::size_t i : shown)
        table.columns.push_back(
            report::number_column(fmt::format("|x + y|² = {}", square_sums[i]), report::decimals(2)));
    const auto& methods = report::words(data, "method");
    const bool any_printed =
        std::any_of(methods.begin(), methods.end(), [&](const std::string& method) { return printed(data, method); });
    if (any_printed) {
        table.columns.push_back({"printed, at 100: below"});
        table.columns.push_back(report::word_column("verdict"));
    }
    for (const std::string& method : report::words(data, "method"))
        for (const double dimension : report::numbers(data, "dimension")) {
            const auto slice = report::slice(data, "log_ratio", {{"dimension", dimension}, {"method", method}});
            report::Row row{{method, dimension}, dimension == report::numbers(data, "dimension").front()};
            for (const std::size_t i : shown) row.entries.emplace_back(slice.values[i]);
            const bool claimed = printed(data, method) && dimension == printed_dimension && !shown.empty() &&
                                 square_sums[shown.back()] == printed_square_sum;
            if (claimed) {
                const auto evidence = decisions::exact_evidence(
                    slice.values[shown.back()],
                    {.relation = decisions::Relation::below, .low = 0, .high = printed_log_ratio});
                row.entries.emplace_back(printed_log_ratio);
                row.entries.emplace_back(verdict_words({{evidence}}, false, 0.05).front());
            } else if (any_printed) {
                row.entries.insert(row.entries.end(), 2, report::Missing{});
            }
            table.rows.push_back(row);
        }
    if (any_printed)
        table.notes = {
            "Printed: Likhosherstov 2022, Figure 6.2: more than e^60 times smaller at d = 64, |x + y|² = 100. It holds "
            "where the exact value at |x + y|² = 100 is below it, with no margin."};
    const auto all = method_identities(data);
    if (std::any_of(all.begin(), all.end(), [](const MethodIdentity& one) { return !one.sampling.empty(); }))
        table.notes.push_back(
            fmt::format("Of methods with a sampling of their own: M times the exact variance of M = {} d draws.",
                        data.attributes.at("blocks")));
    return table;
}

Report report_of(const store::Dataset& data) { return {{curves(data)}, {claims(data)}}; }

}  // namespace

Study gain_study() {
    return {"variance",
            "gain",
            "variance of optimal positive over positive features against |x + y|^2",
            "Likhosherstov 2022, Figure 6.2",
            2,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
