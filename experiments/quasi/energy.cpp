// Tests whether cosine transforms concentrate the energy of queries and keys (Chen et al. 2024, line 200): the share of
// the largest coefficients in the cosine basis, beside that in coordinates as they are, in random rotations, and in the
// principal axes, which no basis exceeds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/decompositions/symmetric_eigen.hpp"
#include "rfbench/parallel/parts.hpp"
#include "rfbench/random/haar.hpp"
#include "rfbench/report/averaged.hpp"
#include "rfbench/sampling/cosine_rows.hpp"
#include "sources/heads.hpp"

namespace rfbench::experiments {
namespace {

const std::vector<std::string> bases{"coordinates", "cosine", "rotated", "principal axes"};
const std::vector<std::string> sides{"queries", "keys"};

struct Setting {
    HeadList list;
    Axis<std::uint64_t> repeats;
    Axis<double> kept;  ///< inside a cell
    Index rotations;
    Stream seed;
};

std::vector<config::KeyRule> keys() {
    using namespace config;
    return {
        head_list_key(),
        defaulted("kept", numbers(above(0).at_most(1)), "[0.125, 0.25, 0.5]",
                  "shares of the coefficients, the largest"),
        defaulted("rotations", integer(1, 10'000), "16", "random rotations that are averaged over"),
        defaulted("repeats", integer(2, 100'000), "8", "sequences"),
    };
}

/// Shares of the energy in the largest entries, one a value of `kept`: ceil(kept d) entries of `energies` over their
/// sum.
std::vector<double> shares(Vector energies, const std::vector<double>& kept) {
    std::sort(energies.begin(), energies.end(), std::greater<>());
    std::vector<double> found;
    for (const double share : kept) {
        const auto count = static_cast<Index>(std::ceil(share * static_cast<double>(energies.size())));
        found.push_back(energies.head(count).sum() / energies.sum());
    }
    return found;
}

/// Mean squares of coefficients over rows: the diagonal of V' C V for the second moments C.
Vector energies_in(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& moments) {
    return (moments * basis).cwiseProduct(basis).colwise().sum().transpose();
}

/// [basis][kept] of the rows of one side.
std::vector<double> shares_of(const Points& rows, const Setting& own, const Stream& seed) {
    const Index d = rows.cols();
    // The largest entry first: its square may be beyond double where shares are not.
    const double largest = rows.cwiseAbs().maxCoeff();
    const Points scaled = largest > 0 ? Points(rows / largest) : rows;
    const Eigen::MatrixXd moments = scaled.transpose() * scaled;
    Eigen::MatrixXd cosine(d, d);
    for (Index k = 0; k < d; ++k) cosine.col(k) = sampling::cosine_direction(sampling::CosineSide::rows, d, k);
    std::vector<double> all = shares(moments.diagonal(), own.kept.values);
    const auto add = [&](const std::vector<double>& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(shares(energies_in(cosine, moments), own.kept.values));
    std::vector<double> rotated(own.kept.values.size(), 0);
    Eigen::MatrixXd basis(d, d);
    for (const Index r : parallel::Parts(own.rotations)) {
        fill_haar(seed.child(static_cast<std::uint64_t>(r)), basis);
        const auto one = shares(energies_in(basis, moments), own.kept.values);
        for (std::size_t k = 0; k < one.size(); ++k) rotated[k] += one[k] / static_cast<double>(own.rotations);
    }
    add(rotated);
    add(shares(decompositions::symmetric_eigenvalues(moments).cwiseMax(0), own.kept.values));
    return all;
}

store::Dataset compute(const Setting& own, const Point& at) {
    const HeadSequence head = at[own.list.heads].sequence(at[own.repeats]);
    const Stream seed = own.seed.child("rotations").child(at[own.repeats]);
    store::Variable share{"share", {"side", "basis", "kept"}, {}, "", "energy in the largest coefficients, over all"};
    parallel::Parts two_sides(2);
    for (const Points* rows : {&head.tokens.queries, &head.tokens.keys}) {
        const auto one = shares_of(*rows, own, seed);
        share.values.insert(share.values.end(), one.begin(), one.end());
        two_sides.done();
    }
    return {{{"side", sides, "", "rows that are transformed"},
             {"basis", bases, "", "orthonormal basis"},
             own.kept.stored()},
            {std::move(share)},
            {}};
}

Sweep prepare(const config::Value& config) {
    const Stream seed = study_stream(config, "quasi/energy");
    const Setting own{
        HeadList(config, dimension_first_streams(seed)), repeat_axis("repeat", Key{config, "repeats"}, "sequence"),
        axis("kept", config.at("kept").numbers(), "share of the coefficients"), whole(config, "rotations"), seed};
    Sweep sweep = Sweep::over(own.list.heads, own.repeats);
    sweep.notes = own.list.notes_of_repeats(own.repeats.size());
    sweep.bytes = 4 * static_cast<double>(own.list.widest() * own.list.longest()) * sizeof(double);
    // Rows that are all zero have no shares.
    sweep.finite_but.emplace();
    sweep.compute = [own](const Point& at) { return compute(own, at); };
    return sweep;
}

report::Averages averages(const store::Dataset& data, const std::string& head, const std::string& side,
                          const std::string& basis) {
    return report::average(data, "share", {{"head", head}, {"side", side}, {"basis", basis}}, "repeat");
}

report::Figure figure(const store::Dataset& data) {
    report::Figure result{.name = "energy",
                          .title = "Energy in the largest coefficients",
                          .caption = "Share of the energy of queries in the largest coefficients, by basis.",
                          .interval = "Bands: " + report::interval_words("sequences"),
                          .columns = 2};
    for (const std::string& head : report::words(data, "head")) {
        report::Panel panel{.title = head};
        panel.x = {.label = "share of the coefficients"};
        panel.y = {.label = "share of the energy"};
        for (const std::string& basis : bases)
            panel.series.push_back(report::averaged_series(basis, report::numbers(data, "kept"),
                                                           averages(data, head, "queries", basis),
                                                           report::Style::line_points));
        result.panels.push_back(std::move(panel));
    }
    return result;
}

report::Table table(const store::Dataset& data) {
    const auto& kept = report::numbers(data, "kept");
    const std::size_t middle = kept.size() / 2;
    report::Table result{.name = "energy",
                         .caption = fmt::format("Share of the energy in the largest {} of the coefficients, mean over "
                                                "sequences ± half its 95 % interval.",
                                                kept[middle]),
                         .columns = {report::word_column("head"), report::word_column("side")}};
    for (const std::string& basis : bases) result.columns.push_back({basis});
    for (const std::string& head : report::words(data, "head"))
        for (const std::string& side : sides) {
            report::Row row{{head, side}, side == sides.front()};
            for (const std::string& basis : bases)
                row.entries.push_back(report::averaged_entry(averages(data, head, side, basis), middle));
            result.rows.push_back(std::move(row));
        }
    return result;
}

Report report_of(const store::Dataset& data) { return {{figure(data)}, {table(data)}}; }

}  // namespace

Study energy_study() {
    return {"quasi",
            "energy",
            "energy of queries and keys in cosine coefficients, beside coordinates, rotations and principal axes",
            "Chen et al. 2024, section 3.3",
            1,
            {},
            keys,
            prepare,
            report_of};
}

}  // namespace rfbench::experiments
