// Time of projections of rows on d directions by a dense product, by cosine transforms and by three Hadamard transforms
// with random signs, and of positive features by the first two; beside it the error of the kernel by each sampling at
// M = d.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "report/cost_lines.hpp"
#include "rfbench/features/maps/cosine_map.hpp"
#include "rfbench/features/maps/cosine_transforms.hpp"
#include "rfbench/parallel/openmp_threads.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/products/panels.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/statistics/linear_fit.hpp"
#include "rfbench/transforms/hadamard.hpp"
#include "sources/normal_points.hpp"
#include "study/measured_runs.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {
namespace {

const std::vector<std::string> ways{"product", "cosine transform", "Hadamard transforms", "features by product",
                                    "features by cosine transform"};

std::vector<config::KeyRule> keys() {
    using namespace config;
    std::vector<KeyRule> all{
        required("dimensions", integers(2, 8192), "d, powers of two; d directions"),
        defaulted("rows", integer(1, 1'000'000), "1024", "rows that are projected"),
        defaulted("samplings", one_or_more(one_of({"iid", "orthogonal", "hadamard", "dct", "dct-rotated"})),
                  "[iid, orthogonal, hadamard, dct, dct-rotated]", "whose error of the kernel is measured, at M = d"),
        defaulted("drawn_up_to", integer(2, 8192), "1024", "largest d of these errors: orthogonal draws take d^3"),
        defaulted("pairs", integer(1, 100'000), "64", "random pairs, |x| = |y| = 1, of each draw"),
        defaulted("draws", integer(2, 10'000), "16", "draws of d omegas"),
        threads_key("[1]"),
    };
    for (KeyRule& rule : rounds_keys()) all.push_back(std::move(rule));
    return all;
}

struct Setting {
    Axis<Index> dimensions, threads;
    Axis<std::string> samplings;         ///< inside a cell
    Axis<std::uint64_t> repeats, draws;  ///< inside a cell
    Rounds rounds;
    Index rows, drawn_up_to, pairs;
    Stream seed;
};

/// Signs of three diagonals, d each.
std::vector<std::vector<float>> random_signs(Index d, Stream stream) {
    std::vector<std::vector<float>> signs(3, std::vector<float>(static_cast<std::size_t>(d)));
    for (auto& one : signs)
        for (float& sign : one) sign = stream.uniform() < 0.5 ? -1.0f : 1.0f;
    return signs;
}

/// Functions that are timed, in the order of `ways`. Outputs go to buffers that first runs make and all keep.
std::vector<std::function<void()>> runs(const Rows<float>& x, const Stream& seed) {
    const Index d = x.cols();
    Projections omega(d, d);
    sampling::find("dct").normals(seed.child("omega"), omega);
    const features::ExponentialSide side{omega, Vector::Zero(d), {.isotropic = -1}};
    const auto out = std::make_shared<Rows<float>>();
    const Rows<float> weights = omega.cast<float>();
    const auto panels = std::make_shared<products::Panels<float>>(products::strided(weights));
    const auto cosine = std::make_shared<features::CosineTransforms<float>>(sampling::CosineSide::rows, d);
    const auto features_of = [&x](std::shared_ptr<const features::FeatureMap> map) {
        return [&x, map, block = std::make_shared<features::FeatureBlock<float>>()] {
            map->evaluate(features::Side::query, x, *block);
        };
    };
    return {
        [&x, panels, out] {
            out->resize(x.rows(), x.cols());
            panels->multiply(products::strided(x), out->data(), out->outerStride());
        },
        [&x, cosine, out] {
            constexpr Index at_once = features::CosineTransforms<float>::rows_at_once;
            out->resize(x.rows(), x.cols());
            features::CosineTransforms<float>::Workspace work(*cosine);
            for (Index i = 0; i < x.rows(); i += at_once)
                cosine->apply(x.middleRows(i, std::min(at_once, x.rows() - i)), x.cols(), out->row(i).data(),
                              out->outerStride(), work);
        },
        [&x, out, signs = random_signs(d, seed.child("signs"))] { transforms::signed_hadamard<float>(x, signs, *out); },
        features_of(features::exponential_map(side, side)), features_of(features::cosine_map(side))};
}

/// Root mean square over pairs of (K^ - K) / K, positive features: x and y of length 1 in random directions.
double kernel_error(const Projections& omega, const Points& x, const Points& y) {
    double sum = 0;
    for (Index i = 0; i < x.rows(); ++i) {
        const Vector both = (x.row(i) + y.row(i)).transpose();
        // E exp(w.(x + y)) = exp(|x + y|^2 / 2): the ratio K^ / K is its mean over that.
        const double ratio = ((omega.transpose() * both).array() - 0.5 * both.squaredNorm()).exp().mean();
        sum += (ratio - 1) * (ratio - 1);
    }
    return std::sqrt(sum / static_cast<double>(x.rows()));
}

/// [sampling][draw]; NaN where d is not drawn.
std::vector<double> kernel_errors(const Setting& own, Index d) {
    std::vector<double> errors;
    parallel::Parts parts(static_cast<Index>(own.samplings.size() * own.draws.size()));
    for (const std::string& name : own.samplings)
        for (const std::uint64_t draw : own.draws) {
            if (d > own.drawn_up_to) {
                errors.push_back(std::nan(""));
                continue;
            }
            const Stream stream = own.seed.child("errors").child(static_cast<std::uint64_t>(d)).child(draw);
            Projections omega(d, d);
            sampling::find(name).normals(stream.child(name), omega);
            // The pairs of a draw are the same for every sampling.
            errors.push_back(kernel_error(omega, normal_points(stream.child("x"), own.pairs, d).rowwise().normalized(),
                                          normal_points(stream.child("y"), own.pairs, d).rowwise().normalized()));
            parts.done();
        }
    return errors;
}

store::Dataset compute(const Setting& own, const Point& at) {
    const parallel::OpenMpThreads team(static_cast<int>(at[own.threads]));
    const Index d = at[own.dimensions];
    const Rows<float> x =
        (normal_points(own.seed.child("rows"), own.rows, d) / std::sqrt(static_cast<double>(d))).cast<float>();
    // First runs, rounds of all, and errors.
    parallel::Parts thirds(3);
    std::vector<MeasuredRun> all;
    for (auto& run : runs(x, own.seed)) all.emplace_back(std::move(run), own.rounds);
    thirds.done();
    const std::vector<double> seconds = seconds_in_turns(all, own.rounds);
    thirds.done();
    store::Variable bytes{"peak_bytes", {"way"}, {}, "B", "peak memory beside the rows"};
    for (const MeasuredRun& one : all) bytes.values.push_back(one.bytes());
    return {
        {{"way", ways, "", "how rows are projected"}, own.repeats.stored(), own.samplings.stored(), own.draws.stored()},
        {{"seconds", {"way", "repeat"}, seconds, "s", "time of all rows"},
         bytes,
         {"error", {"sampling", "draw"}, kernel_errors(own, d), "", "RMS of K^ / K - 1, positive features, M = d"}},
        measured_attributes()};
}

Sweep prepare(const config::Value& config) {
    std::vector<std::string> notes;
    const Setting own{whole_axis("dimension", Key{config, "dimensions"}, "d"),
                      thread_axis(config, notes),
                      word_axis("sampling", Key{config, "samplings"}, "how omegas are drawn"),
                      repeat_axis("repeat", config.at("repeats").integer(), "round of samples"),
                      repeat_axis("draw", config.at("draws").integer(), "draw of d omegas"),
                      Rounds(config),
                      whole(config, "rows"),
                      whole(config, "drawn_up_to"),
                      whole(config, "pairs"),
                      study_stream(config, "quasi/transforms")};
    for (const Index d : own.dimensions)
        if (!std::has_single_bit(static_cast<std::size_t>(d)))
            config.at("dimensions").refuse(fmt::format("{} is no power of two, which Hadamard matrices need", d));
    Sweep sweep = Sweep::over(own.threads, own.dimensions);
    sweep.notes = notes;
    sweep.alone = true;
    const auto largest = static_cast<double>(*std::max_element(own.dimensions.begin(), own.dimensions.end()));
    // Omegas in double and float, once more packed, and rows with outputs of every kind.
    sweep.bytes = (largest * 16 + static_cast<double>(own.rows) * 16) * largest;
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

CostLine line(const store::Dataset& data, const std::string& way, double threads) {
    return {data, {{"way", way}, {"threads", threads}}, "dimension"};
}

report::Figure time_figure(const store::Dataset& data) {
    report::Figure figure{.name = "transforms",
                          .title = "Time of projections and features, M = d",
                          .caption = "Seconds of all rows, medians over rounds.",
                          .columns = 2};
    for (const double threads : report::numbers(data, "threads")) {
        report::Panel panel{.title = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s")};
        panel.x = {.label = "d", .log = true};
        panel.y = {.label = "time [s]", .log = true};
        for (const std::string& way : ways) {
            const CostLine own = line(data, way, threads);
            report::Series series{.label = way, .x = own.lengths, .y = {}};
            for (std::size_t i = 0; i < own.points(); ++i) series.y.push_back(own.median(i));
            panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

report::Figure error_figure(const store::Dataset& data) {
    report::Figure figure{.name = "transforms-error",
                          .title = "Error of the kernel, positive features, M = d",
                          .caption = "Root mean square of K^ / K - 1 over pairs of points of length 1.",
                          .interval = "Bands: " + report::interval_words("draws")};
    report::Panel panel;
    panel.x = {.label = "d", .log = true};
    panel.y = {.label = "relative error", .log = true};
    const double threads = report::numbers(data, "threads").front();
    panel.series = report::averaged_curves(data, "error", {"sampling", "dimension", "draw"}, {{"threads", threads}},
                                           report::Style::line);
    figure.panels.push_back(std::move(panel));
    return figure;
}

/// How time grows with d, and from which d on the fast way takes less.
report::Table table(const store::Dataset& data) {
    const report::Format two = report::decimals(2);
    report::Table table{
        .name = "transforms",
        .caption = "Exponent of time in d over the largest d, and where a fast way overtakes its product.",
        .columns = {report::word_column("way"),
                    {"threads"},
                    report::number_column("exponent", two),
                    {"time at the largest d", "ms"},
                    report::number_column("product over it", two),
                    {"faster from d"}}};
    for (const double threads : report::numbers(data, "threads"))
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const CostLine own = line(data, ways[i], threads), dense = line(data, ways[i < 3 ? 0 : 3], threads);
            std::vector<double> medians;
            for (std::size_t k = 0; k < own.points(); ++k) medians.push_back(own.median(k));
            const auto fitted = static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, medians.size()));
            report::Row row{{ways[i], threads}};
            if (fitted < 2)
                row.entries.emplace_back();
            else
                row.entries.emplace_back(statistics::exponent({own.lengths.end() - fitted, own.lengths.end()},
                                                              {medians.end() - fitted, medians.end()}));
            std::vector<double> last = own.times(own.points() - 1);
            for (double& one : last) one *= 1e3;
            row.entries.push_back(report::averaged_entry(last));
            if (i == 0 || i == 3) {
                row.entries.emplace_back();
                row.entries.emplace_back();
            } else {
                row.entries.push_back(report::averaged_entry(last_ratios(dense, own)));
                row.entries.push_back(report::averaged_entry(crossings(own, dense)));
            }
            table.rows.push_back(std::move(row));
        }
    table.notes = {
        "± half the 95 % interval over rounds. A dash under 'faster from d': one of the two is faster at all d. "
        "Projections alone run on one thread, features on all."};
    return table;
}

Report report_of(const store::Dataset& data) { return {{time_figure(data), error_figure(data)}, {table(data)}}; }

}  // namespace

Study transforms_study() {
    return {"quasi",
            "transforms",
            "time of fast cosine and Hadamard transforms beside dense products, and the error of their directions",
            "Chen et al. 2024, section 3.2; Yu et al. 2016",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
