#include "methods.hpp"

#include "study/listing.hpp"

namespace rfbench::experiments {

std::vector<MethodInfo> all_methods() {
    std::vector<MethodInfo> all;
    // Mechanisms come first in every list.
    add(all, mechanism_methods(), "experiments/methods/mechanism.cpp");
    add(all, copy_methods(), "experiments/methods/copy.cpp");
    add(all, cosformer_methods(), "experiments/methods/cosformer.cpp");
    add(all, exact_methods(), "experiments/methods/exact.cpp");
    add(all, fitted_weights_methods(), "experiments/methods/fitted_weights.cpp");
    add(all, function_methods(), "experiments/methods/function.cpp");
    add(all, hedgehog_methods(), "experiments/methods/hedgehog.cpp");
    add(all, learned_points_methods(), "experiments/methods/learned_points.cpp");
    add(all, linear_transformer_methods(), "experiments/methods/linear_transformer.cpp");
    add(all, linformer_methods(), "experiments/methods/linformer.cpp");
    add(all, lolcats_methods(), "experiments/methods/lolcats.cpp");
    add(all, lsh_methods(), "experiments/methods/lsh.cpp");
    add(all, luna_methods(), "experiments/methods/luna.cpp");
    add(all, majority_methods(), "experiments/methods/majority.cpp");
    add(all, nystroem_features_methods(), "experiments/methods/nystroem_features.cpp");
    add(all, nystrom_methods(), "experiments/methods/nystrom.cpp");
    add(all, optimal_density_methods(), "experiments/methods/optimal_density.cpp");
    add(all, retnet_methods(), "experiments/methods/retnet.cpp");
    add(all, rfa_methods(), "experiments/methods/rfa.cpp");
    add(all, t2r_methods(), "experiments/methods/t2r.cpp");
    add(all, uniform_methods(), "experiments/methods/uniform.cpp");
    add(all, window_methods(), "experiments/methods/window.cpp");
    return all;
}

}  // namespace rfbench::experiments
