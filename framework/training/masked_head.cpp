#include "rfbench/training/masked_head.hpp"

#include <stdexcept>

#include "rfbench/attention/masked_exact.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::training {
namespace {

using attention::Column;
using attention::Gradients;
using attention::Inputs;
using attention::MaskedGradients;
using attention::ToeplitzMask;
using attention::Visible;
using features::FeatureMap;

/// Softmax where there is no map.
template <class Scalar>
class MaskedPass final : public HeadPass<Scalar> {
public:
    MaskedPass(std::shared_ptr<const FeatureMap> map, ToeplitzMask mask, const ColumnView<Scalar>& parameters,
               const Inputs<Scalar>& in)
        : map_(std::move(map)), mask_(std::move(mask)), parameters_(parameters), in_(in) {
        if (map_)
            this->outcome.nonpositive = attention::masked(*map_, mask_, in_, this->output).nonpositive;
        else
            this->outcome = attention::masked_exact(mask_, in_, this->output);
    }

    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out,
                  ColumnRef<Scalar> parameter_gradient) const override {
        MaskedGradients<Scalar> all;
        if (map_)
            attention::masked_backward(*map_, mask_, in_, gradient, all);
        else
            attention::masked_exact_backward(mask_, in_, gradient, all);
        // The mask is made of |z|, whose derivative is the sign of z, taken to be 1 at 0.
        for (Index k = 0; k < parameters_.size(); ++k)
            parameter_gradient[k] += parameters_[k] < 0 ? -all.numbers[k] : all.numbers[k];
        out = std::move(static_cast<Gradients<Scalar>&>(all));
    }

private:
    std::shared_ptr<const FeatureMap> map_;
    ToeplitzMask mask_;
    Column<Scalar> parameters_;
    Inputs<Scalar> in_;
};

class Masked final : public HeadAttentionOf<Masked> {
public:
    Masked(MapFor map_for, bool fitted, const MaskGrid& grid)
        : map_for_(std::move(map_for)),
          fitted_(fitted),
          grid_(grid),
          // A mask of ones, made only to be asked how many numbers the grid has.
          numbers_(
              ToeplitzMask(
                  grid.shape, [](const auto&) { return 1.0; }, grid.class_token ? std::optional(1.0) : std::nullopt)
                  .numbers()) {}

    Index parameters() const override { return numbers_; }
    Vector start(const Stream&) const override { return Vector::Ones(numbers_); }

    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        if (parameters.size() != numbers_)
            throw std::invalid_argument("attention: " + std::to_string(parameters.size()) +
                                        " parameters for a mask that is made of " + std::to_string(numbers_));
        if (!parameters.allFinite()) throw NotFinite("attention: the numbers of a mask must be finite");
        if (visible == Visible::causal && fitted_)
            throw std::invalid_argument("attention: features that are fitted take no causal mask");
        attention::check(in, visible);
        // Made for each pass, since training changes the parameters between them.
        ToeplitzMask mask(grid_.shape, grid_.class_token, parameters.template cast<double>().cwiseAbs());
        if (visible == Visible::causal) mask = causal_mask(mask);
        std::shared_ptr<const FeatureMap> map;
        if (map_for_)
            map = map_for_(Points(in.queries.template cast<double>()), Points(in.keys.template cast<double>()));
        return std::make_unique<MaskedPass<Scalar>>(std::move(map), std::move(mask), parameters, in);
    }

private:
    MapFor map_for_;
    bool fitted_;
    MaskGrid grid_;
    Index numbers_;
};

}  // namespace

std::unique_ptr<HeadAttention> masked_softmax(const MaskGrid& grid) {
    return std::make_unique<Masked>(MapFor(), false, grid);
}

std::unique_ptr<HeadAttention> masked_features(std::shared_ptr<const FeatureMap> map, const MaskGrid& grid) {
    return std::make_unique<Masked>([map = std::move(map)](const PointsView&, const PointsView&) { return map; }, false,
                                    grid);
}

std::unique_ptr<HeadAttention> masked_fitted(MapFor map_for, const MaskGrid& grid) {
    return std::make_unique<Masked>(std::move(map_for), true, grid);
}

}  // namespace rfbench::training
