#include "studies.hpp"

#include "study/listing.hpp"

namespace rfbench::experiments {

std::vector<Study> all_studies() {
    std::vector<Study> all;
    add(all, causal_study(), "experiments/attention/causal.cpp");
    add(all, depth_study(), "experiments/attention/depth.cpp");
    add(all, attention_error_study(), "experiments/attention/error.cpp");
    add(all, negative_study(), "experiments/attention/negative.cpp");
    add(all, attention_precision_study(), "experiments/attention/precision.cpp");
    add(all, symbols_study(), "experiments/attention/symbols.cpp");
    add(all, beautiful_study(), "experiments/concentration/beautiful.cpp");
    add(all, concentration_learned_study(), "experiments/concentration/learned.cpp");
    add(all, parametrization_study(), "experiments/concentration/parametrization.cpp");
    add(all, tail_study(), "experiments/concentration/tail.cpp");
    add(all, uniform_study(), "experiments/concentration/uniform.cpp");
    add(all, conversion_allocation_study(), "experiments/conversion/allocation.cpp");
    add(all, conversion_cost_study(), "experiments/conversion/cost.cpp");
    add(all, recovery_study(), "experiments/conversion/recovery.cpp");
    add(all, attention_cost_study(), "experiments/cost/attention.cpp");
    add(all, decoding_study(), "experiments/cost/decoding.cpp");
    add(all, growth_study(), "experiments/cost/growth.cpp");
    add(all, low_memory_study(), "experiments/cost/low_memory.cpp");
    add(all, network_cost_study(), "experiments/cost/network.cpp");
    add(all, network_decoding_study(), "experiments/cost/network_decoding.cpp");
    add(all, products_study(), "experiments/cost/products.cpp");
    add(all, freedom_bound_study(), "experiments/dof/bound.cpp");
    add(all, density_study(), "experiments/dof/density.cpp");
    add(all, freedom_error_study(), "experiments/dof/error.cpp");
    add(all, freedom_layers_study(), "experiments/dof/layers.cpp");
    add(all, freedom_learned_study(), "experiments/dof/learned.cpp");
    add(all, classify_study(), "experiments/learned/classify.cpp");
    add(all, match_study(), "experiments/learned/match.cpp");
    add(all, quasi_attention_study(), "experiments/quasi/attention.cpp");
    add(all, discrepancy_study(), "experiments/quasi/discrepancy.cpp");
    add(all, energy_study(), "experiments/quasi/energy.cpp");
    add(all, quasi_rate_study(), "experiments/quasi/rate.cpp");
    add(all, transforms_study(), "experiments/quasi/transforms.cpp");
    add(all, accuracy_study(), "experiments/regression/accuracy.cpp");
    add(all, nadaraya_watson_study(), "experiments/regression/nadaraya_watson.cpp");
    add(all, ridge_study(), "experiments/regression/ridge.cpp");
    add(all, svm_study(), "experiments/regression/svm.cpp");
    add(all, budget_study(), "experiments/training/budget.cpp");
    add(all, copying_study(), "experiments/training/copying.cpp");
    add(all, images_study(), "experiments/training/images.cpp");
    add(all, long_range_study(), "experiments/training/long_range.cpp");
    add(all, low_memory_discrepancy_study(), "experiments/training/low_memory_discrepancy.cpp");
    add(all, low_memory_training_study(), "experiments/training/low_memory_training.cpp");
    add(all, masked_text_study(), "experiments/training/masked_text.cpp");
    add(all, recall_study(), "experiments/training/recall.cpp");
    add(all, teachers_study(), "experiments/training/teachers.cpp");
    add(all, text_study(), "experiments/training/text.cpp");
    add(all, angle_study(), "experiments/variance/angle.cpp");
    add(all, bias_study(), "experiments/variance/bias.cpp");
    add(all, complex_study(), "experiments/variance/complex.cpp");
    add(all, gain_study(), "experiments/variance/gain.cpp");
    add(all, monte_carlo_study(), "experiments/variance/monte_carlo.cpp");
    add(all, orthogonal_study(), "experiments/variance/orthogonal.cpp");
    add(all, pairwise_study(), "experiments/variance/pairwise.cpp");
    add(all, regimes_study(), "experiments/variance/regimes.cpp");
    return all;
}

}  // namespace rfbench::experiments
