#pragma once
// The regimes of Figure 6.4 (Likhosherstov 2022, 6.6.1): where the points of the variance comparison come from.
#include <memory>
#include <string>
#include <vector>

#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::experiments {

struct PointSets {
    Points x, y;
};

/// A source of pairs of sets, each L x d, at unit scale: gamma multiplies them.
class Regime {
public:
    virtual ~Regime() = default;
    virtual PointSets draw(const Stream&, Index rows) const = 0;
};

/// normal: x, y ~ N(0, I). sphere: uniform on the unit sphere. heterogen: x ~ N(0, I), y ~ N(1, I).
/// images (n x d) given: random rows without replacement, x and y disjoint; `rows` is cut to n / 2.
/// Throws std::invalid_argument for another name.
std::unique_ptr<Regime> regime(const std::string& name, Index dimension);
std::unique_ptr<Regime> image_regime(Points images);

}  // namespace rfbench::experiments
