// rfbench recommend: which features to take, by result files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "rfbench/claims/expression.hpp"
#include "rfbench/claims/judge.hpp"
#include "rfbench/decisions/ranking.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

using statistics::confidence;

/// A use of features and the results that tell which are good at it.
struct Use {
    const char *name, *configuration;
    std::vector<const char*> variables;  ///< names in the expression are a, b, ...
    const char *expression, *over, *words;
    bool larger_is_better;
    double overlap = 0;
};

const std::vector<Use>& uses() {
    static const std::vector<Use> all{
        {"kernel",
         "attention/mechanisms",
         {"relative_kernel_error"},
         "a",
         "repeat",
         "relative error of the matrix exp(q.k / sqrt d)",
         false},
        {"attention",
         "attention/mechanisms",
         {"relative_output_error"},
         "a",
         "repeat",
         "relative error of attention's output",
         false},
        {"regression",
         "regression/mechanisms",
         {"test_accuracy", "validation_accuracy"},
         "mean(chosen(a, b, gamma), dataset)",
         "split",
         "accuracy, mean over data sets",
         true,
         0.05 / 0.9},
        {"text",
         "training/text",
         {"bits_per_character"},
         "a",
         "seed",
         "bits per character, trained from scratch",
         false},
        {"recall",
         "training/recall",
         {"accuracy"},
         "mean(a, pairs)",
         "seed",
         "share of questions, trained from scratch",
         true},
    };
    return all;
}

const Use& use_of(const std::string& name) {
    for (const Use& use : uses())
        if (name == use.name) return use;
    throw InputError("recommend: unknown use " + name);  // the command line has checked it
}

/// The label of a kind of heads, "d = 16, sd 0.5", that is nearest by the ratios of dimension and scale.
std::string nearest_head(const store::Axis& axis, double dimension, double scale) {
    const auto distance = [&](const std::string& label) {
        double d = 0, sd = 0;
        if (std::sscanf(label.c_str(), "d = %lf, sd %lf", &d, &sd) != 2) return std::numeric_limits<double>::infinity();
        return std::abs(std::log(d / dimension)) + std::abs(std::log(sd / scale));
    };
    const auto& labels = std::get<std::vector<std::string>>(axis.labels);
    return *std::min_element(labels.begin(), labels.end(),
                             [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
}

/// The most columns that the budget allows.
double affordable(const store::Axis& axis, double budget) {
    const auto& columns = std::get<std::vector<double>>(axis.labels);
    double best = NAN;
    for (const double one : columns)
        if (one <= budget && !(one <= best)) best = one;
    if (std::isnan(best))
        throw InputError(
            fmt::format("recommend: the results have no fewer columns than {:g}; --columns {:g} is too few",
                        *std::min_element(columns.begin(), columns.end()), budget));
    return best;
}

/// The labels at which results are looked at: the kind of heads and the columns that are nearest to what was asked for.
std::vector<claims::Part> place_of(const store::Dataset& data, const store::Variable& variable,
                                   const RecommendOptions& asked) {
    std::vector<claims::Part> parts;
    const auto fix = [&](const char* axis, report::Label label) {
        claims::Part part{axis, {std::move(label)}};
        part.fixed = true;
        parts.push_back(part);
    };
    for (const std::string& axis : variable.axes) {
        if (axis == "head") fix("head", nearest_head(data.axis(axis), asked.dimension, asked.scale));
        if (axis == "columns") fix("columns", affordable(data.axis(axis), asked.columns));
    }
    return parts;
}

/// A label, and the options that chose it.
std::string place_text(const claims::Part& part, const RecommendOptions& asked) {
    const std::string label =
        std::visit([](const auto& value) { return fmt::format("{}", value); }, part.labels.front().value);
    if (part.axis == "columns") return fmt::format("{} columns (at most --columns {:g})", label, asked.columns);
    return fmt::format("heads of {} (nearest to --d {:g} --sd {:g})", label, asked.dimension, asked.scale);
}

std::string name_of(const std::vector<store::Axis>& axes, std::size_t at) {
    std::string name;
    for (std::size_t k = axes.size(); k-- > 0;) {
        const std::size_t place = at % axes[k].size();
        at /= axes[k].size();
        // An axis of one label, and a method's own sampling, say nothing.
        const auto* words = std::get_if<std::vector<std::string>>(&axes[k].labels);
        if (axes[k].size() == 1 || words == nullptr || (*words)[place] == "own") continue;
        name = (*words)[place] + (name.empty() ? "" : ", " + name);
    }
    return name;
}

/// Contenders with a value at every repeat; the others are counted.
std::vector<decisions::Contender> contenders(const claims::Lines& lines, std::size_t& left_out) {
    std::vector<decisions::Contender> all;
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        const auto& values = lines.values[i];
        const auto missing = std::count_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
        if (missing == 0) all.push_back({name_of(lines.axes, i), values});
        left_out += missing > 0 && missing < static_cast<std::ptrdiff_t>(values.size());
    }
    return all;
}

/// Softmax attention itself and what uses no features are no answers.
bool is_answer(const std::string& name) {
    return name != "exact" && name != "softmax" && name != "majority" && name != "copy";
}

/// The share of denominators that are not positive, where the results have it.
std::map<std::string, double> shares(const store::Dataset& data, const RecommendOptions& asked, const char* over) {
    std::map<std::string, double> result;
    for (const store::Variable& variable : data.variables) {
        if (variable.name != "nonpositive") continue;
        const claims::Array array = claims::values({"", "nonpositive", place_of(data, variable, asked)}, data);
        const claims::Lines lines = claims::lines(array, over);
        for (std::size_t i = 0; i < lines.values.size(); ++i) {
            double sum = 0;
            for (const double one : lines.values[i]) sum += one;
            result[name_of(lines.axes, i)] = sum / static_cast<double>(lines.values[i].size());
        }
    }
    return result;
}

report::Table table_of(const Use& use, const std::vector<decisions::Ranked>& ranked,
                       const std::map<std::string, double>& not_positive) {
    report::Table table{.name = "recommended", .columns = {report::word_column("method")}};
    for (const char* title : {"value", "behind the best"}) table.columns.push_back(report::number_column(title, {}));
    for (const char* title : {"verdict", "against it"}) table.columns.push_back(report::word_column(title));
    for (std::size_t k = 0; k < ranked.size() && k < 3; ++k) {
        const decisions::Ranked& one = ranked[k];
        const auto share = not_positive.find(one.name);
        const std::string against =
            share != not_positive.end() && share->second > 0
                ? fmt::format("{:.2g} % of its denominators are not positive", 100 * share->second)
                : "";
        report::Entry behind = report::Missing{};
        if (k > 0) behind = report::Estimate{one.behind, one.behind_half_width};
        table.rows.push_back({{one.name, report::Estimate{one.mean, one.half_width}, behind,
                               k == 0      ? "the best"
                               : one.level ? "level"
                                           : "behind",
                               against}});
    }
    const auto level = std::count_if(ranked.begin() + 1, ranked.end(), [](const auto& one) { return one.level; });
    table.caption = fmt::format("By {}: {}.", use.configuration, use.words);
    table.notes = {
        fmt::format(
            "Of {} other methods {} {} level with the best: differences from it, paired by {}, are not shown at "
            "5 % for all of them together (Holm 1979).",
            ranked.size() - 1, level, level == 1 ? "is" : "are", use.over),
        fmt::format("All of them: rfbench table {0}; figures: rfbench plot {0}.", use.configuration)};
    return table;
}

}  // namespace

std::vector<std::string> recommended_uses() {
    std::vector<std::string> names;
    for (const Use& use : uses()) names.emplace_back(use.name);
    return names;
}

namespace {

void check_there(const Use& use, const RecommendOptions& asked, const std::filesystem::path& file) {
    if (std::filesystem::exists(file)) return;
    if (!asked.reference)
        throw InputError(fmt::format("recommend: there are no results {}; 'rfbench run {}' makes them", file.string(),
                                     use.configuration));
    std::vector<std::string> there;
    for (const Use& other : uses())
        if (std::filesystem::exists(asked.results / (std::string(other.configuration) + ".h5")))
            there.emplace_back(other.name);
    throw InputError(
        fmt::format("recommend: results of {} do not come with rfbench, those for {} do; run 'rfbench run {}', then "
                    "'rfbench recommend {}' without --reference",
                    use.configuration, fmt::join(there, " and "), use.configuration, use.name));
}

}  // namespace

int recommend(const RecommendOptions& asked) {
    const Use& use = use_of(asked.use);
    const auto file = asked.results / (std::string(use.configuration) + ".h5");
    check_there(use, asked, file);
    const store::Dataset data = store::read(file);
    claims::Names names;
    std::string at;
    for (std::size_t k = 0; k < use.variables.size(); ++k) {
        const auto parts = place_of(data, data.variable(use.variables[k]), asked);
        names[std::string(1, static_cast<char>('a' + k))] = claims::values({"", use.variables[k], parts}, data);
        at.clear();
        for (const claims::Part& part : parts) at += (at.empty() ? "" : ", ") + place_text(part, asked);
    }
    std::size_t left_out = 0;
    auto all = contenders(claims::lines(claims::Expression(use.expression).value(names), use.over), left_out);
    std::erase_if(all, [](const auto& one) { return !is_answer(one.name); });
    if (all.empty()) throw InputError(fmt::format("recommend: {} has no method with a value there", file.string()));
    if (left_out > 0) std::cerr << fmt::format("note: {} methods lack values of some repeats\n", left_out);
    if (!at.empty()) fmt::print("At {}.\n", at);
    const auto ranked = decisions::ranking(all, use.larger_is_better, use.overlap, confidence);
    fmt::print("{}", report::terminal(table_of(use, ranked, shares(data, asked, use.over))));
    return success;
}

}  // namespace rfbench::cli
