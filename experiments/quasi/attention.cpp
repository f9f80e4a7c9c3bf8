// How far the output of linear attention is from that of softmax attention, at equal cost in real columns, for the
// features of DiJiang beside those they are to replace.
#include <fmt/format.h>

#include <algorithm>

#include "attention/heads.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey taken{.abilities = {Ability::attention}};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("length", integer(1, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        required("scales", numbers(above(0).at_most(100)), "standard deviation of the entries of queries and keys"),
        required("columns", integers(1, 65536), "real feature columns; complex features count twice"),
        required("repeats", integer(2, 100'000), "heads and draws of features"),
    };
}

struct Setting {
    Axis<MethodChoice> methods;
    Axis<Index> dimensions;
    Axis<double> scales;
    Axis<std::uint64_t> repeats;
    Axis<Index> columns;  ///< inside a cell
    Index length;
    Stream seed;
};

store::Dataset compute(const Setting& setting, const Point& at) {
    const MethodChoice& method = at[setting.methods];
    const Index dimension = at[setting.dimensions];
    // A head is the same for every method and, up to scale, for every scale.
    const Stream seed = setting.seed.child(at[setting.repeats]).child(static_cast<std::uint64_t>(dimension));
    const Head head = draw_head(setting.length, dimension, at[setting.scales], seed.child("head"));
    Points exact, out;
    attention::exact<double>(head.inputs(), attention::Visible::all, exact);

    store::Variable error{"relative_output_error", {"columns"}, {}, "", "|O^ - O| / |O|, Frobenius, of the output"};
    for (const Index columns : setting.columns) {
        const Stream own = seed.child("features").child(method.label).child(static_cast<std::uint64_t>(columns));
        method->attention({setting.length, dimension, columns}, method.scheme(sampling::find("orthogonal")), own)
            ->attend(head.inputs(), attention::Visible::all, out);
        error.values.push_back((out - exact).norm() / exact.norm());
    }
    // What no method should lose to: every query gets the mean of all values.
    const Points mean = head.values.colwise().mean().replicate(setting.length, 1);
    const store::Variable uniform{"relative_uniform_error",
                                  {},
                                  {(mean - exact).norm() / exact.norm()},
                                  "",
                                  "|O^ - O| / |O| when all tokens weigh the same"};
    return {{setting.columns.stored()}, {error, uniform}, {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{
        method_axis(methods(config, taken)),
        whole_axis("dimension", config.at("dimensions").integers(), "d"),
        axis("scale", config.at("scales").numbers(), "standard deviation of the entries of queries and keys"),
        repeat_axis("repeat", config.at("repeats").integer(), "head and draw of features"),
        whole_axis("columns", config.at("columns").integers(), "real feature columns"),
        whole(config, "length"),
        study_stream(config, "quasi/attention")};
    for (const MethodChoice& method : setting.methods)
        for (const Index d : setting.dimensions) method.require_dimension(d);

    Sweep sweep = Sweep::over(setting.methods, setting.dimensions, setting.scales, setting.repeats);
    // A head, its exact output, an estimate, and the mean of all values.
    const auto d = static_cast<double>(*std::max_element(setting.dimensions.begin(), setting.dimensions.end()));
    sweep.bytes = 6 * d * static_cast<double>(setting.length) * sizeof(double);
    sweep.compute = [setting](const Point& at) { return compute(setting, at); };
    return sweep;
}

report::Averages errors(const store::Dataset& data, const std::string& method, double dimension, double scale) {
    return report::average(data, "relative_output_error",
                           {{"method", method}, {"dimension", dimension}, {"scale", scale}}, "repeat");
}

/// The error of equal weights; that of all methods, whose heads are the same.
double uniform_error(const store::Dataset& data, double dimension, double scale) {
    const report::Fixed fixed{
        {"method", report::words(data, "method").front()}, {"dimension", dimension}, {"scale", scale}};
    return report::average(data, "relative_uniform_error", fixed, "repeat").mean[0];
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
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale")) {
            report::Panel panel{.title = fmt::format("d = {}, standard deviation {}", dimension, scale)};
            panel.x = {.label = "real feature columns", .log = true};
            panel.y = {.label = "relative error", .log = true};
            panel.horizontal = {{uniform_error(data, dimension, scale), "equal weights"}};
            for (const std::string& method : methods)
                panel.series.push_back(report::averaged_series(method, report::numbers(data, "columns"),
                                                               errors(data, method, dimension, scale),
                                                               report::Style::line_points));
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
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (const double count : {columns.front(), columns.back()})
                if (result.columns.back().title != fmt::format("d = {}, sd {}, {}", dimension, scale, count))
                    result.columns.push_back({fmt::format("d = {}, sd {}, {}", dimension, scale, count)});
    for (const std::string& method : report::words(data, "method")) {
        report::Row row{{method}};
        for (const double dimension : report::numbers(data, "dimension"))
            for (const double scale : report::numbers(data, "scale")) {
                const auto own = errors(data, method, dimension, scale);
                row.entries.push_back(report::averaged_entry(own));
                if (columns.size() > 1) row.entries.push_back(report::averaged_entry(own, columns.size() - 1));
            }
        result.rows.push_back(row);
    }
    report::Row row{{"equal weights"}, true};
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale"))
            for (std::size_t k = 0; k < std::min<std::size_t>(2, columns.size()); ++k)
                row.entries.push_back(uniform_error(data, dimension, scale));
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
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
