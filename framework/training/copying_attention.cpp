#include "rfbench/training/copying_attention.hpp"

#include <stdexcept>
#include <string>

#include "rfbench/training/without_parameters.hpp"

namespace rfbench::training {
namespace {

using attention::Gradients;
using attention::Inputs;
using attention::Visible;

template <class Scalar>
class CopyingPass final : public HeadPass<Scalar> {
public:
    CopyingPass(const Inputs<Scalar>& in, Visible visible) : in_(in) {
        attention::check(in, visible);
        if (in.queries.rows() != in.values.rows())
            throw std::invalid_argument("attention: " + std::to_string(in.values.rows()) + " values are copied to " +
                                        std::to_string(in.queries.rows()) + " queries; both must be as many");
        this->output = in.values;
    }
    void backward(const RowsView<Scalar>& gradient, Gradients<Scalar>& out, ColumnRef<Scalar>) const override {
        attention::check_gradients(in_, gradient, out);
        // The output is the values, whatever queries and keys are.
        out.queries.setZero(in_.queries.rows(), in_.queries.cols());
        out.keys.setZero(in_.keys.rows(), in_.keys.cols());
        out.values = gradient;
        out.left_out = 0;
    }

private:
    Inputs<Scalar> in_;
};

class Copying final : public WithoutParameters<Copying> {
public:
    template <class Scalar>
    std::unique_ptr<HeadPass<Scalar>> pass(const ColumnView<Scalar>& parameters, const Inputs<Scalar>& in,
                                           Visible visible) const {
        check_none<Scalar>(parameters);
        return std::make_unique<CopyingPass<Scalar>>(in, visible);
    }
};

}  // namespace

std::unique_ptr<HeadAttention> copying_attention() { return std::make_unique<Copying>(); }

}  // namespace rfbench::training
