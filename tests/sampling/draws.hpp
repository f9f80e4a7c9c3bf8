#pragma once
#include "rfbench/sampling/scheme.hpp"

namespace rfbench::tests {

inline Projections normals(const sampling::Scheme& scheme, const Stream& stream, Index d, Index count) {
    Projections omega(d, count);
    scheme.normals(stream, omega);
    return omega;
}

inline Projections uniforms(const sampling::Scheme& scheme, const Stream& stream, Index d, Index count) {
    Projections u(d, count);
    scheme.uniforms(stream, u);
    return u;
}

}  // namespace rfbench::tests
