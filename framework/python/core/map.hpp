#pragma once
#include <memory>
#include <string>

#include "mechanism.hpp"
#include "rfbench/features/feature_map.hpp"

namespace rfbench::python {

/// A drawn mechanism with all that it was drawn from.
struct Map {
    /// Throws InputError for no draws, and where the sampling cannot serve the mechanism.
    Map(std::shared_ptr<const Mechanism>, Index count, const std::string& sampling, std::uint64_t seed);

    std::shared_ptr<const Mechanism> mechanism;
    Index count;
    std::string sampling;
    std::uint64_t seed;
    features::Draw draw;
    std::shared_ptr<const features::FeatureMap> features;

    Index dimension() const { return draw.omega.rows(); }
};

}  // namespace rfbench::python
