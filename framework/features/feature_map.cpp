#include "rfbench/features/feature_map.hpp"

#include <stdexcept>

namespace rfbench::features {

LogMatrix estimate(const FeatureBlock<double>& queries, const FeatureBlock<double>& keys) {
    if (queries.values.cols() != keys.values.cols())
        throw std::invalid_argument("estimate: the queries have " + std::to_string(queries.values.cols()) +
                                    " feature columns, the keys " + std::to_string(keys.values.cols()));
    LogMatrix result;
    // Scales stay logarithms: only values, which are over them, are multiplied.
    const Points product = queries.values * keys.values.transpose();
    result.log_abs = product.array().abs().log();
    result.log_abs.colwise() += queries.log_scale;
    result.log_abs.rowwise() += keys.log_scale.transpose();
    result.sign = product.array().sign();
    return result;
}

}  // namespace rfbench::features
