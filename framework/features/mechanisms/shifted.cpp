#include "rfbench/features/mechanisms/shifted.hpp"

#include <limits>

#include "rfbench/features/log_features.hpp"
#include "rfbench/features/mechanisms/law_parameters.hpp"

namespace rfbench::features {
namespace {

/// Statistics of x - c, but for log_poisson_moments. The spread is that of x: none for one point, and never negative.
SetStatistics shifted(const SetStatistics& set, const Vector& c) {
    SetStatistics result;
    result.rows = set.rows;
    result.mean = set.mean - c;
    // After the shift no coordinate is negative.
    result.mean_absolute = result.mean;
    result.minimum = set.minimum - c;
    result.second_moment = result.mean * result.mean.transpose();
    if (set.rows > 1) {
        Eigen::MatrixXd spread = set.covariance();
        spread.diagonal() = spread.diagonal().cwiseMax(0);
        result.second_moment += spread;
    }
    return result;
}

/// Its inner map has logarithms.
class ShiftedMap final : public FeatureMapOf<ShiftedMap>, public LogFeaturesOf<ShiftedMap> {
public:
    ShiftedMap(std::unique_ptr<FeatureMap> inner, const Vector& c, double epsilon)
        : inner_(std::move(inner)), c_(c), epsilon_(epsilon) {}

    Index columns() const override { return inner_->columns(); }

    template <class Scalar>
    void evaluate_rows(Side side, const RowsView<Scalar>& rows, FeatureBlock<Scalar>& out) const {
        inner_->evaluate(side, moved(rows), out);
    }
    template <class Scalar>
    LogInputs<Scalar> take_inputs(Side side, const RowsView<Scalar>& rows) const {
        return inner_->logs()->log_inputs(side, moved(rows));
    }
    template <class Scalar>
    void write_logs(Side side, const LogInputs<Scalar>& in, Index first, Index n, LogFeatureBlock<Scalar>& out) const {
        inner_->logs()->evaluate_logs(side, in, first, n, out);
    }

private:
    template <class Scalar>
    Rows<Scalar> moved(const RowsView<Scalar>& rows) const {
        // In double, so that a float row at the minimum does not round below it.
        Points wide = rows.template cast<double>();
        wide.rowwise() -= c_.transpose();
        return wide.cwiseMax(epsilon_).template cast<Scalar>();
    }

    std::unique_ptr<FeatureMap> inner_;
    Vector c_;
    double epsilon_;
};

class Shifted final : public MechanismWithMoments {
public:
    Shifted(std::unique_ptr<MechanismWithMoments> inner, Vector c, double epsilon)
        : inner_(std::move(inner)), c_(std::move(c)), epsilon_(epsilon) {}

    Settings parameters() const override {
        Settings all = inner_->parameters();
        all["epsilon"] = epsilon_;
        all["shift"] = std::vector<double>(c_.begin(), c_.end());
        return all;
    }
    std::vector<Index> groups(Index count) const override { return inner_->groups(count); }
    std::function<double(Index, double)> quantile() const override { return inner_->quantile(); }
    Index columns(Index count) const override { return inner_->columns(count); }
    std::unique_ptr<FeatureMap> map(const Draw& draw) const override {
        return std::make_unique<ShiftedMap>(inner_->map(draw), c_, epsilon_);
    }

    Moments moments(const Pair& pair) const override {
        // Points are moved as the map moves them: what lies beyond the fitted sets comes to epsilon.
        const Vector x = (pair.x - c_).cwiseMax(epsilon_);
        const Vector y = (pair.y - c_).cwiseMax(epsilon_);
        return inner_->moments(Pair(x, y));
    }
    void log_variances(const PointsView& x, const PointsView& y, Eigen::Ref<Points> out) const override {
        const Points moved_x = (x.rowwise() - c_.transpose()).cwiseMax(epsilon_);
        const Points moved_y = (y.rowwise() - c_.transpose()).cwiseMax(epsilon_);
        inner_->log_variances(moved_x, moved_y, out);
    }

private:
    std::unique_ptr<MechanismWithMoments> inner_;
    Vector c_;
    double epsilon_;
};

}  // namespace

std::unique_ptr<MechanismWithMoments> fit_shifted(
    const char* name, const Statistics& statistics, const Settings& settings,
    std::unique_ptr<MechanismWithMoments> (*fit)(const char* name, const Statistics&, const Settings&)) {
    const double epsilon =
        setting_between(settings, name, "epsilon", 0, std::numeric_limits<double>::infinity()).value_or(1e-8);
    const Vector c = statistics.x.minimum.cwiseMin(statistics.y.minimum).array() - epsilon;
    Settings inner = settings;
    inner.erase("epsilon");
    return std::make_unique<Shifted>(fit(name, {shifted(statistics.x, c), shifted(statistics.y, c)}, inner), c,
                                     epsilon);
}

ParameterInfo epsilon_parameter() {
    return {"epsilon", ParameterInfo::Type::real, "any number above 0",
            "how far the smallest coordinate is shifted above 0 (default 1e-8)"};
}

}  // namespace rfbench::features
