#pragma once
// State that the heads of a layer hand on from slice to slice of a sequence (Likhosherstov 2022, Algorithm 6).
#include <vector>

#include "rfbench/networks/slicing.hpp"
#include "rfbench/training/stateful_head.hpp"

namespace rfbench::networks {

/// Use of the stored sums in a pass over a slice. forward: they are those before the slice, and become those after it.
/// recompute: they are those before the slice, and stay. backward: they are those after the slice; its own sums are
/// subtracted, which gives those before it, and then the pass is as for recompute.
enum class SliceStep { forward, recompute, backward };

/// Sums of the heads of one layer.
struct SliceSums {
    Recovery recovery = Recovery::checkpoints;   ///< of sums before a slice
    SliceStep step = SliceStep::forward;         ///< of the next pass
    Index tokens = 0;                            ///< of the sequence before the slice
    std::vector<training::HeadSums> heads = {};  ///< one a head of the layer

    /// Forward pass of head h over a slice. Its backward pass may follow unless the step is SliceStep::forward.
    template <class Scalar>
    std::unique_ptr<training::HeadPass<Scalar>> pass(std::size_t h, const training::StatefulHead& head,
                                                     const training::ColumnView<Scalar>& parameters,
                                                     const attention::Inputs<Scalar>& in) {
        training::HeadSums& sums = heads[h];
        sums.tokens = tokens;
        if (step == SliceStep::backward) {
            sums.before.subtract(head.sums(parameters, in, tokens));
            if (recovery == Recovery::subtraction) round<Scalar>(sums.before);
        }
        auto pass = head.forward(parameters, in, sums);
        if (step == SliceStep::forward && recovery == Recovery::double_sums)
            sums.before.add(head.sums(parameters, in, tokens));
        else if (step == SliceStep::forward)
            sums.before = sums.after;
        return pass;
    }

private:
    template <class Scalar>
    static void round(attention::FeatureSums<double>& sums) {
        sums = attention::FeatureSums<double>(attention::FeatureSums<Scalar>(sums));
    }
};

}  // namespace rfbench::networks
