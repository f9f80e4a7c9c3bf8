#pragma once
// The studies there are, one function each in the file of the study; studies.cpp makes the list of them.
#include "study/study.hpp"

namespace rfbench::experiments {

Study causal_study();                  ///< attention/causal
Study depth_study();                   ///< attention/depth
Study attention_error_study();         ///< attention/error
Study negative_study();                ///< attention/negative
Study attention_precision_study();     ///< attention/precision
Study symbols_study();                 ///< attention/symbols
Study beautiful_study();               ///< concentration/beautiful
Study concentration_learned_study();   ///< concentration/learned
Study parametrization_study();         ///< concentration/parametrization
Study tail_study();                    ///< concentration/tail
Study uniform_study();                 ///< concentration/uniform
Study conversion_allocation_study();   ///< conversion/allocation
Study conversion_cost_study();         ///< conversion/cost
Study recovery_study();                ///< conversion/recovery
Study attention_cost_study();          ///< cost/attention
Study decoding_study();                ///< cost/decoding
Study growth_study();                  ///< cost/growth
Study low_memory_study();              ///< cost/low-memory
Study network_cost_study();            ///< cost/network
Study network_decoding_study();        ///< cost/network-decoding
Study products_study();                ///< cost/products
Study freedom_bound_study();           ///< dof/bound
Study density_study();                 ///< dof/density
Study freedom_error_study();           ///< dof/error
Study freedom_layers_study();          ///< dof/layers
Study freedom_learned_study();         ///< dof/learned
Study classify_study();                ///< learned/classify
Study match_study();                   ///< learned/match
Study quasi_attention_study();         ///< quasi/attention
Study discrepancy_study();             ///< quasi/discrepancy
Study energy_study();                  ///< quasi/energy
Study quasi_rate_study();              ///< quasi/rate
Study transforms_study();              ///< quasi/transforms
Study accuracy_study();                ///< regression/accuracy
Study nadaraya_watson_study();         ///< regression/nadaraya-watson
Study ridge_study();                   ///< regression/ridge
Study svm_study();                     ///< regression/svm
Study budget_study();                  ///< training/budget
Study copying_study();                 ///< training/copying
Study images_study();                  ///< training/images
Study long_range_study();              ///< training/long-range
Study low_memory_discrepancy_study();  ///< training/low-memory-discrepancy
Study low_memory_training_study();     ///< training/low-memory-training
Study masked_text_study();             ///< training/masked-text
Study recall_study();                  ///< training/recall
Study teachers_study();                ///< training/teachers
Study text_study();                    ///< training/text
Study angle_study();                   ///< variance/angle
Study bias_study();                    ///< variance/bias
Study complex_study();                 ///< variance/complex
Study gain_study();                    ///< variance/gain
Study monte_carlo_study();             ///< variance/monte-carlo
Study orthogonal_study();              ///< variance/orthogonal
Study pairwise_study();                ///< variance/pairwise
Study regimes_study();                 ///< variance/regimes

/// All of them, each with the digest of its code. Throws InputError where two have one name.
std::vector<Study> all_studies();

}  // namespace rfbench::experiments
