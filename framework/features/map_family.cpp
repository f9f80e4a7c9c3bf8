#include "rfbench/features/map_family.hpp"

#include <stdexcept>
#include <string>

#include "rfbench/products/panels.hpp"

namespace rfbench::features {
namespace {

class OneMap final : public MapFamily {
public:
    explicit OneMap(std::shared_ptr<const FeatureMap> map) : map_(std::move(map)) {
        if (!map_) throw std::invalid_argument("attention: there is no feature map");
    }
    Index columns() const override { return map_->columns(); }
    Index parameters() const override { return 0; }
    Vector start(const Stream&) const override { return {}; }
    std::shared_ptr<const FeatureMap> map(const Vector& parameters) const override {
        check_parameters("attention through features that are not trained", parameters, 0);
        return map_;
    }

private:
    std::shared_ptr<const FeatureMap> map_;
};

}  // namespace

std::shared_ptr<const MapFamily> one_map(std::shared_ptr<const FeatureMap> map) {
    return std::make_shared<OneMap>(std::move(map));
}

void check_parameters(const std::string& name, const Vector& parameters, Index expected) {
    if (parameters.size() != expected)
        throw std::invalid_argument(name + ": " + std::to_string(parameters.size()) + " parameters; it has " +
                                    std::to_string(expected));
    if (!parameters.allFinite()) throw std::invalid_argument(name + ": not all parameters are finite");
}

template <class Scalar>
void add_weight_gradient(const RowsView<Scalar>& rows, const Rows<Scalar>& back, Vector& by, Index first) {
    const Index d = rows.cols(), m = back.cols();
    // Summed in the rows' precision over one tile, and over tiles in double. Row-major m x d is d x m by columns.
    const products::Panels<Scalar> factor(products::strided(rows));
    Rows<Scalar> sums(m, d);
    factor.multiply(products::strided(back).transposed(), sums.data(), d);
    by.segment(first, d * m) += sums.template reshaped<Eigen::RowMajor>().template cast<double>();
}

template void add_weight_gradient(const RowsView<double>&, const Rows<double>&, Vector&, Index);
template void add_weight_gradient(const RowsView<float>&, const Rows<float>&, Vector&, Index);

}  // namespace rfbench::features
