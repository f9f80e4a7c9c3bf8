#pragma once
// Ways of attending that studies of learned features compare, as YAML names them.
#include <memory>
#include <string>
#include <vector>

#include "choices.hpp"
#include "rfbench/sampling/scheme.hpp"
#include "rfbench/training/descent.hpp"
#include "rfbench/training/head_attention.hpp"
#include "study.hpp"

namespace rfbench::experiments {

/// One entry of `methods`: a name, or {name, label, projections, ...}.
struct Method {
    enum class Kind { softmax, mechanism, nonlinearity, learned };

    std::string label;  ///< unique in the list
    std::string name;
    Kind kind;
    Index columns;                ///< real feature columns; 0 for softmax
    features::MapShape shape;     ///< of learned ones, but for d
    features::Settings settings;  ///< of a mechanism, or of `luna` for a map of that shape

    bool trained() const { return kind == Kind::learned; }
    /// The layer for heads of dimension d. Features that are fixed are drawn by the scheme; those of mechanisms with
    /// parameters are fitted to each sequence.
    std::shared_ptr<const training::HeadAttention> head(Index dimension, const sampling::Scheme&, const Stream&) const;
    /// The learned map with these parameters.
    features::LearnedMap map(Index dimension, const Vector& parameters) const;
};

/// The keys of a configuration that say which methods, with how many features, and how they are trained.
std::vector<config::KeyRule> method_keys();

/// Throws config::Error, at the entry's place, for a repeated label, keys that a method does not take, columns that are
/// not a multiple of the channels, and mechanisms trained for another dimension.
std::vector<Method> methods(const config::Value&);
/// What a study that such a configuration belongs to trained under this label, as settings of `luna` but for the
/// parameters. Throws std::invalid_argument where nothing was.
features::Settings trained_shape(const config::Value&, const std::string& label);
store::Axis method_axis(const std::vector<Method>&);
training::Descent descent(const config::Value&);

}  // namespace rfbench::experiments
