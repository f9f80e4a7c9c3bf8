#include <stdexcept>

#include "rfbench/features/maps/channels.hpp"

namespace rfbench::features {
namespace {

/// Functions in their order, each with its coefficient: channels of their own, or one channel that is their sum.
class WeightedBank final : public ChannelsOf<WeightedBank> {
public:
    WeightedBank(const std::vector<std::string>& functions, BankForm form) : summed_(form == BankForm::summed) {
        if (functions.empty()) throw std::invalid_argument("learned channels: the bank has no functions");
        for (const std::string& name : functions) functions_.push_back(&nonlinearity(name));
    }

    Index count() const override { return summed_ ? 1 : size(); }
    Index parameters() const override { return size(); }
    bool nonnegative() const override { return false; }
    const Nonlinearity& output() const override { return nonlinearity("identity"); }
    Vector start(const Stream&) const override { return Vector::Ones(size()); }

    template <class Scalar>
    void sum(const Parameters& coefficients, const RowRef<Scalar>& u, Rows<Scalar>& sums) const {
        sums.setZero(u.size(), count());
        Eigen::Array<Scalar, 1, Eigen::Dynamic> row(u.size());
        for (Index l = 0; l < size(); ++l) {
            functions_[static_cast<std::size_t>(l)]->apply(u, row);
            sums.col(channel(l)) += static_cast<Scalar>(coefficients[l]) * row.matrix().transpose();
        }
    }

    template <class Scalar>
    void send_back(const Parameters& coefficients, const RowRef<Scalar>& u, const Rows<Scalar>& gradient, Vector& by,
                   Index first, RowRef<Scalar> inputs) const {
        inputs.setZero();
        Eigen::Array<Scalar, 1, Eigen::Dynamic> row(u.size()), own(u.size());
        for (Index l = 0; l < size(); ++l) {
            own = gradient.col(channel(l)).transpose().array();
            functions_[static_cast<std::size_t>(l)]->apply(u, row);
            if (by.size() > 0) by[first + l] += static_cast<double>((own * row).sum());
            functions_[static_cast<std::size_t>(l)]->slope(u, row);
            inputs += static_cast<Scalar>(coefficients[l]) * own * row;
        }
    }

private:
    Index size() const { return static_cast<Index>(functions_.size()); }
    Index channel(Index l) const { return summed_ ? 0 : l; }

    bool summed_;
    std::vector<const Nonlinearity*> functions_;
};

}  // namespace

std::unique_ptr<Channels> weighted_bank(const std::vector<std::string>& functions, BankForm form) {
    return std::make_unique<WeightedBank>(functions, form);
}

}  // namespace rfbench::features
