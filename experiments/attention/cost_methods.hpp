#pragma once
// What attention/cost takes the time of.
#include <functional>
#include <string>
#include <vector>

#include "choices.hpp"
#include "rfbench/attention/inputs.hpp"

namespace rfbench::experiments {

/// Queries, keys and values of one head in float, L x d each.
struct Tokens {
    Rows<float> queries, keys, values;

    Tokens(Index length, Index dimension, const Stream&);
    attention::Inputs<float> inputs() const { return {queries, keys, values}; }
};

/// One entry of the configuration's list of methods.
struct CostMethod {
    std::string name, label;
    const features::MechanismInfo* mechanism;
    features::Settings settings;
    Index features;  ///< real columns
    Index longest;   ///< L it is measured up to

    /// One call of the result is one run; what it computes goes to buffers that are made by the first call and kept.
    /// The tokens must outlive it.
    std::function<void()> run(const Tokens&, attention::Visible, const Stream&) const;
};

/// copy, exact, linear, fitted, gradient, masked: with what they are, for `describe`.
config::Schema cost_methods_schema();
/// Throws config::Error, at the entry's place, for a label that repeats and a mechanism trained for another dimension.
std::vector<CostMethod> cost_methods(const config::Value&, Index dimension);

}  // namespace rfbench::experiments
