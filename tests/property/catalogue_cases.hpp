#pragma once
// What the property tests run over: every mechanism of the catalogue with every sampling scheme that can draw it. A new
// mechanism or scheme is picked up by being in its catalogue.
#include <vector>

#include "rfbench/features/catalogue.hpp"

namespace rfbench::tests {

struct Case {
    const features::MechanismInfo* mechanism;
    const sampling::Scheme* scheme;
};

inline bool can_draw(const features::MechanismInfo& mechanism, const sampling::Scheme& scheme) {
    return !mechanism.discrete || scheme.uniforms != nullptr;
}

inline std::vector<Case> cases() {
    std::vector<Case> result;
    for (const features::MechanismInfo& mechanism : features::catalogue())
        for (const sampling::Scheme& scheme : sampling::catalogue())
            if (can_draw(mechanism, scheme)) result.push_back({&mechanism, &scheme});
    return result;
}

/// n points with independent N(shift, scale^2) coordinates.
inline Points cloud(std::uint64_t seed, Index n, Index d, double scale, double shift = 0) {
    Stream stream(seed);
    Points points(n, d);
    for (Index i = 0; i < n; ++i)
        for (Index l = 0; l < d; ++l) points(i, l) = shift + scale * stream.normal();
    return points;
}

}  // namespace rfbench::tests
