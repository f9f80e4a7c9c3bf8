#pragma once
// Attention layers that studies of learned features compare: trained, or with features that stay as they are drawn.
#include "rfbench/features/maps/learned_map.hpp"
#include "rfbench/report/table.hpp"
#include "rfbench/training/descent.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

extern const MethodKey layer_methods;  ///< which methods both studies take

/// The keys that say how many features a layer has, how they are drawn and how all is trained.
std::vector<config::KeyRule> layer_keys();
training::Descent descent(const config::Value&);

/// The methods of a configuration for heads of its dimension d.
class Layers {
public:
    /// Throws config::Error, at the entry's place, for columns that are not a multiple of the channels, and for maps
    /// that were trained for another dimension.
    explicit Layers(const config::Value&);

    const Axis<MethodChoice>& axis() const { return methods_; }
    Index dimension() const { return dimension_; }

    /// For sequences of so many tokens. Features that are not trained are drawn by the scheme; those with parameters
    /// are fitted to each sequence.
    std::shared_ptr<const training::HeadAttention> layer(const MethodChoice&, Index length, const Stream&) const;
    /// The map that it trains; nothing where it trains none.
    std::optional<features::MapShape> trained(const MethodChoice&) const;
    Index columns(const MethodChoice&) const;  ///< real features; 0 where there are none

    /// Attributes of a result file: the shapes of the trained maps, for those who read them.
    std::map<std::string, std::string> attributes() const;

private:
    Axis<MethodChoice> methods_;
    Index dimension_, columns_;
    const sampling::Scheme* sampling_;
};

/// Entry of a table for columns(): a dash where there are none.
inline report::Entry columns_entry(double columns) {
    return columns > 0 ? report::Entry(columns) : report::Entry(report::Missing{});
}

}  // namespace rfbench::experiments
