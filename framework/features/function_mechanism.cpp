#include "rfbench/features/function_mechanism.hpp"

#include <cmath>

#include "rfbench/errors.hpp"
#include "rfbench/text/number.hpp"

namespace rfbench::features {
namespace {

using Functions = std::shared_ptr<const MechanismFunctions>;

class FunctionMap final : public FeatureMapOf<FunctionMap> {
public:
    FunctionMap(Functions functions, const Projections& omega, Index columns)
        : functions_(std::move(functions)), omega_(omega), columns_(columns) {}

    Index columns() const override { return columns_; }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        Rows<double> values = functions_->features(side, rows.template cast<double>(), omega_);
        if (values.cols() != columns_)
            throw InputError("features_x and features_y of '" + functions_->name() + "' give " +
                             std::to_string(columns_) + " and " + std::to_string(values.cols()) +
                             " real columns; they must give as many");
        out.log_scale.setConstant(rows.rows(), -0.5 * std::log(static_cast<double>(omega_.cols())));
        out.vanished = 0;
        // The largest feature of each row goes into its scale.
        for (Index i = 0; i < rows.rows(); ++i) {
            const double largest = columns_ > 0 ? values.row(i).cwiseAbs().maxCoeff() : 0.0;
            if (largest == 0) {
                ++out.vanished;
                continue;
            }
            values.row(i) /= largest;
            out.log_scale[i] += std::log(largest);
        }
        out.values = values.template cast<Scalar>();
    }

private:
    Functions functions_;
    Projections omega_;
    Index columns_;
};

/// Mechanism by functions. `Kind` is Mechanism, or MechanismWithMoments where the functions state moments.
template <class Kind>
class FunctionMechanism : public Kind {
public:
    FunctionMechanism(Functions functions, Index dimension) : functions_(std::move(functions)), dimension_(dimension) {}

    Settings parameters() const override { return {}; }
    std::optional<Index> dimension() const override { return dimension_; }
    std::function<double(Index, double)> quantile() const override { return functions_->quantile(); }
    Index columns(Index count) const override {
        return functions_->features(Side::query, Points::Zero(1, dimension_), Projections::Zero(dimension_, count))
            .cols();
    }
    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        return std::make_unique<FunctionMap>(functions_, draw.omega, columns(draw.omega.cols()));
    }

protected:
    const MechanismFunctions& functions() const { return *functions_; }

private:
    Functions functions_;
    Index dimension_;
};

class WithMoments final : public FunctionMechanism<MechanismWithMoments> {
public:
    using FunctionMechanism::FunctionMechanism;

    Moments moments(const Pair& pair) const override {
        const Points x = pair.x.transpose(), y = pair.y.transpose();
        return checked(pair, functions().log_second_moments(x, y)(0, 0));
    }

    /// All pairs by one call of the function.
    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        const Points logs = functions().log_second_moments(x, y);
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < y.rows(); ++j)
                out(i, j) = checked(Pair(x.row(i).data(), y.row(j).data(), x.cols()), logs(i, j)).log_variance;
    }

private:
    Moments checked(const Pair& pair, double log_second_moment) const {
        // A right formula is off by rounding of its terms; 1e-10 of them is far more than that.
        const double log_square = 2 * pair.log_kernel(), terms = 1 + pair.norms() + std::abs(log_second_moment);
        if (log_second_moment < log_square - 1e-10 * terms)
            throw InputError("log_second_moment of '" + functions().name() + "' gives " +
                             shortest_text(log_second_moment) + " for a pair whose 2 log K is " +
                             shortest_text(log_square) + ": E Z^2 is never below K^2");
        return Moments::from_logs(pair.log_kernel(), log_second_moment);
    }
};

}  // namespace

std::unique_ptr<Mechanism> mechanism_of(Functions functions, Index dimension) {
    return std::make_unique<FunctionMechanism<Mechanism>>(std::move(functions), dimension);
}

std::unique_ptr<MechanismWithMoments> mechanism_with_moments_of(Functions functions, Index dimension) {
    return std::make_unique<WithMoments>(std::move(functions), dimension);
}

}  // namespace rfbench::features
