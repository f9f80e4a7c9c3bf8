#pragma once
// What attention/cost takes the time of.
#include <functional>
#include <string>
#include <vector>

#include "choices.hpp"
#include "rfbench/attention/inputs.hpp"
#include "rfbench/features/maps/nonlinearity.hpp"

namespace rfbench::experiments {

/// Queries, keys and values of one head in float, L x d each.
struct Tokens {
    Rows<float> queries, keys, values;

    Tokens(Index length, Index dimension, const Stream&);
    Index dimension() const { return queries.cols(); }
    attention::Inputs<float> inputs() const { return {queries, keys, values}; }
};

struct CostMethod;

/// A way of attending that there is to measure.
struct CostMethodInfo {
    std::string name, summary;
    bool causal;  ///< whether there is a causal form of it
    std::function<void()> (*run)(const CostMethod&, const Tokens&, attention::Visible, const Stream&);
};
const std::vector<CostMethodInfo>& cost_method_catalogue();

/// One entry of the configuration's list of methods.
struct CostMethod {
    const CostMethodInfo* info;
    std::string label;
    const features::MechanismInfo* mechanism;
    features::Settings settings;
    const features::Nonlinearity* function;  ///< of generalized attention
    Index features;                          ///< real columns, or what stands for them
    Index bucket, hashes;                    ///< of lsh
    Index longest;                           ///< L it is measured up to

    /// One call of the result is one run; what it computes goes to buffers that are made by the first call and kept.
    /// The tokens must outlive it.
    std::function<void()> run(const Tokens& tokens, attention::Visible visible, const Stream& stream) const {
        return info->run(*this, tokens, visible, stream);
    }
};

config::Schema cost_methods_schema();
/// Throws config::Error, at the entry's place, for a label that repeats and a mechanism trained for another dimension.
std::vector<CostMethod> cost_methods(const config::Value&, Index dimension);

}  // namespace rfbench::experiments
