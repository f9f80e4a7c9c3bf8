#pragma once
// Where the points of the variance comparison come from: the regimes of Figure 6.4 (Likhosherstov 2022, 6.6.1), and
// files of the user's.
#include <memory>
#include <string>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"
#include "study.hpp"

namespace rfbench::experiments {

struct PointSets {
    Points x, y;  ///< L x d each, or fewer rows where there are not more
};

/// A source of pairs of sets at unit scale: gamma multiplies them.
class PointSource {
public:
    virtual ~PointSource() = default;
    virtual PointSets draw(const Stream&, Index rows) const = 0;
    virtual Index dimension() const = 0;
    /// Of the files it reads; empty when it reads none.
    virtual std::string data_hash() const { return {}; }
};

/// The sources there are. Drawn: normal, x, y ~ N(0, I); sphere, uniform on the unit sphere; heterogen, x ~ N(0, I),
/// y ~ N(1, I). digits, mnist: x and y are disjoint random rows of the images. file: random rows of the user's files,
/// x and y of one disjoint.
config::Schema point_source_schema();

/// Throws datasets::MissingData for data that are not here, datasets::DataError with the place for files that are
/// malformed, and for sets of different dimensions.
std::shared_ptr<const PointSource> point_source(const config::Value& entry, const datasets::Warn&);

}  // namespace rfbench::experiments
