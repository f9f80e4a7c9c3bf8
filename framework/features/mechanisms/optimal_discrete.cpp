#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "rfbench/features/mechanism_info.hpp"
#include "rfbench/features/mechanisms/discrete_mechanism.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"
#include "rfbench/features/mechanisms/tabulated_law.hpp"
#include "rfbench/theory/log_factorial.hpp"

namespace rfbench::features {
namespace {

/// The sum of exp(logs), relative to the largest of them.
struct LogSum {
    double high = -std::numeric_limits<double>::infinity();
    double sum = 0;

    void add(double log_term) {
        if (log_term > high) {
            sum = sum * std::exp(high - log_term) + 1;
            high = log_term;
        } else {
            sum += std::exp(log_term - high);
        }
    }
    double log() const { return high + std::log(sum); }
};

class OptimalDiscrete final : public DiscreteMechanism {
public:
    OptimalDiscrete(TabulatedLaw law, Settings reported)
        : law_(std::make_shared<const TabulatedLaw>(std::move(law))), reported_(std::move(reported)) {
        reported_["mean"] = law_->means();
    }

    Settings parameters() const override { return reported_; }
    std::function<double(Index, double)> quantile() const override {
        return [law = law_](Index l, double u) { return law->quantile(l, u); };
    }
    double log_probability(Index l, double k) const override { return law_->log_probability(l, k); }

    double log_excess(Index l, double x, double y) const override {
        const double v = x * y;
        const Index terms = series_terms(l, std::abs(v));
        LogSum ratio;
        for (Index k = 0; k < terms; ++k) ratio.add(log_term(l, k, std::abs(v)));
        // A small difference of logs has lost its digits, and is summed from squares.
        const double excess = ratio.log() - 2 * v;
        return excess > 0.1 ? excess : std::log1p(sum_of_squares(l, v, terms));
    }
    void log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override;

private:
    /// log(v^2k / (k!^2 p_lk)), v >= 0.
    double log_term(Index l, Index k, double v) const {
        const double order = static_cast<double>(k);
        const double power = k == 0 ? 0 : order * std::log(v);
        return 2 * (power + law_->log_half_weight(l, k));
    }

    /// Terms of R_l(v) after which the rest is below `negligible` of the sum, and what it adds to E Z Z' below its
    /// root. At the largest v of many it serves the others too: their terms fall faster. Where the law has less mass
    /// than a point needs, terms rise again up to the table's end.
    Index series_terms(Index l, double v) const {
        constexpr double log_negligible = -80;
        if (v == 0) return 1;
        double highest = log_term(l, 0, v), before = highest;
        Index terms = 1;
        for (Index k = 1;; ++k) {
            const double next = log_term(l, k, v);
            highest = std::max(highest, next);
            if (next >= highest + log_negligible)
                terms = k + 1;
            else if (k >= law_->table_size(l) && next < before)
                return terms;
            before = next;
        }
    }

    /// E Z^2 / K^2 - 1 of one coordinate as E (Z / K - 1)^2, whose terms do not cancel:
    /// sum_k p_k (r_k - 1)^2, r_k = exp(-v) v^k / (k! p_k).
    double sum_of_squares(Index l, double v, Index terms) const {
        // Beyond the terms r_k is nothing, and (r_k - 1)^2 one: what is left of the law.
        double sum = law_->tail(l, terms - 1);
        for (Index k = 0; k < terms; ++k) {
            const double log_p = law_->log_probability(l, static_cast<double>(k));
            const double size = std::exp(0.5 * (log_term(l, k, std::abs(v)) - log_p) - v);
            const double gap = (v < 0 && k % 2 == 1 ? -size : size) - 1;
            sum += std::exp(log_p) * gap * gap;
        }
        return sum;
    }

    Points scaled_factors(Index l, const Eigen::Ref<const Vector>& column, Index terms, Vector& log_scale) const;

    std::shared_ptr<const TabulatedLaw> law_;
    Settings reported_;
};

/// |x_i|^2k / (k! sqrt p_lk) for every row and k < terms, relative to the row's largest: R is their product, n x terms.
/// The logs of the largest are added to log_scale.
Points OptimalDiscrete::scaled_factors(Index l, const Eigen::Ref<const Vector>& column, Index terms,
                                       Vector& log_scale) const {
    const Eigen::ArrayXd orders = Eigen::ArrayXd::LinSpaced(terms, 0, static_cast<double>(terms - 1));
    Eigen::ArrayXd weights(terms);
    for (Index k = 0; k < terms; ++k) weights[k] = law_->log_half_weight(l, k);
    Points result(column.size(), terms);
    for (Index i = 0; i < column.size(); ++i) {
        // In place of log 0: its powers vanish against the power 0.
        const double log_size = std::log(std::max(std::abs(column[i]), 1e-150));
        auto row = result.row(i).array();
        row = (2 * log_size * orders + weights).transpose();
        const double high = row.maxCoeff();
        row = (row - high).exp();
        log_scale[i] += high;
    }
    return result;
}

void OptimalDiscrete::log_ratios(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const {
    constexpr Index max_table = Index{1} << 26;
    // A sum below `doubtful` may have lost terms that underflowed against both rows' largest.
    constexpr double doubtful = 1e-280, least = 1e-260, most = 1e260;
    Vector x_scale = Vector::Zero(x.rows()), y_scale = Vector::Zero(y.rows());
    Points product = Points::Ones(x.rows(), y.rows()), sums(x.rows(), y.rows());
    double floor = 1, ceiling = 1;
    out.setZero();
    for (Index l = 0; l < x.cols(); ++l) {
        const Index terms = series_terms(l, x.col(l).cwiseAbs().maxCoeff() * y.col(l).cwiseAbs().maxCoeff());
        if (terms * (x.rows() + y.rows()) > max_table) {
            out.setConstant(std::numeric_limits<double>::quiet_NaN());
            return;
        }
        // R_l of all pairs is one product of matrices: a row of powers for each x and for each y, relative to its
        // largest.
        const Vector x_before = x_scale, y_before = y_scale;
        const Points a = scaled_factors(l, x.col(l), terms, x_scale), b = scaled_factors(l, y.col(l), terms, y_scale);
        sums.noalias() = a * b.transpose();
        double lowest = sums.minCoeff();
        if (lowest < doubtful) {
            // Pairs whose terms underflowed are summed in logs, and count as one in the product.
            lowest = 1;
            for (Index i = 0; i < x.rows(); ++i)
                for (Index j = 0; j < y.rows(); ++j) {
                    if (sums(i, j) >= doubtful) {
                        lowest = std::min(lowest, sums(i, j));
                        continue;
                    }
                    out(i, j) += log_excess(l, x(i, l), y(j, l)) + 2 * x(i, l) * y(j, l) -
                                 (x_scale[i] - x_before[i] + y_scale[j] - y_before[j]);
                    sums(i, j) = 1;
                }
        }
        // One logarithm serves many coordinates: it is taken before the product of their sums, each at most `terms`,
        // could leave double.
        if (floor * lowest < least || ceiling * static_cast<double>(terms) > most) {
            out.array() += product.array().log();
            product.setOnes();
            floor = ceiling = 1;
        }
        product.array() *= sums.array();
        floor *= std::min(lowest, 1.0);
        ceiling *= static_cast<double>(terms);
    }
    out.array() += product.array().log();
    out.colwise() += x_scale;
    out.rowwise() += y_scale.transpose();
}

/// log Poisson(k; lambda) for k = 0, 1, ... until it is below 1e-18 of its sum, the same for every coordinate.
std::vector<Vector> log_poisson(double lambda, Index dimension) {
    Vector logs(static_cast<Index>(lambda + 10 * std::sqrt(lambda) + 24));
    for (Index k = 0; k < logs.size(); ++k) {
        const double order = static_cast<double>(k);
        logs[k] = order * std::log(lambda) - lambda - theory::log_factorial(order);
    }
    return std::vector<Vector>(static_cast<std::size_t>(dimension), logs);
}

std::unique_ptr<MechanismWithMoments> fit_optimal_discrete(const Statistics& statistics, const Settings& settings) {
    constexpr double max_lambda = 1e5;
    if (const auto lambda = setting_between(settings, "optimal-discrete", "lambda", 0, max_lambda))
        return std::make_unique<OptimalDiscrete>(TabulatedLaw(log_poisson(*lambda, statistics.dimension())),
                                                 Settings{{"lambda", *lambda}});
    if (statistics.x.log_poisson_moments.empty() || statistics.y.log_poisson_moments.empty())
        throw std::invalid_argument("optimal-discrete: the statistics were made without Poisson moments");
    std::vector<Vector> log_weights;
    for (std::size_t l = 0; l < statistics.x.log_poisson_moments.size(); ++l) {
        const Vector &x = statistics.x.log_poisson_moments[l], &y = statistics.y.log_poisson_moments[l];
        // Statistics in files of version 0.2.0 have tables of two lengths.
        const Index terms = std::min(x.size(), y.size());
        log_weights.emplace_back(0.5 * (x.head(terms) + y.head(terms)));
    }
    return std::make_unique<OptimalDiscrete>(TabulatedLaw(log_weights), Settings{});
}

}  // namespace

const MechanismInfo& optimal_discrete() {
    static const MechanismInfo info{
        .name = "optimal-discrete",
        .paper_name = "ours",
        .summary = "signed monomials with, for each coordinate, the law of least variance over the two sets",
        .features =
            "f(x) = exp(-|x|^2/2) prod_l x_l^w_l (w_l! p_l,w_l)^(-1/2) on both sides, "
            "p_lk prop. to sqrt(E[exp(-x_l^2) x_l^2k] E[exp(-y_l^2) y_l^2k]) / k!",
        .variance =
            "mean of E Z^2 over pairs = prod_l (sum_k sqrt(s_lk)/k!)^2; one pair: exp(2 sum |x_l y_l| - |x|^2 - |y|^2)",
        .reference = "ours, for the open question of Likhosherstov 2022, 6.4.2",
        .cost = "fit O((L + L') d K), K powers that count; 1 real column a draw; O(d) and one exponential a feature",
        .parameters = {{"lambda", ParameterInfo::Type::real, "a number between 0 and 100000",
                        "mean of a Poisson law that takes the place of the optimal law of every coordinate; reported "
                        "with it is 'mean', the mean of each coordinate's law"}},
        .discrete = true,
        .poisson_moments = PoissonMoments::computed,
        .fitted = [](const Settings& given) { return !given.contains("lambda"); },
        .fit = fit_optimal_discrete};
    return info;
}

}  // namespace rfbench::features
