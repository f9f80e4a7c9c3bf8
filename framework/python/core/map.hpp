#pragma once
#include <memory>
#include <string>

#include "mechanism.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::python {

/// A drawn mechanism with all that it was drawn from.
struct Map {
    /// Throws InputError for no draws, and where the sampling cannot serve the mechanism.
    Map(std::shared_ptr<const Mechanism>, Index draws, const std::string& scheme, std::uint64_t root);

    std::shared_ptr<const Mechanism> mechanism;
    Index count;
    std::string sampling;
    std::uint64_t seed;
    features::Draw draw;
    std::shared_ptr<const features::FeatureMap> features;

    Index dimension() const { return draw.omega.rows(); }
    /// The same draw with products of float formed so. Throws InputError for a mechanism that leaves them to vector
    /// registers, and as products::check() does.
    Map with_products(const products::Arithmetic&) const;
};

/// The units that `products` names in Python, "vectors", "matrix-units" or "emulated", with so many parts. Throws
/// InputError for another name, and as products::check() does.
products::Arithmetic arithmetic_of(const std::string& products, int parts);
/// The same way back.
std::string products_name(const products::Arithmetic&);

}  // namespace rfbench::python
