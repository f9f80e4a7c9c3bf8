#pragma once
#include "rfbench/attention/linear.hpp"
#include "rfbench/training/head_attention.hpp"

namespace rfbench::training {

/// Adds the gradient of the features' parameters to that of the head's, where it has some.
template <class Scalar>
void add_parameters(const attention::Gradients<Scalar>& gradients, ColumnRef<Scalar> by_parameters) {
    if (by_parameters.size() > 0) by_parameters += gradients.parameters.template cast<Scalar>();
}

/// Linear attention of a whole sequence; the backward pass makes features again, in tiles.
template <class Scalar>
class LinearPass final : public HeadPass<Scalar> {
public:
    LinearPass(std::shared_ptr<const features::FeatureMap> map, attention::Norm norm,
               const attention::Inputs<Scalar>& in, attention::Visible visible)
        : map_(std::move(map)), norm_(norm), in_(in), visible_(visible) {
        this->outcome = attention::linear(*map_, in_, visible_, this->output, norm_);
    }
    void backward(const RowsView<Scalar>& gradient, attention::Gradients<Scalar>& out,
                  ColumnRef<Scalar> by_parameters) const override {
        attention::backward(*map_, in_, visible_, gradient, out, norm_);
        add_parameters<Scalar>(out, by_parameters);
    }

private:
    std::shared_ptr<const features::FeatureMap> map_;
    attention::Norm norm_;
    attention::Inputs<Scalar> in_;
    attention::Visible visible_;
};

}  // namespace rfbench::training
