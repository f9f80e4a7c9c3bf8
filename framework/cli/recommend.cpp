// rfbench recommend: which features to take, by result files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <optional>

#include "recommendation.hpp"
#include "rfbench/claims/expression.hpp"
#include "rfbench/claims/judge.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/statistics/confidence.hpp"
#include "rfbench/statistics/critical_difference.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "single_figure.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

using statistics::confidence;
constexpr const char* data_sets = "dataset";

/// A use of features and the results that tell which are good at it.
struct Use {
    const char *name, *configuration;
    std::vector<const char*> variables;  ///< names in the expression are a, b, ...
    const char *expression, *over, *words;
    bool larger_is_better;
    double overlap = 0;
    const char* by_set = nullptr;  ///< the value on each data set, over the axis `dataset`; null: there are none
    std::vector<std::pair<const char*, const char*>> at = {};  ///< words on other axes
};

const std::vector<Use>& uses() {
    static const std::vector<Use> all{
        {"kernel",
         "attention/mechanisms",
         {"relative_kernel_error"},
         "a",
         "repeat",
         "relative error of the matrix exp(q.k / sqrt d), that of zeros being 1",
         false},
        {"attention",
         "attention/mechanisms",
         {"relative_output_error"},
         "a",
         "repeat",
         "relative error of attention's output, that of zeros being 1",
         false},
        {"regression",
         "regression/mechanisms",
         {"test_accuracy", "validation_accuracy"},
         "mean(chosen(a, b, gamma), dataset)",
         "split",
         "accuracy, mean over data sets",
         true,
         0.05 / 0.9,
         "chosen(a, b, gamma)"},
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
        {"converted-text",
         "conversion/recovery",
         {"bits_per_character"},
         "a",
         "seed",
         "bits per character of converted softmax networks, tuned",
         false,
         0,
         nullptr,
         {{"source", "text"}, {"stage", "tuned"}}},
        {"converted-recall",
         "conversion/recall",
         {"accuracy"},
         "a",
         "seed",
         "share of questions, of converted softmax networks, tuned",
         true,
         0,
         nullptr,
         {{"source", "recall"}, {"stage", "tuned"}}},
        {"converted-images",
         "conversion/images",
         {"accuracy"},
         "a",
         "seed",
         "share of held-out images, of converted softmax networks, tuned",
         true,
         0,
         nullptr,
         {{"source", "images"}, {"stage", "tuned"}}},
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
        if (axis == "head")
            parts.push_back(fixed_part(axis, nearest_head(data.axis(axis), asked.dimension, asked.scale)));
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
std::string place_text(const claims::Part& part, const RecommendOptions& asked) {
    const std::string label =
        std::visit([](const auto& value) { return fmt::format("{}", value); }, part.labels.front().value);
    if (part.axis == "columns") return fmt::format("{} columns (at most --columns {:g})", label, asked.columns);
    if (part.axis != "head") return fmt::format("{} {}", part.axis, label);
    return fmt::format("heads of {} (nearest to --d {:g} --sd {:g})", label, asked.dimension, asked.scale);
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

/// Drawbacks of each method, in words.
std::map<std::string, std::string> drawbacks(const Use& use, const claims::Lines& lines, const store::Dataset& data,
                                             const RecommendOptions& asked) {
    const auto not_positive = shares(use, data, asked);
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < lines.values.size(); ++i) {
        const std::string name = name_of(lines.axes, i), label = word_on("method", lines.axes, i);
        std::vector<std::string> own;
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
    return fmt::format("All of them: {}{}.", all, asked.figure.empty() ? "; in a figure: --figure FILE.svg" : "");
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
        fmt::format("recommend: results of {} do not come with rfbench, those for {} do; run 'rfbench run {}', then "
                    "'rfbench recommend {}' without --reference",
                    use.configuration, fmt::join(there, " and "), use.configuration, use.name));
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
        at.clear();
        for (const claims::Part& part : parts) at += (at.empty() ? "" : ", ") + place_text(part, asked);
    }
    std::size_t left_out = 0;
    const claims::Lines lines = claims::lines(claims::Expression(use.expression).value(names), use.over);
    auto all = contenders(lines, left_out);
    std::erase_if(all, [](const auto& one) { return !is_answer(one.name); });
    if (all.empty()) throw InputError(fmt::format("recommend: {} has no method with a value there", file.string()));
    if (left_out > 0) std::cerr << fmt::format("note: {} methods lack values of some repeats\n", left_out);
    if (!at.empty()) fmt::print("At {}.\n", at);
    const Recommendation found{use.configuration,
                               use.words,
                               use.over,
                               decisions::ranking(all, use.larger_is_better, use.overlap, confidence),
                               drawbacks(use, lines, data, asked),
                               set_ranks(use, names),
                               where_to_look(use, asked)};
    fmt::print("{}", report::terminal(recommended_table(found)));
    if (!asked.figure.empty()) draw_to(recommended_figure(found), asked.figure);
    return success;
}

}  // namespace rfbench::cli
