// rfbench inspect-data: where a user's points stand, and what follows for features of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rfbench/datasets/points.hpp"
#include "rfbench/dof/spectrum.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/features/pair_statistics.hpp"
#include "rfbench/report/table.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

constexpr Index max_rows = 256;  ///< of each side, evenly over the file

Points every_second(const Points& all, Index first) { return all(Eigen::seq(first, all.rows() - 1, 2), Eigen::all); }

Points some_rows(const Points& all) {
    const Index count = std::min(all.rows(), max_rows);
    Points some(count, all.cols());
    for (Index i = 0; i < count; ++i) some.row(i) = all.row(i * all.rows() / count);
    return some;
}

/// Least value, quartiles and greatest value of what was seen.
void add_row(report::Table& table, const std::string& name, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    table.rows.push_back({{name, at(0), at(0.25), at(0.5), at(0.75), at(1)}});
}

report::Table places(const Points& x, const Points& y) {
    std::vector<double> norms_x, norms_y, angles, sums, differences, products;
    for (Index i = 0; i < x.rows(); ++i) norms_x.push_back(x.row(i).norm());
    for (Index j = 0; j < y.rows(); ++j) norms_y.push_back(y.row(j).norm());
    for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < y.rows(); ++j) {
            const double product = x.row(i).dot(y.row(j)), lengths = x.row(i).norm() * y.row(j).norm();
            products.push_back(product);
            sums.push_back((x.row(i) + y.row(j)).squaredNorm());
            differences.push_back((x.row(i) - y.row(j)).squaredNorm());
            if (lengths > 0)
                angles.push_back(std::acos(std::clamp(product / lengths, -1.0, 1.0)) * 180 / std::numbers::pi);
        }
    report::Table table{.name = "places", .columns = {report::word_column("of all rows or pairs")}};
    for (const char* title : {"least", "lower quartile", "median", "upper quartile", "greatest"})
        table.columns.push_back(report::number_column(title, {}));
    add_row(table, "|x|", norms_x);
    add_row(table, "|y|", norms_y);
    add_row(table, "x.y", products);
    if (!angles.empty()) add_row(table, "angle in degrees", angles);
    add_row(table, "|x + y|^2", sums);
    add_row(table, "|x - y|^2", differences);
    return table;
}

/// Mean over pairs of log Var(Z) / K^2 of one draw, fitted to these points as every study fits.
report::Table variances(const Points& x, const Points& y) {
    report::Table table{
        .name = "variances",
        .columns = {report::word_column("mechanism"), report::number_column("mean log (Var / K^2) of one draw", {})}};
    std::vector<std::pair<double, std::string>> all;
    for (const features::MechanismInfo& info : features::catalogue()) {
        if (!info.has_moments() || !info.unbiased) continue;
        const auto mechanism = features::fit_with_moments(info, features::statistics(x, y, info.poisson_moments));
        double sum = 0, count = 0;
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < y.rows(); ++j) {
                const features::Pair pair(x.row(i).data(), y.row(j).data(), x.cols());
                const double log_variance = mechanism->moments(pair).log_variance;
                // Pairs without any variance, as equal points of some have, have no logarithm.
                if (std::isfinite(log_variance)) sum += log_variance - 2 * pair.log_kernel(), ++count;
            }
        all.emplace_back(count > 0 ? sum / count : NAN, info.name);
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [value, name] : all) table.rows.push_back({{name, value}});
    table.notes = {"Above 0 the error of one draw is larger than the value; M draws take log M off."};
    return table;
}

Points read(const std::string& where, bool attention) {
    Points points = datasets::read_points(where);
    // exp(q.k / sqrt d) is the kernel of q and k over d^(1/4), but for norms.
    if (attention) points /= std::pow(static_cast<double>(points.cols()), 0.25);
    return points;
}

}  // namespace

int inspect_data(const std::string& x_file, const std::string& y_file, bool attention) {
    const Points given = read(x_file, attention);
    // No row meets itself: every second row of a single file is y.
    const bool halves = y_file.empty() && given.rows() > 1;
    const Points all_x = halves ? every_second(given, 0) : given;
    const Points all_y = halves ? every_second(given, 1) : read(y_file.empty() ? x_file : y_file, attention);
    if (all_x.cols() != all_y.cols())
        throw InputError(fmt::format("inspect-data: rows of {} have {} numbers, those of {} have {}", x_file,
                                     all_x.cols(), y_file, all_y.cols()));
    const Points x = some_rows(all_x), y = some_rows(all_y);
    const double d = static_cast<double>(x.cols());
    const double deviation =
        std::sqrt((all_x.squaredNorm() + all_y.squaredNorm()) / (d * static_cast<double>(all_x.rows() + all_y.rows())));
    fmt::print("{} and {} rows of {} numbers, root mean square {:.3g}{}; pairs of {} and {} rows are looked at.\n\n",
               all_x.rows(), all_y.rows(), x.cols(), deviation, attention ? " after the division by d^(1/4)" : "",
               x.rows(), y.rows());
    fmt::print("{}\n{}\n", report::terminal(places(x, y)), report::terminal(variances(x, y)));

    // The spectrum is of exp(q.k / sqrt d), which is that of points over d^(1/4).
    const dof::Spectrum spectrum = dof::softmax_spectrum(Points(std::pow(d, 0.25) * x));
    fmt::print("Degrees of freedom of the kernel exp(x.y) at a hundredth of its trace: {:.1f}.\n",
               spectrum.degrees_of_share(0.01));
    // Heads of the studies are normal with the kernel exp(q.k / sqrt d): q is d^(1/4) x.
    fmt::print(
        "'rfbench recommend {} --d {} --sd {:.2g} --reference' says which features to take{}; without --reference by "
        "what 'rfbench run attention/mechanisms' found here.\n",
        attention ? "attention" : "kernel", x.cols(), deviation * std::pow(d, 0.25),
        attention ? "" : " (this sd is the root mean square above times d^(1/4))");
    return success;
}

}  // namespace rfbench::cli
