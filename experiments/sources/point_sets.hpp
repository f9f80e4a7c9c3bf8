#pragma once
// Sources of points: the regimes of Figure 6.4 (Likhosherstov 2022, 6.6.1), files of the user's, and queries and
// keys of heads.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rfbench/datasets/locate.hpp"
#include "rfbench/matrix.hpp"
#include "rfbench/random/stream.hpp"
#include "sources/source_list.hpp"
#include "study/study.hpp"

namespace rfbench::experiments {

struct PointSets {
    Points x, y;  ///< L x d each, or fewer rows where there are not more
};

/// A source of pairs of sets.
class PointSource {
public:
    virtual ~PointSource() = default;
    /// At most so many rows each; as many as there are where they are fewer.
    virtual PointSets draw(const Stream&, Index rows) const = 0;
    virtual Index dimension() const = 0;
    /// Rows that each set can have; nothing where they are drawn without end.
    virtual std::optional<Index> rows() const { return std::nullopt; }
    /// Hash of the files it reads; empty when it reads none.
    virtual std::string data_hash() const { return {}; }
    /// Notes for the user.
    virtual std::vector<std::string> notes() const { return {}; }
};
using PointSourcePtr = std::shared_ptr<const PointSource>;

/// `count` rows without repetition, in random order; the first of them do not depend on how many there are to be.
Points random_rows(const Points& all, Index count, Stream shuffle);

/// The sources there are. Drawn: normal, x, y ~ N(0, I); sphere, uniform on the unit sphere; heterogeneous, x ~ N(0,
/// I), y ~ N(1, I). digits, mnist: x and y are disjoint random rows of the images. file: random rows of the user's
/// files, x and y of one disjoint. heads: random queries and keys of one sequence of a head.
config::Schema point_source_schema();

/// `study`: the stream that heads are drawn from. Throws datasets::MissingData for data that are not here,
/// datasets::DataError with the place for files that are malformed, and for sets of different dimensions.
PointSourcePtr point_source(const config::Value& entry, const Stream& study, const datasets::Warn&);

/// The key of what a source of this label draws: the label, but "heterogen" for "heterogeneous", as both were called
/// when the first results were made.
std::string draw_key(const std::string& label);

/// The sources that a key lists, as the values of an axis.
SourceList<PointSourcePtr> point_sources(const Key&, Axis<PointSourcePtr>, const Stream& study);

/// Adds notes on sources that have fewer rows than a study asks for, or whose repeats share rows.
void note_few_rows(SourceList<PointSourcePtr>&, Index rows, Index repeats);

/// Points of a head.
std::vector<config::KeyRule> head_point_keys();
PointSourcePtr head_points(const config::Value& entry, const Stream& study);

}  // namespace rfbench::experiments
