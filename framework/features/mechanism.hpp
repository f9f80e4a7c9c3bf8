#pragma once
// A mechanism: random features f1, f2 and a law of omega with E f1(omega, x) f2(omega, y) = K(x, y) =
// exp(-|x - y|^2 / 2). It is fitted from statistics, drawn by a sampling scheme and evaluated on rows. Most know their
// own variance.
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rfbench/features/feature_map.hpp"
#include "rfbench/features/pair_statistics.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/theory/signed_log.hpp"

namespace rfbench::features {

/// One pair of points and what most variances depend on. Differences are taken before squaring, so that near-equal
/// points keep their digits.
struct Pair {
    /// Both vectors must outlive the pair.
    Pair(const double* x, const double* y, Index dimension);
    /// Refers to x and y, of one dimension, which must outlive it. Throws std::invalid_argument for others.
    Pair(const Vector& x, const Vector& y);
    Pair(Vector&&, const Vector&) = delete;
    Pair(const Vector&, Vector&&) = delete;

    Eigen::Map<const Vector> x, y;  ///< d each
    Index dimension;                ///< d
    double xx, yy, xy;              ///< |x|^2, |y|^2, x.y
    double plus, minus;             ///< |x + y|^2, |x - y|^2

    double norms() const { return xx + yy; }            ///< s
    double log_kernel() const { return -0.5 * minus; }  ///< log K
};

/// Exact moments of the estimate Z of one draw (Re f1 f2 for one omega; for the hybrid, one whole unit). All in logs.
struct Moments {
    double log_mean;           ///< log E Z; log K for the unbiased mechanisms
    double log_second_moment;  ///< log E Z^2
    double log_variance;       ///< log Var Z; -infinity when it is zero

    /// Var = exp(log_second_moment) * (-expm1(2 log_mean - log_second_moment)).
    static Moments from_logs(double log_mean, double log_second_moment);
};

/// Parameter values by name: given by a user (--set A=-0.3) or chosen by fit().
using ParameterValue = std::variant<double, std::complex<double>, bool, std::vector<double>, std::string>;
/// Parameters of a mechanism by name.
using Settings = std::map<std::string, ParameterValue, std::less<>>;

/// Draw of a sampling scheme: d x N omegas and, for mechanisms with a phase, N phases in (0, 2 pi).
struct Draw {
    Projections omega;  ///< d x N, a draw a column
    Vector phase;       ///< N, or none
};

/// A fitted mechanism. Immutable; all members may be called from several threads.
class Mechanism {
public:
    virtual ~Mechanism() = default;

    /// The values of its parameters, given or fitted.
    virtual Settings parameters() const = 0;
    /// d of the rows it is for, where training has decided that; most are for any.
    virtual std::optional<Index> dimension() const { return {}; }

    /// The independent groups of omegas that M draws need: {M} for most. Columns of one group are coupled by the
    /// sampling scheme, columns of different groups are independent.
    virtual std::vector<Index> groups(Index count) const { return {count}; }
    /// Whether a draw has a phase beside its omega.
    virtual bool has_phase() const { return false; }
    /// For discrete laws: the quantile function of omega_l. Gaussian mechanisms have none.
    virtual std::function<double(Index l, double u)> quantile() const { return {}; }

    /// Real columns that M draws cost.
    virtual Index columns(Index count) const = 0;
    /// The features of this draw, ready to be evaluated; it keeps what it needs of the draw. Of draw(), which knows how
    /// many omegas and phases there must be.
    virtual std::unique_ptr<FeatureMap> map(const Draw&) const = 0;
};

/// One whose features belong to one draw each, and whose law of them is known: it states the moments of a draw.
class MechanismWithMoments : public Mechanism {
public:
    /// Exact, of the estimate of one draw at this pair.
    virtual Moments moments(const Pair&) const = 0;
    /// out: n x n', log variances of one draw for all pairs of rows. The default calls moments().
    virtual void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const;

    /// E Z_1 Z_2 - (E Z)^2 for two coupled draws, exactly; nothing where no closed form is known. The pair covariance
    /// of a block (orthogonal, simplex) or of an antithetic pair.
    virtual std::optional<theory::SignedLog> covariance(const Pair&, sampling::Coupling) const { return {}; }
};

/// Draws for one estimator of `count` features. Throws std::invalid_argument when the scheme cannot serve the
/// mechanism's law, naming those that can.
Draw draw(const Mechanism&, Index dimension, Index count, const sampling::Scheme&, const Stream&);

/// d x M omegas of N(0, I): what draw() gives a mechanism that asks for one group of them and no phase.
Projections draw_normals(Index dimension, Index count, const sampling::Scheme&, const Stream&);

/// log Var of the M-feature estimator (1/M) sum Z_m under the scheme; nothing where no closed form is known
/// (theory/coupling.hpp).
std::optional<double> estimator_log_variance(const MechanismWithMoments&, const Pair&, const sampling::Scheme&,
                                             Index count);

}  // namespace rfbench::features
