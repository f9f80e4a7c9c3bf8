#include "rfbench/training/gated_head.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "rfbench/attention/linear_form.hpp"
#include "rfbench/features/maps/log_logistic.hpp"
#include "rfbench/features/maps/weighted_rows.hpp"

namespace rfbench::training {
namespace {

using attention::Gradients;
using attention::Inputs;
using attention::Visible;
using features::FeatureMap;
using features::log_logistic;

const attention::LinearForm form{.positions = true, .causal_alone = true, .name = "gated attention"};

/// Gates of a sequence.
struct Gates {
    Vector open;          ///< g_t; 1 for padding
    Vector log_decay;     ///< c_t = log(g_0 ... g_t)
    Vector log_strength;  ///< log(1 - g_t); 0 for padding, which attention leaves out

    template <class Scalar>
    Gates(const Inputs<Scalar>& in, const Vector& parameters)
        : open(Vector::Ones(in.keys.rows())), log_decay(in.keys.rows()), log_strength(Vector::Zero(in.keys.rows())) {
        const Index d = in.keys.cols();
        double sum = 0;
        for (Index t = 0; t < in.keys.rows(); ++t) {
            if (in.keeps(t)) {
                const double z = in.keys.row(t).template cast<double>().dot(parameters.head(d)) + parameters[d];
                sum += log_logistic(z);
                open[t] = std::exp(log_logistic(z));
                log_strength[t] = log_logistic(-z);
            }
            log_decay[t] = sum;
        }
    }

    /// A query that sees the key of token s from token t gives it the weight exp(c_t - c_s) (1 - g_s).
    std::shared_ptr<const FeatureMap> weighted(std::shared_ptr<const FeatureMap> map) const {
        return features::weighted_rows(std::move(map), log_decay, log_strength - log_decay);
    }
};

template <class Scalar>
class GatedPass final : public HeadPass<Scalar> {
public:
    GatedPass(std::shared_ptr<const FeatureMap> map, Vector parameters, const Inputs<Scalar>& in)
        : in_(in),
          parameters_(std::move(parameters)),
          gates_(in, parameters_),
          map_(gates_.weighted(std::move(map))),
          placed_(in, 0) {
        this->outcome = attention::linear(*map_, placed_.inputs(), Visible::causal, this->output, form.norm);
    }

    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        attention::backward(*map_, placed_.inputs(), Visible::causal, gradient, out, form.norm);
        const Index d = in_.keys.cols();
        const Vector by_query = out.queries.col(d).template cast<double>();
        const Vector by_key = out.keys.col(d).template cast<double>();
        for (Rows<Scalar>* const rows : {&out.queries, &out.keys}) rows->conservativeResize(Eigen::NoChange, d);
        Vector by_gate = Vector::Zero(d + 1);
        // c_t is the sum of log g_s over s up to t: from the last token to the first, the gradient of log g_s adds up.
        double later = 0;
        for (Index t = in_.keys.rows() - 1; t >= 0; --t) {
            later += by_query[t] - by_key[t];
            if (!in_.keeps(t)) continue;
            const double g = gates_.open[t];
            // d log g / dz = 1 - g, d log(1 - g) / dz = -g.
            const double by_z = later * std::exp(gates_.log_strength[t]) - by_key[t] * g;
            out.keys.row(t) += (by_z * parameters_.head(d)).transpose().template cast<Scalar>();
            by_gate.head(d) += by_z * in_.keys.row(t).transpose().template cast<double>();
            by_gate[d] += by_z;
        }
        by_parameters += by_gate.template cast<Scalar>();
    }

private:
    Inputs<Scalar> in_;
    Vector parameters_;
    Gates gates_;
    std::shared_ptr<const FeatureMap> map_;
    attention::WithPositions<Scalar> placed_;
};

class Gated final : public HeadAttentionOf<Gated> {
public:
    Gated(std::shared_ptr<const FeatureMap> map, Index dimension, double start)
        : map_(std::move(map)), dimension_(dimension), start_(start) {
        if (!map_ || !map_->differentiable())
            throw std::invalid_argument("gated attention: there is no feature map with gradients");
        if (!std::isfinite(start)) throw std::invalid_argument("gated attention: the gate's start is not finite");
    }

    Index parameters() const override { return dimension_ + 1; }
    Vector start(const Stream&) const override {
        Vector all = Vector::Zero(dimension_ + 1);
        all[dimension_] = start_;
        return all;
    }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        form.require(visible);
        attention::check(in, visible);
        if (in.keys.cols() != dimension_)
            throw std::invalid_argument("gated attention: keys have " + std::to_string(in.keys.cols()) +
                                        " coordinates, the gate " + std::to_string(dimension_));
        const Vector all = parameters.template cast<double>();
        features::check_parameters("gated attention", all, dimension_ + 1);
        return std::make_unique<GatedPass<Scalar>>(map_, all, in);
    }

private:
    std::shared_ptr<const FeatureMap> map_;
    Index dimension_;
    double start_;
};

}  // namespace

std::unique_ptr<HeadAttention> gated_attention(std::shared_ptr<const FeatureMap> map, Index dimension, double start) {
    return std::make_unique<Gated>(std::move(map), dimension, start);
}

}  // namespace rfbench::training
