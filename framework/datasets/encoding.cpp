#include "rfbench/datasets/encoding.hpp"

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
    return ((rows.rowwise() - shift).array().rowwise() / unit.array()).matrix();
}

Scale fit_scale(const PointsView& training, Scaling scaling) {
    if (training.rows() == 0) throw std::invalid_argument("scaling: there is no training row");
    Scale scale{Eigen::RowVectorXd::Zero(training.cols()), Eigen::RowVectorXd::Ones(training.cols())};
    if (scaling == Scaling::raw) return scale;
    for (Index c = 0; c < training.cols(); ++c) {
        const auto column = training.col(c);
        const double low = column.minCoeff(), high = column.maxCoeff();
        // Constant columns are told by their ends: the mean of equal numbers may be off in its last bit, and the
        // deviation then not be zero.
        scale.shift[c] = low;
        if (low == high) continue;
        if (scaling == Scaling::min_max) {
            scale.unit[c] = high - low;
        } else {
            scale.shift[c] = column.mean();
            scale.unit[c] = std::sqrt((column.array() - scale.shift[c]).square().mean());
        }
    }
    return scale;
}

}  // namespace rfbench::datasets
