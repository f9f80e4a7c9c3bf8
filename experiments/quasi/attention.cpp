// How far the output of linear attention is from that of softmax attention, at equal cost in real columns, for the
// features of DiJiang beside those they are to replace.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/report/best_mark.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::attention}, .sampling = EntrySampling::drawn};

struct Setting {
    Axis<MethodChoice> methods;
    HeadList list;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;
    Stream seed;
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.methods];
    const HeadSequence head = at[setting.list.heads].sequence(at[setting.repeats]);
    const Index d = head.tokens.queries.cols();
    Points exact, out;
    attention::exact<double>(head.inputs(), attention::Visible::all, exact);

    const Index columns = at[setting.columns];
    const Stream own = setting.seed.child(at[setting.repeats])
                           .child(static_cast<std::uint64_t>(d))
                           .child("features")
                           .child(method.label)
                           .child(static_cast<std::uint64_t>(columns));
    method->outputs()
        ->attention({head.tokens.keys.rows(), d, columns}, method.scheme(sampling::find("orthogonal")), own)
        ->attend(head.inputs(), attention::Visible::all, out);
    const double error = (out - exact).norm() / exact.norm();
    // Uniform attention, to which no method should lose: every query gets the mean of all values.
    const Points mean = head.values.colwise().mean().replicate(head.tokens.queries.rows(), 1);
    const double uniform = (mean - exact).norm() / exact.norm();
    return {{},
            {{"relative_output_error", {}, {error}, "", "|O^ - O| / |O|, Frobenius, of the output"},
             {"relative_uniform_error", {}, {uniform}, "", "|O^ - O| / |O| when all tokens weigh the same"}},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "quasi/attention");
    const Setting setting{method_axis(methods(config, taken)), HeadList(config, dimension_first_streams(seed)),
                          repeat_axis("repeat", Key{config, "repeats"}, "sequence and draw of features"),
                          whole_axis("columns", Key{config, "columns"}, "real feature columns"), seed};
    setting.list.require_dimensions(setting.methods.values);
    setting.list.require_crossing(setting.methods.values);

    Sweep sweep = Sweep::over(setting.methods, setting.list.heads, setting.repeats, setting.columns);
    sweep.notes = setting.list.notes_of_repeats(setting.repeats.size());
    // A head, its exact output, an estimate, and the mean of all values.
    sweep.bytes = 6 * static_cast<double>(setting.list.widest() * setting.list.longest()) * sizeof(double);
    sweep.finite_but.emplace();
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Averages errors(const store::Dataset& data, const std::string& method, const std::string& head) {
    return report::average(data, "relative_output_error", {{"method", method}, {"head", head}}, "repeat");
}

/// The error of equal weights, that of all methods and columns, whose heads are the same; NaN where all cells failed.
double uniform_error(const store::Dataset& data, const std::string& head) {
    for (const std::string& method : report::words(data, "method"))
        for (const double error :
             report::average(data, "relative_uniform_error", {{"method", method}, {"head", head}}, "repeat").mean)
            if (!std::isnan(error)) return error;
    return NAN;
}

report::Figure figure(const store::Dataset& data) {
    const auto& methods = report::words(data, "method");
    report::Figure result{.name = "attention-output",
                          .title = "Error of the output of attention",
                          .caption =
                              "|O^ - O| / |O| at equal cost, means over repeats of heads and features. Dashed: all "
                              "tokens weigh the same.",
                          .interval = "Bands: " + report::interval_words("repeats"),
                          .columns = 2};
    for (const std::string& head : report::words(data, "head")) {
        report::Panel panel{.title = head};
        panel.x = {.label = "real feature columns", .log = true};
        panel.y = {.label = "relative error", .log = true};
        panel.horizontal = {{uniform_error(data, head), "equal weights"}};
        for (const std::string& method : methods)
            panel.series.push_back(report::averaged_series(method, report::numbers(data, "columns"),
                                                           errors(data, method, head), report::Style::line_points));
        result.panels.push_back(std::move(panel));
    }
    return result;
}

report::Table table(const store::Dataset& data) {
    const auto& columns = report::numbers(data, "columns");
    report::Table result{.name = "attention-output",
                         .caption =
                             "Relative error of the output of attention, |O^ - O| / |O|, mean over repeats ± half its "
                             "95 % interval, at the least and the largest number of real columns.",
                         .columns = {report::word_column("method")}};
    for (const std::string& head : report::words(data, "head"))
        for (const double count : {columns.front(), columns.back()})
            // A single number of columns stands once.
            if (result.columns.back().title != fmt::format("{}, {}", head, count))
                result.columns.push_back({fmt::format("{}, {}", head, count)});
    for (const std::string& method : report::words(data, "method")) {
        report::Row row{{method}};
        for (const std::string& head : report::words(data, "head")) {
            const auto own = errors(data, method, head);
            row.entries.push_back(report::averaged_entry(own));
            if (columns.size() > 1) row.entries.push_back(report::averaged_entry(own, columns.size() - 1));
        }
        result.rows.push_back(row);
    }
    report::mark_best(result, report::Best::least, report::columns_from(result, 1));
    // A row of its own for what needs no features at all.
    report::Row row{{"equal weights"}, true};
    for (const std::string& head : report::words(data, "head"))
        for (std::size_t k = 0; k < std::min<std::size_t>(2, columns.size()); ++k)
            row.entries.push_back(uniform_error(data, head));
    result.rows.push_back(row);
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study quasi_attention_study() {
    return {"quasi",
            "attention",
            "error of the output of attention at equal cost, fixed and weighted features",
            "Chen et al. 2024, (12), (13), Table 2",
            1,
            taken,
            head_keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
