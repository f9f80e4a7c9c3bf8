// Causal FAVOR++ (the open question 3 of Likhosherstov 2022): features fitted from what has been seen, from another
// sequence, or, as a reference that sees the future, from the whole sequence.
#include <fmt/format.h>

#include <algorithm>

#include "attention/heads.hpp"
#include "attention/studies.hpp"
#include "normal_points.hpp"
#include "rfbench/attention/exact.hpp"
#include "rfbench/attention/prefix_fit.hpp"
#include "rfbench/attention/softmax_map.hpp"
#include "rfbench/report/averaged.hpp"

namespace rfbench::experiments {
namespace {

using attention::Visible;

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        required("mechanism", one_of(mechanism_names()), "whose fit is in question"),
        optional("beside", mechanisms_schema(),
                 "maps that nothing is fitted for, such as trained ones; each is one more label of 'fit'"),
        defaulted("sampling", one_of({"iid", "orthogonal"}), "orthogonal", "how projections are drawn"),
        required("length", integer(2, 1'000'000), "L, tokens of a head"),
        required("dimensions", integers(1, 1024), "d of a head"),
        required("scales", numbers(above(0).at_most(100)), "standard deviation of the entries of queries and keys"),
        required("real_columns", integers(1, 65536), "features in all"),
        defaulted("first", integer(1, 1'000'000), "128",
                  "tokens before the first fit from the prefix; it is renewed when "
                  "their number has doubled"),
        required("samples", integer(2, 100'000), "heads and draws of features"),
    };
}

const std::vector<std::string> fits{"none (positive)", "prefix", "previous sequence", "whole sequence"};

struct Setting {
    const features::MechanismInfo* mechanism;
    std::vector<MechanismChoice> beside;
    const sampling::Scheme* sampling;
    std::vector<double> dimensions, scales, columns;
    Index length, first;
    Stream seed;

    std::vector<std::string> labels() const {
        std::vector<std::string> all = fits;
        for (const MechanismChoice& choice : beside) all.push_back(choice.label);
        return all;
    }
};

/// A feature of some row after a fit to the n-th of a few clouds, none of which is another turned or scaled.
features::FeatureBlock<double> probed(const MechanismChoice& choice, const sampling::Scheme& sampling, Index d,
                                      std::uint64_t n) {
    const Points cloud = static_cast<double>(n) * normal_points(Stream(n), 16, d);
    const auto mechanism =
        features::fit(*choice.info, features::statistics(cloud, cloud, choice.info->poisson_moments), choice.settings);
    features::FeatureBlock<double> block;
    mechanism->map(features::draw(*mechanism, d, 4, sampling, Stream(0)))
        ->evaluate(features::Side::query, Points::Constant(1, d, 0.5), block);
    return block;
}

/// Refuses, where it stands, a map of another dimension and one whose features depend on what it is fitted to.
void check_beside(const config::Value& list, const Setting& setting) {
    for (std::size_t i = 0; i < setting.beside.size(); ++i) {
        const config::Value& entry = list.items()[i];
        const MechanismChoice& choice = setting.beside[i];
        const std::string name = "'" + choice.info->name + "'";
        if (std::find(fits.begin(), fits.end(), choice.label) != fits.end())
            entry.refuse("the label '" + choice.label + "' is a fit of this study; give this one another");
        if (!drawable(*choice.info, *setting.sampling))
            entry.refuse("sampling '" + setting.sampling->name + "' needs directions, and omega of " + name +
                         " is discrete");
        for (const double dimension : setting.dimensions) {
            const auto d = static_cast<Index>(dimension);
            require_dimension(entry, *choice.info, choice.settings, d);
            const auto one = probed(choice, *setting.sampling, d, 1), other = probed(choice, *setting.sampling, d, 2);
            if (one.values != other.values || one.log_scale != other.log_scale)
                entry.refuse(name +
                             " would have to be fitted, and to what is the question of this study: set its "
                             "parameters, or make it the 'mechanism'");
        }
    }
}

/// The fit of that number in the labels.
Points attend(const Setting& setting, std::size_t fit, const Head& head, const Head& previous, Index columns,
              const Stream& stream) {
    const Index d = head.queries.cols();
    Points out;
    const attention::Inputs<double> in{head.queries, head.keys, head.values};
    const auto through = [&](const features::Mechanism& mechanism, Index count) {
        attention::linear(attention::softmax_map(mechanism, d, count, *setting.sampling, stream), in, Visible::causal,
                          out);
    };
    const auto fitted = [&](const Head& to) {
        return features::fit(*setting.mechanism, attention::softmax_statistics(to.queries, to.keys));
    };
    if (fit >= fits.size()) {
        const auto& [label, info, settings, count] = setting.beside[fit - fits.size()];
        const auto any = features::fit(
            *info, attention::softmax_statistics(previous.queries, previous.keys, info->poisson_moments), settings);
        through(*any, count.value_or(count_for_cost(*any, columns)));
    } else if (fit == 0) {
        const auto positive = features::fit(features::find("positive"), {});
        through(*positive, count_for_cost(*positive, columns));
    } else if (fit == 1) {
        attention::causal_prefix_fitted<double>(
            {setting.mechanism, {}, count_for_cost(*fitted(head), columns), setting.sampling, stream, setting.first},
            in, out);
    } else {
        const auto mechanism = fitted(fit == 2 ? previous : head);
        through(*mechanism, count_for_cost(*mechanism, columns));
    }
    return out;
}

store::Dataset compute(const Setting& setting, const engine::Cell& cell) {
    const auto d = static_cast<Index>(setting.dimensions[cell.coordinates[0]]);
    const double scale = setting.scales[cell.coordinates[1]];
    const Stream seed = setting.seed.child(cell.coordinates[2]).child(static_cast<std::uint64_t>(d));
    const Head head = draw_head(setting.length, d, scale, seed.child("head"));
    const Head previous = draw_head(setting.length, d, scale, seed.child("previous"));
    Points exact;
    attention::exact<double>({head.queries, head.keys, head.values}, Visible::causal, exact);
    store::Variable error{"relative_output_error", {"fit", "real_columns"}, {}, "", "|O^ - O| / |O|, Frobenius"};
    const std::vector<std::string> labels = setting.labels();
    for (std::size_t fit = 0; fit < labels.size(); ++fit)
        for (const double columns : setting.columns) {
            const Stream own = seed.child("features").child(static_cast<std::uint64_t>(columns));
            const Points out = attend(setting, fit, head, previous, static_cast<Index>(columns), own);
            error.values.push_back((out - exact).norm() / exact.norm());
        }
    return {{{"fit", labels, "", "where the features' parameters come from"},
             {"real_columns", setting.columns, "", "real feature columns"}},
            {error},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Setting setting{&features::find(config.at("mechanism").text()),
                          config.has("beside") ? mechanisms(config.at("beside")) : std::vector<MechanismChoice>{},
                          &sampling::find(config.at("sampling").text()),
                          as_labels(config.at("dimensions").integers()),
                          config.at("scales").numbers(),
                          as_labels(config.at("real_columns").integers()),
                          static_cast<Index>(config.at("length").integer()),
                          static_cast<Index>(config.at("first").integer()),
                          study_stream(config, "attention/causal")};
    if (config.has("beside")) check_beside(config.at("beside"), setting);
    Sweep sweep;
    sweep.axes = {{"dimension", setting.dimensions, "", "d"},
                  {"scale", setting.scales, "", "standard deviation of the entries of queries and keys"},
                  {"sample", numbered(config.at("samples").integer()), "", "head and draw of features"}};
    sweep.cells = product_cells(sweep.axes);
    // Two heads, exact and estimated outputs.
    const double d = *std::max_element(setting.dimensions.begin(), setting.dimensions.end());
    sweep.bytes = 8 * d * static_cast<double>(setting.length) * sizeof(double);
    sweep.compute = [setting](const engine::Cell& cell) { return compute(setting, cell); };
    return sweep;
}

Report report_of(const store::Dataset& data) {
    report::Figure figure{
        .name = "causal",
        .title = "Causal attention: where parameters are fitted",
        .caption =
            "Relative error of the output, means over samples. A fit to the whole sequence sees the future and is "
            "there as a reference.",
        .interval = "Bands: " + report::interval_words("samples"),
        .columns = 2};
    if (report::words(data, "fit").size() > fits.size())
        figure.caption += " A trained map has its own number of columns, whatever the axis says.";
    report::Table table{.name = "causal",
                        .caption = "Relative error of the causal output, mean over samples ± half its 95 % interval.",
                        .columns = {{"d"}, {"scale"}, {"columns"}}};
    for (const std::string& fit : report::words(data, "fit")) table.columns.push_back({fit});
    const auto& columns = report::numbers(data, "real_columns");
    for (const double dimension : report::numbers(data, "dimension"))
        for (const double scale : report::numbers(data, "scale")) {
            report::Panel panel{.title = fmt::format("d = {}, entries of standard deviation {}", dimension, scale)};
            panel.x = {.label = "real feature columns", .log = true};
            panel.y = {.label = "relative error", .log = true};
            std::vector<report::Row> rows;
            for (const double count : columns) rows.push_back({{dimension, scale, count}});
            for (const std::string& fit : report::words(data, "fit")) {
                const auto errors =
                    report::average(data, "relative_output_error",
                                    {{"dimension", dimension}, {"scale", scale}, {"fit", fit}}, "sample");
                for (std::size_t m = 0; m < columns.size(); ++m)
                    rows[m].entries.push_back(report::averaged_entry(errors, m));
                panel.series.push_back(report::averaged_series(fit, columns, errors, report::Style::line_points));
            }
            figure.panels.push_back(std::move(panel));
            for (const report::Row& row : rows) table.rows.push_back(row);
        }
    return {{figure}, {table}};
}

}  // namespace

Study causal_study() {
    return {"attention",
            "causal",
            "causal attention fitted from the prefix, a previous sequence or the whole",
            "Likhosherstov 2022, chapter 7, question 3",
            1,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
