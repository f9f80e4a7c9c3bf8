// rfbench recommend: which features to take, by result files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <optional>

#include "recommend_uses.hpp"
#include "recommendation.hpp"
#include "rfbench/claims/expression.hpp"
#include "rfbench/claims/judge.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/critical_difference.hpp"
#include "rfbench/statistics/paired_test.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "single_figure.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

using statistics::confidence;
constexpr const char* data_sets = "dataset";

/// Kind of heads: their dimension, and the standard deviation of their coordinates.
struct HeadSize {
    double dimension = 0, scale = 0;
};

/// Those of a label, "d = 16, sd 0.5"; nothing for another label.
std::optional<HeadSize> head_size(const std::string& label) {
    HeadSize size;
    if (std::sscanf(label.c_str(), "d = %lf, sd %lf", &size.dimension, &size.scale) != 2) return {};
    return size;
}

/// The label of the kind of heads that is nearest by the ratios of dimension and scale.
std::string nearest_head(const store::Axis& axis, const RecommendOptions& asked) {
    const auto distance = [&](const std::string& label) {
        const auto size = head_size(label);
        if (!size) return std::numeric_limits<double>::infinity();
        return std::abs(std::log(size->dimension / asked.dimension)) + std::abs(std::log(size->scale / asked.scale));
    };
    const auto& labels = std::get<std::vector<std::string>>(axis.labels);
    return *std::min_element(labels.begin(), labels.end(),
                             [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
}

/// Whether the dimension and the scale that are asked for lie within those of the results.
bool is_within(const store::Axis& axis, const RecommendOptions& asked) {
    HeadSize least{HUGE_VAL, HUGE_VAL}, most;
    for (const std::string& label : std::get<std::vector<std::string>>(axis.labels))
        if (const auto size = head_size(label)) {
            least = {std::min(least.dimension, size->dimension), std::min(least.scale, size->scale)};
            most = {std::max(most.dimension, size->dimension), std::max(most.scale, size->scale)};
        }
    return least.dimension <= asked.dimension && asked.dimension <= most.dimension && least.scale <= asked.scale &&
           asked.scale <= most.scale;
}

/// Whether a variable has a number at these labels: networks are tuned at some numbers of columns alone.
bool is_measured(const store::Dataset& data, const store::Variable& variable, const std::vector<claims::Part>& parts) {
    const claims::Array array = claims::values({"", variable.name, parts}, data);
    return array.missing() < array.values.size();
}

claims::Part fixed_part(const std::string& axis, report::Label label) {
    claims::Part part{axis, {std::move(label)}};
    part.fixed = true;
    return part;
}

/// The most columns that the budget allows and that have values at these places; the most that it allows if none have.
double affordable(const store::Dataset& data, const store::Variable& variable, std::vector<claims::Part> places,
                  double budget) {
    std::vector<double> columns = std::get<std::vector<double>>(data.axis("columns").labels);
    std::sort(columns.begin(), columns.end(), std::greater<>());
    const auto most = std::find_if(columns.begin(), columns.end(), [&](double one) { return one <= budget; });
    if (most == columns.end())
        throw InputError(
            fmt::format("recommend: the results have no fewer columns than {:g}; --columns {:g} is too few",
                        columns.back(), budget));
    places.emplace_back();
    const auto best = std::find_if(most, columns.end(), [&](double one) {
        places.back() = fixed_part("columns", one);
        return is_measured(data, variable, places);
    });
    return best == columns.end() ? *most : *best;
}

/// The labels at which results are looked at: those of the use, and the kind of heads and the columns that are nearest
/// to what was asked for.
std::vector<claims::Part> place_of(const Use& use, const store::Dataset& data, const store::Variable& variable,
                                   const RecommendOptions& asked) {
    std::vector<claims::Part> parts;
    for (const std::string& axis : variable.axes) {
        if (axis == "head") parts.push_back(fixed_part(axis, nearest_head(data.axis(axis), asked)));
        for (const auto& [own, word] : use.at) {
            if (axis != own) continue;
            if (!report::has_word(data, axis, word))
                throw InputError(fmt::format("recommend: the results of {} have no {} '{}', which '{}' asks for",
                                             use.configuration, axis, word, use.name));
            parts.push_back(fixed_part(own, word));
        }
    }
    if (std::find(variable.axes.begin(), variable.axes.end(), "columns") != variable.axes.end())
        parts.push_back(fixed_part("columns", affordable(data, variable, parts, asked.columns)));
    return parts;
}

/// A label, and the options that chose it.
std::string place_text(const claims::Part& part, const store::Dataset& data, const RecommendOptions& asked) {
    const std::string label =
        std::visit([](const auto& value) { return fmt::format("{}", value); }, part.labels.front().value);
    if (part.axis == "columns") return fmt::format("{} columns (at most --columns {:g})", label, asked.columns);
    if (part.axis != "head") return fmt::format("{} {}", part.axis, label);
    return fmt::format("heads of {} (nearest to --d {:g} --sd {:g}{})", label, asked.dimension, asked.scale,
                       is_within(data.axis("head"), asked) ? "" : ", which is outside what was measured");
}

/// Tells which options on the command line these results have no use for.
void note_unused(const Use& use, const std::vector<claims::Part>& parts, const RecommendOptions& asked) {
    const auto has = [&](const char* axis) {
        return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.axis == axis; });
    };
    for (const std::string& option : asked.given)
        if (!has(option == "--columns" ? "columns" : "head"))
            std::cerr << fmt::format("note: {} changes nothing: results of {} are of one {}\n", option,
                                     use.configuration, option == "--columns" ? "number of columns" : "kind of heads");
}

/// The places on the axes that a number counts through, the last axis fastest.
std::vector<std::size_t> places_of(const std::vector<store::Axis>& axes, std::size_t number) {
    std::vector<std::size_t> places(axes.size());
    for (std::size_t k = axes.size(); k-- > 0;) {
        places[k] = number % axes[k].size();
        number /= axes[k].size();
    }
    return places;
}

/// Words that tell a method: an axis of one label, a method's own sampling and the data set say nothing of it.
std::string name_of(const std::vector<store::Axis>& axes, std::size_t number) {
    const auto places = places_of(axes, number);
    std::string name;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const auto* words = std::get_if<std::vector<std::string>>(&axes[k].labels);
        if (axes[k].name == data_sets || axes[k].size() == 1 || words == nullptr || (*words)[places[k]] == "own")
            continue;
        name += (name.empty() ? "" : ", ") + (*words)[places[k]];
    }
    return name;
}

/// The label on an axis of words; empty where there is no such axis.
std::string word_on(const char* axis, const std::vector<store::Axis>& axes, std::size_t number) {
    const auto places = places_of(axes, number);
    for (std::size_t k = 0; k < axes.size(); ++k)
        if (axes[k].name == axis) return std::get<std::vector<std::string>>(axes[k].labels)[places[k]];
    return {};
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
    return name != "exact" && name != "softmax" && name != "majority" && name != "copy" && name != "uniform";
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double one : values) sum += one;
    return sum / static_cast<double>(values.size());
}

/// The share of denominators that are not positive, where the results have it.
std::map<std::string, double> shares(const Use& use, const store::Dataset& data, const RecommendOptions& asked) {
    std::map<std::string, double> result;
    for (const store::Variable& variable : data.variables) {
        if (variable.name != "nonpositive") continue;
        const claims::Array array = claims::values({"", "nonpositive", place_of(use, data, variable, asked)}, data);
        const claims::Lines lines = claims::lines(array, use.over);
        std::map<std::string, std::vector<double>> by_name;
        for (std::size_t i = 0; i < lines.values.size(); ++i)
            by_name[name_of(lines.axes, i)].push_back(mean_of(lines.values[i]));
        for (const auto& [name, means] : by_name) result[name] = mean_of(means);
    }
    return result;
}

/// An error whose mean is mostly one repeat's, as those of heavy tails are: the share of the largest in the sum.
std::optional<double> largest_share(const std::vector<double>& values) {
    const double sum = mean_of(values) * static_cast<double>(values.size());
    const double share = *std::max_element(values.begin(), values.end()) / sum;
    return values.size() > 2 && share > 0.5 ? std::optional(share) : std::nullopt;
}

/// Whether a relative error is not shown to be below that of zeros, 1.
bool is_no_better_than_zeros(const std::vector<double>& errors) {
    if (errors.size() < 2) return errors.front() >= 1;
    const auto mean = statistics::paired_difference(errors, 0, confidence);
    return mean.mean + mean.half_width >= 1;
}

/// Drawbacks of each method, in words.
std::map<std::string, std::string> drawbacks(const Use& use, const claims::Lines& lines, const store::Dataset& data,
                                             const RecommendOptions& asked) {
    const auto not_positive = shares(use, data, asked);
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        const std::string name = name_of(lines.axes, i), label = word_on("method", lines.axes, i);
        std::vector<std::string> own;
        if (use.relative_error && is_no_better_than_zeros(lines.values[i])) own.push_back("no better than zeros");
        if (const auto share = not_positive.find(name); share != not_positive.end() && share->second > 0)
            own.push_back(fmt::format("{:.2g} % of its denominators are not positive", 100 * share->second));
        if (const auto share = use.larger_is_better ? std::nullopt : largest_share(lines.values[i]))
            own.push_back(fmt::format("one {} makes {:.0f} % of its mean", use.over, 100 * *share));
        if (!label.empty())
            for (std::string& one : known_drawbacks(data, label)) own.push_back(std::move(one));
        all[name] = fmt::format("{}", fmt::join(own, "; "));
    }
    return all;
}

/// Mean ranks of methods that have a value on every data set; nothing for fewer than two of either.
std::optional<SetRanks> set_ranks(const Use& use, const claims::Names& names) {
    if (use.by_set == nullptr) return {};
    const claims::Lines lines = claims::lines(claims::Expression(use.by_set).value(names), use.over);
    std::map<std::string, std::map<std::string, double>> by_set;  // by data set and method
    std::map<std::string, std::size_t> measured;
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        const std::string name = name_of(lines.axes, i);
        const double mean = mean_of(lines.values[i]);
        if (!std::isfinite(mean) || !is_answer(name)) continue;
        by_set[word_on(data_sets, lines.axes, i)][name] = use.larger_is_better ? mean : -mean;
        ++measured[name];
    }
    std::erase_if(measured, [&](const auto& one) { return one.second < by_set.size(); });
    if (by_set.size() < 2 || measured.size() < 2) return {};
    std::vector<std::vector<double>> values;
    for (const auto& [set, of] : by_set) {
        values.emplace_back();
        for (const auto& [name, count] : measured) values.back().push_back(of.at(name));
    }
    SetRanks result{{}, by_set.size(), statistics::critical_difference(measured.size(), by_set.size(), 1 - confidence)};
    const std::vector<double> ranks = statistics::mean_ranks(values).mean;
    auto rank = ranks.begin();
    for (const auto& [name, count] : measured) result.mean[name] = *rank++;
    return result;
}

}  // namespace

std::vector<std::string> recommended_uses() {
    std::vector<std::string> names;
    for (const Use& use : uses()) names.emplace_back(use.name);
    return names;
}

namespace {

/// Commands that show all methods.
std::string where_to_look(const Use& use, const RecommendOptions& asked) {
    const std::string all = asked.reference ? fmt::format("rfbench table{} {}", asked.where, use.configuration)
                                            : fmt::format("rfbench table {0}{1}; over the sweep: rfbench plot {0}{1}",
                                                          use.configuration, asked.where);
    return fmt::format("All of them: {}{}.{}", all, asked.figure.empty() ? "; in a figure: --figure FILE.svg" : "",
                       use.others ? fmt::format(" More methods on the same data: {}.", use.others) : "");
}

void check_there(const Use& use, const RecommendOptions& asked, const std::filesystem::path& file) {
    if (std::filesystem::exists(file)) return;
    if (!asked.reference)
        throw InputError(fmt::format("recommend: there are no results {}; 'rfbench run {}{}' makes them", file.string(),
                                     use.configuration, asked.where));
    std::vector<std::string> there;
    for (const Use& other : uses())
        if (std::filesystem::exists(asked.results / (std::string(other.configuration) + ".h5")))
            there.emplace_back(other.name);
    throw InputError(
        fmt::format("recommend: results of {} do not come with rfbench{}; run 'rfbench run {}', then "
                    "'rfbench recommend {}' without --reference",
                    use.configuration, there.empty() ? "" : fmt::format(", those for {} do", fmt::join(there, " and ")),
                    use.configuration, use.name));
}

}  // namespace

int recommend(const RecommendOptions& asked) {
    if (!asked.figure.empty()) require_picture_name(asked.figure);
    const Use& use = use_of(asked.use);
    const auto file = asked.results / (std::string(use.configuration) + ".h5");
    check_there(use, asked, file);
    const store::Dataset data = store::read(file);
    claims::Names names;
    std::string at;
    for (std::size_t k = 0; k < use.variables.size(); ++k) {
        const auto parts = place_of(use, data, data.variable(use.variables[k]), asked);
        names[std::string(1, static_cast<char>('a' + k))] = claims::values({"", use.variables[k], parts}, data);
        if (k == 0) note_unused(use, parts, asked);
        at.clear();
        for (const claims::Part& part : parts) at += (at.empty() ? "" : ", ") + place_text(part, data, asked);
    }
    std::size_t left_out = 0;
    const claims::Lines lines = claims::lines(claims::Expression(use.expression).value(names), use.over);
    auto all = contenders(lines, left_out);
    std::erase_if(all, [](const auto& one) { return !is_answer(one.name); });
    if (all.empty())
        throw InputError(fmt::format(
            "recommend: {} has no method with a value at {}; 'rfbench table' shows what it has", file.string(), at));
    if (left_out > 0) std::cerr << fmt::format("note: {} methods lack values of some repeats\n", left_out);
    if (!at.empty()) fmt::print("At {}.\n", at);
    // An error of exactly zero has no logarithm.
    const bool by_logarithms =
        use.relative_error && std::all_of(all.begin(), all.end(), [](const auto& one) {
            return std::all_of(one.values.begin(), one.values.end(), [](double value) { return value > 0; });
        });
    const Recommendation found{
        use.configuration,
        use.words,
        use.over,
        decisions::ranking(all, use.larger_is_better, use.overlap, confidence,
                           by_logarithms ? decisions::Tested::logarithms : decisions::Tested::values),
        drawbacks(use, lines, data, asked),
        set_ranks(use, names),
        by_logarithms,
        where_to_look(use, asked)};
    fmt::print("{}", report::terminal(recommended_table(found)));
    if (!asked.figure.empty()) draw_to(recommended_figure(found), asked.figure);
    return success;
}

}  // namespace rfbench::cli
