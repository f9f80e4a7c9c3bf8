// Error of causal linear attention whose features, sums and outputs are rounded to half precision, against the number
// of tokens: from where on rounding is larger than the error of the estimate itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/rounded_linear.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/report/averaged.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

using attention::NumberFormat;
using attention::Rounding;

const MethodKey taken{.abilities = {Ability::features}, .columns = true};

/// Parts that are rounded; an unknown name is refused by the schema.
const std::vector<std::string> part_names{"features", "state", "all"};
/// Whether features have a scale for each row, as ours do, or are rounded as they are.
const std::vector<std::string> scale_names{"row scales", "no scales"};

struct Setting {
    Axis<MethodChoice> methods;
    HeadList list;
    Axis<std::uint64_t> repeats;
    Index columns;
    std::vector<std::string> formats;
    std::vector<double> positions;
    Stream seed;
};

Rounding rounding_of(const NumberFormat& format, const std::string& part, const std::string& scales) {
    const bool all = part == "all";
    return {all || part == "features" ? &format : nullptr, all || part == "state" ? &format : nullptr,
            all ? &format : nullptr, scales == scale_names.front()};
}

/// |A - B| / |B| over rows (position / 2, position], Frobenius, over rows of A that are finite; NaN if none is, or if
/// there are fewer rows.
double relative_error(const Points& a, const Points& b, double position) {
    const auto last = static_cast<Index>(position), first = last / 2;
    if (last > a.rows()) return std::nan("");
    double error = 0, size = 0;
    for (Index i = first; i < last; ++i) {
        if (!a.row(i).allFinite()) continue;
        error += (a.row(i) - b.row(i)).squaredNorm();
        size += b.row(i).squaredNorm();
    }
    return size > 0 ? std::sqrt(error / size) : std::nan("");
}

double share_not_finite(const Points& out, double position) {
    const auto last = static_cast<Index>(position), first = last / 2;
    if (last > out.rows()) return std::nan("");
    Index count = 0;
    for (Index i = first; i < last; ++i) count += out.row(i).allFinite() ? 0 : 1;
    return static_cast<double>(count) / static_cast<double>(last - first);
}

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.methods];
    const HeadSequence head = at[setting.list.heads].sequence(at[setting.repeats]);
    const auto inputs = head.inputs();
    const Stream own = setting.seed.child(at[setting.repeats])
                           .child(static_cast<std::uint64_t>(head.tokens.queries.cols()))
                           .child("features")
                           .child(method.label);
    const auto map = method->head_features()->features(head.tokens.queries, head.tokens.keys)(
        method.columns_within(setting.columns), method.scheme(sampling::find("orthogonal")), own);

    Points exact, estimate, out;
    attention::exact<double>(inputs, attention::Visible::causal, exact);
    attention::causal_rounded(*map, inputs, {}, estimate);
    std::vector<double> errors, shares, own_errors;
    for (const double position : setting.positions) own_errors.push_back(relative_error(estimate, exact, position));
    parallel::Parts parts(static_cast<Index>(setting.formats.size() * part_names.size() * scale_names.size()));
    for (const std::string& format : setting.formats)
        for (const std::string& part : part_names)
            for (const std::string& scales : scale_names) {
                const Rounding rounding = rounding_of(attention::number_format(format), part, scales);
                attention::causal_rounded(*map, inputs, rounding, out);
                for (const double position : setting.positions) {
                    errors.push_back(relative_error(out, estimate, position));
                    shares.push_back(share_not_finite(out, position));
                }
                parts.done();
            }
    const std::vector<std::string> places{"format", "rounded", "scales", "position"};
    return {{{"format", setting.formats, "", "number format"},
             {"rounded", part_names, "", "parts that are rounded"},
             {"scales", scale_names, "", "whether each row of features has a scale of its own"},
             {"position", setting.positions, "tokens", "errors are those of the last half of so many tokens"}},
            {{"rounding_error", places, errors, "", "|O~ - O^| / |O^|, O^ the output in double, over finite rows"},
             {"not_finite", places, shares, "", "share of rows with a NaN or an infinity"},
             {"estimate_error", {"position"}, own_errors, "", "|O^ - O| / |O|, O the output of softmax attention"}},
            {}};
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const NumberFormat& one : attention::number_formats()) names.push_back(one.name);
    return names;
}

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {head_list_key(), required("columns", integer(1, 65536), "real feature columns"),
            required("formats", one_or_more(one_of(format_names())), "number formats"),
            required("positions", integers(2, 1 << 20), "numbers of tokens at which errors are taken"),
            required("repeats", integer(2, 100'000), "sequences and draws of features")};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "attention/precision");
    auto counts = config.at("positions").integers();
    std::sort(counts.begin(), counts.end());
    const Setting setting{method_axis(methods(config, taken)),
                          HeadList(config, head_streams(seed)),
                          repeat_axis("repeat", Key{config, "repeats"}, "sequence and draw of features"),
                          static_cast<Index>(config.at("columns").integer()),
                          config.at("formats").texts(),
                          {counts.begin(), counts.end()},
                          seed};
    setting.list.require_dimensions(setting.methods.values);
    setting.list.require_one_sequence(config);
    if (setting.positions.back() > static_cast<double>(setting.list.longest()))
        config.at("positions")
            .refuse(
                fmt::format("{} tokens; the longest head has {}", setting.positions.back(), setting.list.longest()));

    Sweep sweep = Sweep::over(setting.methods, setting.list.heads, setting.repeats);
    sweep.notes = setting.list.notes_of_repeats(setting.repeats.size());
    // A head and three outputs, and the features of both sides.
    sweep.bytes = static_cast<double>(setting.list.longest() * (6 * setting.list.widest() + 4 * setting.columns)) *
                  sizeof(double);
    // Heads may be shorter than a position, and formats may hold no row.
    sweep.finite_but = {"rounding_error", "not_finite", "estimate_error"};
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Fixed place(const std::string& method, const std::string& head) { return {{"method", method}, {"head", head}}; }

report::Averages errors(const store::Dataset& data, const report::Fixed& at, const std::string& format,
                        const std::string& part, const std::string& scales = scale_names.front()) {
    return report::average(data, "rounding_error",
                           report::joined(at, {{"format", format}, {"rounded", part}, {"scales", scales}}), "repeat");
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "precision",
        .title = "Rounding of causal linear attention",
        .caption =
            "Error by rounding, |O~ - O^| / |O^|, of the last half of so many tokens, with a scale for "
            "each row of features: of all parts, or of features alone. Estimate: |O^ - O| / |O|, the error "
            "that random features have anyway.",
        .interval = "Bands: " + report::interval_words("repeats"),
        .columns = 2};
    const auto& positions = report::numbers(data, "position");
    for (const std::string& head : report::words(data, "head"))
        for (const std::string& method : report::words(data, "method")) {
            report::Panel panel{.title = method + ", " + head};
            panel.x = {.label = "tokens", .log = true};
            panel.y = {.label = "relative error", .log = true};
            const report::Fixed at = place(method, head);
            for (const std::string& format : report::words(data, "format"))
                for (const std::string part : {"all", "features"})
                    panel.series.push_back(report::averaged_series(part == "all" ? format : format + ", features",
                                                                   positions, errors(data, at, format, part),
                                                                   report::Style::line_points));
            panel.series.push_back(report::averaged_series(
                "estimate", positions, report::average(data, "estimate_error", at, "repeat"), report::Style::line));
            result.panels.push_back(std::move(panel));
        }
    return result;
}

/// The first position from which on rounding costs more than the estimate does; Missing if there is none.
report::Entry breaks_at(const store::Dataset& data, const report::Fixed& at, const std::string& format) {
    const auto& positions = report::numbers(data, "position");
    const std::vector<double> own = report::average(data, "estimate_error", at, "repeat").mean;
    const std::vector<double> error = errors(data, at, format, "all").mean;
    // The head may end before the last positions.
    std::size_t end = positions.size();
    while (end > 0 && std::isnan(own[end - 1])) --end;
    std::size_t first = end;
    // A format that holds no row has no error that is small enough.
    while (first > 0 && !(error[first - 1] <= own[first - 1])) --first;
    if (first == end) return report::Missing{};
    return positions[first];
}

report::Table table(const store::Dataset& data) {
    const double last = report::numbers(data, "position").back();
    const std::size_t at_last = report::numbers(data, "position").size() - 1;
    report::Table result{.name = "precision",
                         .caption = fmt::format(
                             "Errors at {} tokens, mean over repeats ± half its 95 % interval: of the estimate, and of "
                             "rounding features, sums and outputs. From: tokens from which on rounding is the larger "
                             "one. Not finite: share of rows when features have no scale of their own.",
                             last),
                         .columns = {report::word_column("head"), report::word_column("method"), {"estimate"}}};
    for (const std::string& format : report::words(data, "format")) {
        result.columns.push_back({format});
        result.columns.push_back({format + ", from"});
        report::Column not_finite{format + ", not finite"};
        not_finite.format = {report::Format::Kind::percent, 1};
        result.columns.push_back(not_finite);
    }
    for (const std::string& head : report::words(data, "head"))
        for (const std::string& method : report::words(data, "method")) {
            const report::Fixed at = place(method, head);
            report::Row row{{head, method}};
            row.entries.push_back(
                report::averaged_entry(report::average(data, "estimate_error", at, "repeat"), at_last));
            for (const std::string& format : report::words(data, "format")) {
                row.entries.push_back(report::averaged_entry(errors(data, at, format, "all"), at_last));
                row.entries.push_back(breaks_at(data, at, format));
                const report::Fixed plain{{"format", format}, {"rounded", "all"}, {"scales", scale_names.back()}};
                row.entries.push_back(report::averaged_entry(
                    report::average(data, "not_finite", report::joined(at, plain), "repeat"), at_last));
            }
            result.rows.push_back(row);
        }
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study attention_precision_study() {
    return {"attention",
            "precision",
            "error of causal linear attention from rounding features, sums and outputs to half precision",
            "Micikevicius et al. 2018, Mixed Precision Training",
            1,
            taken,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
