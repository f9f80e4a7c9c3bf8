#pragma once
#include "rfbench/dof/losses.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::training {

/// Adam on mini-batches, or L-BFGS on all sequences.
enum class Optimiser { adam, lbfgs };

/// How features are learned.
struct PointTraining {
    dof::Loss loss = dof::Loss::softmax;                      ///< what is made small
    attention::Visible visible = attention::Visible::causal;  ///< which pairs of tokens count
    Optimiser optimiser = Optimiser::adam;                    ///< by what
    int steps = 200;                                          ///< of Adam: mini-batches; of L-BFGS: iterations at most
    int batch = 4;                                            ///< sequences a mini-batch of Adam; L-BFGS takes all
    double rate = 0.02;                                       ///< of Adam, falling to 0 along half a cosine
    bool weights = true;                                      ///< whether log alpha is learned too
};

/// Learned points and weights.
struct TrainedPoints {
    dof::WeightedFeatures features;  ///< of Adam those after the last step, of L-BFGS the best; or the start
    std::vector<double> losses;      ///< before each step: of its mini-batch, or of all sequences for L-BFGS
    double before, after;            ///< loss over all sequences of what training began with, and of `features`
};

/// Features learned for one head (Nishikawa, Higuchi and Suzuki 2025, section 3.3) by Adam (Kingma and Ba 2015) or
/// L-BFGS, from `start`. Mini-batches are a random order of the sequences, drawn anew each time round; the stream and
/// the sequences determine every bit of the result. If the end is not better than the start over all sequences, the
/// start is returned. Throws std::invalid_argument for steps, batch or rate that are not positive.
TrainedPoints train_points(const dof::WeightedFeatures& start, const std::vector<dof::Sequence>&, const PointTraining&,
                           const Stream&);

}  // namespace rfbench::training
