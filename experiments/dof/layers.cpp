// Tables 1 and 2: degrees of freedom of each head and what they make of a cost of so many features a layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dof/lambda_unit.hpp"
#include "rfbench/dof/allocation.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/report/slice.hpp"
#include "rfbench/statistics/ranks.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

const MethodKey none{};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{head_source_key()};
    all.push_back(defaulted("points", integers(2, 8192), "[128, 256, 512, 1024]",
                            "J, queries and keys that stand for their law; the largest is used for dimensions"));
    all.push_back(defaulted("lambdas", numbers(above(0)), "{logspace: [0.001, 10, 9]}", "regularisations"));
    all.push_back(lambda_unit_key());
    return all;
}

store::Dataset compute(const Points& points, const std::vector<double>& lambdas, bool share) {
    const dof::Spectrum spectrum = dof::softmax_spectrum(points);
    store::Variable degrees{"degrees", {"lambda"}, {}, "", "degrees of freedom of the law, tr S (S + lambda)^-1"};
    store::Variable undivided{
        "degrees_undivided", {"lambda"}, {}, "", "as the paper computes them: lambda / J for lambda"};
    const auto count = static_cast<double>(points.rows());
    for (const double lambda : lambdas) {
        degrees.values.push_back(share ? spectrum.degrees_of_share(lambda) : spectrum.degrees(lambda));
        undivided.values.push_back(share ? spectrum.degrees_of_share(lambda / count)
                                         : spectrum.degrees_undivided(lambda));
    }
    const store::Variable trace{"log_trace", {}, {spectrum.log_trace()}, "", "log tr S"};
    const store::Variable size{"head_size", {}, {static_cast<double>(points.cols())}, "", "d"};
    return {{{"lambda", lambdas, share ? "tr S" : "", "regularisation"}}, {degrees, undivided, trace, size}, {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "dof/layers");
    const auto source = head_source(config, seed);
    const auto layers = layer_axis(*source, config), heads = head_axis(*source);
    const auto counts = whole_axis("points", Key{config, "points"}, "J, points that stand for their law");
    const Index most = *std::max_element(counts.begin(), counts.end());
    if (most > source->points())
        config.at("points").refuse(fmt::format("{} points are asked for, but {} sequences have {} queries and keys",
                                               most, source->sequences(), source->points()));
    // Lambdas are inside a cell: all of them need one spectrum.
    Sweep sweep = Sweep::over(layers, heads, counts);
    // The Gram matrix and what its eigenvalues are computed in.
    sweep.bytes = 2 * static_cast<double>(most) * static_cast<double>(most) * sizeof(double);
    sweep.notes = source->notes();
    sweep.finite_but.emplace();
    sweep.compute = [=, samples = seed.child("sample"), lambdas = config.at("lambdas").numbers(),
                     share = lambda_is_share(config)](const Point& at) {
        // Not keyed by the number of points: a smaller sample is the beginning of a larger one.
        const Stream own = head_stream(samples, at[layers], at[heads]);
        return compute(source->sample(at[layers], at[heads], source->sequences(), at[counts], own), lambdas, share);
    };
    return sweep;
}

/// Degrees of freedom, layers by heads, from the largest sample.
Eigen::ArrayXXd degrees(const store::Dataset& data, double lambda) {
    const auto of = report::slice(
        data, "degrees", {{"points", report::numbers(data, "points").back()}, {"lambda", lambda}}, {"layer", "head"});
    return Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        of.values.data(), static_cast<Index>(of.axes[0].size()), static_cast<Index>(of.axes[1].size()));
}

/// "λ", or "λ / tr S" where it is a share.
std::string lambda_words(const store::Dataset& data) {
    return data.axis("lambda").unit.empty() ? "λ" : "λ / " + data.axis("lambda").unit;
}

report::Table degrees_table(const store::Dataset& data) {
    report::Table table{.name = "layers-degrees",
                        .caption = fmt::format("Degrees of freedom of each head, from {} queries and keys (Table 2).",
                                               report::numbers(data, "points").back()),
                        .columns = {{lambda_words(data)}, {"layer"}}};
    for (const double head : report::numbers(data, "head")) table.columns.push_back({fmt::format("head {}", head)});
    for (const double lambda : report::numbers(data, "lambda")) {
        const Eigen::ArrayXXd of = degrees(data, lambda);
        for (Index s = 0; s < of.rows(); ++s) {
            report::Row row{{lambda, static_cast<double>(s + 1)}};
            for (const double value : of.row(s)) row.entries.emplace_back(value);
            table.rows.push_back(row);
        }
    }
    report::group_by_first(table);
    return table;
}

report::Table dimensions_table(const store::Dataset& data) {
    const int size = static_cast<int>(data.variable("head_size").values.front());
    report::Table table{
        .name = "layers-dimensions",
        .caption = fmt::format("Feature dimensions of each layer at a mean cost of {} a layer, the size of a "
                               "head (Table 1); for single heads, their mean.",
                               size),
        .columns = {{lambda_words(data)}, {"allocation", "", report::Alignment::left}}};
    for (const double layer : report::numbers(data, "layer")) table.columns.push_back({fmt::format("layer {}", layer)});
    table.columns.push_back({"mean"});
    const std::pair<const char*, dof::Allocation> allocations[] = {{"DoF", dof::Allocation::layers},
                                                                   {"DoF + Clip", dof::Allocation::clipped},
                                                                   {"DoF of each head", dof::Allocation::heads}};
    for (const double lambda : report::numbers(data, "lambda"))
        for (const auto& [name, allocation] : allocations) {
            const Eigen::ArrayXXd of = dof::allocate(degrees(data, lambda), allocation, size, size).cast<double>();
            report::Row row{{lambda, std::string(name)}, allocation == dof::Allocation::layers};
            for (Index s = 0; s < of.rows(); ++s) row.entries.emplace_back(of.row(s).mean());
            row.entries.emplace_back(of.mean());
            table.rows.push_back(row);
        }
    return table;
}

/// The largest of each layer against lambda; and for the middle lambda the mean over heads against the number of
/// points.
report::Figure figure(const store::Dataset& data) {
    report::Figure result{
        .name = "layers",
        .title = "Degrees of freedom",
        .caption =
            "Left: of each layer's head that has most. Right: means over heads against the number J of "
            "points that stand for the law; as the paper computes them they grow with J.",
        .columns = 2};
    const auto &lambdas = report::numbers(data, "lambda"), &points = report::numbers(data, "points");
    report::Panel left{.title = fmt::format("J = {}", points.back())};
    left.x = {.label = lambda_words(data), .log = true};
    left.y = {.label = "degrees of freedom", .log = true};
    for (std::size_t s = 0; s < report::numbers(data, "layer").size(); ++s) {
        report::Series series{fmt::format("layer {}", s + 1), lambdas, {}};
        for (const double lambda : lambdas)
            series.y.push_back(degrees(data, lambda).row(static_cast<Index>(s)).maxCoeff());
        left.series.push_back(std::move(series));
    }
    // One lambda is enough to show how degrees of freedom grow with the sample, or do not.
    const double middle = lambdas[lambdas.size() / 2];
    report::Panel right{.title = fmt::format("{} = {}", lambda_words(data), middle)};
    right.x = {.label = "J, points of the sample", .log = true};
    right.y = {.label = "mean degrees of freedom", .log = true};
    for (const auto& [variable, label] : {std::pair("degrees", "of the law (Gram matrix / J)"),
                                          std::pair("degrees_undivided", "as printed (Gram matrix)")}) {
        report::Series series{label, points, {}, {}, {}, report::Style::line_points};
        for (const double count : points) {
            const auto of = report::slice(data, variable, {{"points", count}, {"lambda", middle}});
            double sum = 0;
            for (const double value : of.values) sum += value;
            series.y.push_back(sum / static_cast<double>(of.values.size()));
        }
        right.series.push_back(std::move(series));
    }
    result.panels = {left, right};
    return result;
}

/// N beside J for the middle lambda: where it still grows with the sample, it is no estimate of the law's.
report::Table sample_table(const store::Dataset& data) {
    const auto &lambdas = report::numbers(data, "lambda"), &points = report::numbers(data, "points");
    const double middle = lambdas[lambdas.size() / 2];
    report::Table table{.name = "layers-sample",
                        .caption = fmt::format("Degrees of freedom N at {} = {} from J queries and keys, mean over the "
                                               "heads of a layer, and N / J of the largest sample.",
                                               lambda_words(data), middle),
                        .columns = {{"layer"}}};
    for (const double count : points) table.columns.push_back({fmt::format("J = {}", count)});
    table.columns.push_back(report::number_column("N / J", {report::Format::Kind::percent, 1}));
    for (const double layer : report::numbers(data, "layer")) {
        report::Row row{{layer}};
        double last = 0;
        for (const double count : points) {
            last = report::average(data, "degrees", {{"points", count}, {"lambda", middle}, {"layer", layer}}, "head")
                       .mean.front();
            row.entries.emplace_back(last);
        }
        row.entries.emplace_back(last / points.back());
        table.rows.push_back(row);
    }
    return table;
}

/// Kendall's tau of what layers have and their depth; nothing of a single layer.
report::Entry with_depth(const Eigen::ArrayXd& of_layers) {
    if (of_layers.size() < 2) return report::Missing{};
    std::vector<double> depths, values(of_layers.begin(), of_layers.end());
    for (std::size_t s = 0; s < values.size(); ++s) depths.push_back(static_cast<double>(s));
    return statistics::kendall_tau(depths, values);
}

/// Claims of the paper about layers and heads (section 4.1), for each lambda.
report::Table depth_table(const store::Dataset& data) {
    report::Table table{
        .name = "layers-depth",
        .caption =
            "The largest feature dimension of a layer over the smallest, by Algorithm 1; Kendall's "
            "tau of a layer's largest N and its depth; and the share of heads whose N is below half of "
            "their layer's largest. The paper has 6.5 for GPT-2 and 31 for Pythia; larger dimensions in early "
            "and middle layers than in later ones; and, of Table 2, 77 %.",
        .columns = {{lambda_words(data)},
                    {"largest / smallest"},
                    {"tau with depth"},
                    report::number_column("below half", {report::Format::Kind::percent, 0})}};
    const int size = static_cast<int>(data.variable("head_size").values.front());
    for (const double lambda : report::numbers(data, "lambda")) {
        const Eigen::ArrayXXd of = degrees(data, lambda);
        const Eigen::ArrayXXd dimensions = dof::allocate(of, dof::Allocation::layers, size, size).cast<double>();
        const Eigen::ArrayXd largest = of.rowwise().maxCoeff();
        const auto below = (of < 0.5 * largest.replicate(1, of.cols())).count();
        table.rows.push_back({{lambda, dimensions.maxCoeff() / dimensions.minCoeff(), with_depth(largest),
                               static_cast<double>(below) / static_cast<double>(of.size())}});
    }
    return table;
}

Report report_of(const store::Dataset& data) {
    return {{figure(data)}, {dimensions_table(data), degrees_table(data), sample_table(data), depth_table(data)}};
}

}  // namespace

Study freedom_layers_study() {
    return {"dof",
            "layers",
            "degrees of freedom of each head, and feature dimensions from them",
            "Nishikawa, Higuchi and Suzuki 2025, Tables 1 and 2, Algorithm 1",
            1,
            none,
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
