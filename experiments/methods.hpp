#pragma once
// The kinds of methods there are, one function each in a file of methods/; methods.cpp makes the list of them.
#include "study/method.hpp"

namespace rfbench::experiments {

std::vector<MethodInfo> mechanism_methods();  ///< every mechanism that is not trained
std::vector<MethodInfo> copy_methods();
std::vector<MethodInfo> cosformer_methods();
std::vector<MethodInfo> exact_methods();
std::vector<MethodInfo> fitted_weights_methods();
std::vector<MethodInfo> function_methods();  ///< functions of generalized attention
std::vector<MethodInfo> hedgehog_methods();
std::vector<MethodInfo> learned_points_methods();
std::vector<MethodInfo> linear_transformer_methods();
std::vector<MethodInfo> linformer_methods();
std::vector<MethodInfo> lolcats_methods();
std::vector<MethodInfo> lsh_methods();
std::vector<MethodInfo> luna_methods();
std::vector<MethodInfo> majority_methods();
std::vector<MethodInfo> nystroem_features_methods();
std::vector<MethodInfo> nystrom_methods();
std::vector<MethodInfo> optimal_density_methods();
std::vector<MethodInfo> retnet_methods();
std::vector<MethodInfo> rfa_methods();
std::vector<MethodInfo> t2r_methods();
std::vector<MethodInfo> uniform_methods();
std::vector<MethodInfo> window_methods();

/// All of them, each with the digest of its code. Throws InputError where two have one name.
std::vector<MethodInfo> all_methods();

}  // namespace rfbench::experiments
