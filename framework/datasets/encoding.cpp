#include "rfbench/datasets/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rfbench::datasets {

Points encode(const Table& table, Encoding encoding) {
    const auto width = [&](const Column& column) {
        return encoding == Encoding::one_hot && column.type == ColumnType::category
                   ? static_cast<Index>(column.categories.size())
                   : Index{1};
    };
    Index columns = 0;
    for (const Column& column : table.columns) columns += width(column);

    Points result = Points::Zero(table.values.rows(), columns);
    Index next = 0;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const auto values = table.values.col(static_cast<Index>(c));
        if (encoding == Encoding::one_hot && table.columns[c].type == ColumnType::category)
            for (Index i = 0; i < values.size(); ++i) result(i, next + static_cast<Index>(values[i])) = 1;
        else
            result.col(next) = values;
        next += width(table.columns[c]);
    }
    return result;
}

Points Scale::apply(const PointsView& rows) const {
    const auto divided = rows.array().rowwise() / magnitude.array();
    return ((divided.rowwise() - shift.array()).rowwise() / unit.array()).matrix();
}

Scale fit_scale(const PointsView& training, Scaling scaling) {
    if (training.rows() == 0) throw std::invalid_argument("scaling: there is no training row");
    const Eigen::RowVectorXd ones = Eigen::RowVectorXd::Ones(training.cols());
    Scale scale{ones, Eigen::RowVectorXd::Zero(training.cols()), ones};
    if (scaling == Scaling::raw) return scale;
    for (Index c = 0; c < training.cols(); ++c) {
        const double low = training.col(c).minCoeff(), high = training.col(c).maxCoeff();
        // Constant columns are told by their ends: the mean of equal numbers may be off in its last bit, and the
        // deviation then not be zero.
        scale.shift[c] = low;
        if (low == high) continue;
        // Over the power of two below the largest entry, ranges and sums are finite, and squares neither overflow nor
        // vanish. Dividing by it is exact.
        const double magnitude = std::ldexp(1.0, std::ilogb(std::max(std::abs(low), std::abs(high))));
        const auto column = training.col(c).array() / magnitude;
        scale.magnitude[c] = magnitude;
        if (scaling == Scaling::min_max) {
            scale.shift[c] = low / magnitude;
            scale.unit[c] = high / magnitude - low / magnitude;
        } else {
            scale.shift[c] = column.mean();
            scale.unit[c] = std::sqrt((column - scale.shift[c]).square().mean());
        }
    }
    return scale;
}

}  // namespace rfbench::datasets
