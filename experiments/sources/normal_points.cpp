#include "sources/normal_points.hpp"

namespace rfbench::experiments {

Points normal_points(const Stream& stream, Index rows, Index dimension) {
    // A point is a column while it is drawn: columns are filled in order.
    Projections columns(dimension, rows);
    fill_normal(stream, columns);
    return columns.transpose();
}

}  // namespace rfbench::experiments
