// Theorem 7: how far the mean of regularized features is below the kernel, K_reg / K, against d and |x + y|^2, on which
// alone it depends; beside the printed bound, ours, and the limit of d (1 - K_reg / K).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/verdict_report.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/theory/bounds.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("dimensions", integers(1, 1048576), "d"),
        required("square_sums", numbers(above(0).at_most(1000)), "|x + y|^2"),
    };
}

Sweep prepare(const config::Value& config) {
    const auto dimensions = whole_axis("dimension", Key{config, "dimensions"}, "d");
    const auto square_sums = axis("square_sum", Key{config, "square_sums"}, "|x + y|^2");
    Sweep sweep = Sweep::over(dimensions, square_sums);
    sweep.compute = [=](const Point& at) -> store::Dataset {
        const Index d = at[dimensions];
        const double q = at[square_sums], log_ratio = theory::log_kernel_ratio(d, q);
        return {{},
                {{"log_ratio", {}, {log_ratio}, "", "log K_reg / K"},
                 {"scaled_gap", {}, {-static_cast<double>(d) * std::expm1(log_ratio)}, "", "d (1 - K_reg / K)"},
                 {"limit", {}, {0.25 * q * q}, "", "what d (1 - K_reg / K) tends to: |x + y|^4 / 4"},
                 {"theorem_7_printed", {}, {theory::kernel_ratio_theorem_7_printed(d)}, "", "1 - 2 d^(-1/3)"},
                 {"theorem_7", {}, {theory::kernel_ratio_theorem_7(d, q)}, "", "1 - |x + y|^4 / (4 d)"}},
                {}};
    };
    return sweep;
}

/// Values of a variable at one |x + y|^2 against d.
std::vector<double> against_dimension(const store::Dataset& data, const char* variable, double square_sum) {
    return report::slice(data, variable, {{"square_sum", square_sum}}).values;
}
std::vector<double> ratios(const store::Dataset& data, double square_sum) {
    std::vector<double> values = against_dimension(data, "log_ratio", square_sum);
    for (double& value : values) value = std::exp(value);
    return values;
}

/// 1 - K_reg / K against d, a panel a |x + y|^2, with what both bounds allow. On a logarithmic axis a rate is a slope.
report::Figure gaps(const store::Dataset& data) {
    const auto& square_sums = report::numbers(data, "square_sum");
    const auto& dimensions = report::numbers(data, "dimension");
    report::Figure figure{.name = "bias",
                          .title = "Bias of regularized features",
                          .caption =
                              "1 - K_reg / K against d, and the most that Theorem 7 as printed (2 d^(-1/3), to first "
                              "order in d) and our bound (|x + y|⁴ / (4 d), for every d) allow.",
                          .columns = static_cast<int>(std::min<std::size_t>(3, square_sums.size()))};
    for (const double q : square_sums) {
        report::Panel panel{.title = fmt::format("|x + y|² = {}", q)};
        panel.x = {.label = "d", .log = true};
        panel.y = {.label = "1 - K_reg / K", .log = true};
        const auto allowed = [&](const char* bound) {
            std::vector<double> values = against_dimension(data, bound, q);
            for (double& value : values) value = 1 - value;
            return values;
        };
        std::vector<double> gap = against_dimension(data, "log_ratio", q);
        for (double& value : gap) value = -std::expm1(value);
        panel.series = {{"exact", dimensions, gap},
                        {"Theorem 7 as printed", dimensions, allowed("theorem_7_printed")},
                        {"for every d", dimensions, allowed("theorem_7")}};
        figure.panels.push_back(panel);
    }
    return figure;
}

/// A row a |x + y|^2: from which d on each bound is below the ratio, and how near the limit is.
report::Table verdicts(const store::Dataset& data) {
    using report::number_column, report::word_column;
    const report::Format three{report::Format::Kind::significant, 3};
    report::Table table{.name = "bias",
                        .caption = "K_reg / K, the mean of regularized features over the kernel, and Theorem 7.",
                        .columns = {{"|x + y|²"},
                                    number_column("K_reg / K at the least d", three),
                                    number_column("at the greatest", {report::Format::Kind::significant, 6}),
                                    number_column("d (1 - K_reg / K) there", three),
                                    number_column("limit", three),
                                    {"1 - 2 d^(-1/3) from d"},
                                    word_column("1 - |x + y|⁴ / (4 d)"),
                                    word_column("K_reg <= K")}};
    const auto& dimensions = report::numbers(data, "dimension");
    for (const double q : report::numbers(data, "square_sum")) {
        const auto ratio = ratios(data, q), printed = against_dimension(data, "theorem_7_printed", q),
                   ours = against_dimension(data, "theorem_7", q);
        // The printed bound speaks of large d: the first d from which on it is never violated.
        std::size_t from = ratio.size();
        while (from > 0 && ratio[from - 1] >= printed[from - 1]) --from;
        // Values are exact: at each d the bound is violated or not.
        std::vector<decisions::Evidence> above_ours, below_one;
        for (std::size_t i = 0; i < ratio.size(); ++i) {
            using decisions::Relation, decisions::exact_evidence;
            above_ours.push_back(
                exact_evidence(ratio[i], {.relation = Relation::not_below, .low = ours[i], .high = 0}));
            below_one.push_back(exact_evidence(ratio[i], {.relation = Relation::not_above, .low = 0, .high = 1}));
        }
        const auto verdict = [](const std::vector<decisions::Evidence>& cells) {
            const auto violated =
                std::count_if(cells.begin(), cells.end(), [](const auto& one) { return one.p_against == 0; });
            const std::string word = verdict_words({cells}, true, 0.05).front();
            return violated == 0 ? word : fmt::format("{} at {} d", word, violated);
        };
        table.rows.push_back(
            {{q, ratio.front(), ratio.back(), against_dimension(data, "scaled_gap", q).back(), 0.25 * q * q,
              from == ratio.size() ? report::Entry("at no d here") : report::Entry(dimensions[from]),
              verdict(above_ours), verdict(below_one)}});
    }
    table.notes = {
        "Theorem 7 as printed is for d that grows: the column says from which d of the sweep on it holds. Below d = 8 "
        "it is no more than 0."};
    return table;
}

Report report_of(const store::Dataset& data) { return {{gaps(data)}, {verdicts(data)}}; }

}  // namespace

Study bias_study() {
    return {"variance",
            "bias",
            "mean of regularized features over the kernel, beside the bounds on it",
            "Likhosherstov 2022, Theorem 7",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
