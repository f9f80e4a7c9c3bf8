#include <stdexcept>

#include "rfbench/features/maps/channels.hpp"

namespace rfbench::features {
namespace {

class WeightedBank final : public Channels {
public:
    explicit WeightedBank(const std::vector<std::string>& functions) {
        if (functions.empty()) throw std::invalid_argument("learned channels: the bank has no functions");
        for (const std::string& name : functions) functions_.push_back(&nonlinearity(name));
    }

    Index count() const override { return static_cast<Index>(functions_.size()); }
    Index parameters() const override { return count(); }
    bool nonnegative() const override { return false; }
    Vector start(const Stream&) const override { return Vector::Ones(count()); }

    void evaluate(const Parameters& coefficients, const Vector& u, Points& out) const override {
        out.resize(u.size(), count());
        for (Index l = 0; l < count(); ++l) out.col(l) = coefficients[l] * values(l, u);
    }

    void pullback(const Parameters& coefficients, const Vector& u, const Points& gradient, ParameterGradient own,
                  Vector& inputs) const override {
        inputs.setZero(u.size());
        for (Index l = 0; l < count(); ++l) {
            own[l] += gradient.col(l).dot(values(l, u));
            Row slope = u.array().transpose();
            functions_[static_cast<std::size_t>(l)]->slope(slope, slope);
            inputs += coefficients[l] * gradient.col(l).cwiseProduct(slope.matrix().transpose());
        }
    }

private:
    using Row = Eigen::Array<double, 1, Eigen::Dynamic>;

    Vector values(Index l, const Vector& u) const {
        Row row = u.array().transpose();
        functions_[static_cast<std::size_t>(l)]->apply(row, row);
        return row.transpose();
    }

    std::vector<const Nonlinearity*> functions_;
};

}  // namespace

std::unique_ptr<Channels> weighted_bank(const std::vector<std::string>& functions) {
    return std::make_unique<WeightedBank>(functions);
}

}  // namespace rfbench::features
