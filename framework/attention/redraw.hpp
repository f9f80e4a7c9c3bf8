#pragma once
#include <cstdint>
#include <memory>

#include "rfbench/attention/softmax_map.hpp"

namespace rfbench::attention {

/// Features that are drawn again every so many steps of training, by a rule that depends on the step alone: step s has
/// draw floor(s / every), whatever steps were asked for before; every = 0 keeps the first draw for ever.
class RedrawnMap {
public:
    /// Throws std::invalid_argument without a mechanism, and as features::draw() does for a count that is not positive
    /// or a scheme that cannot draw the mechanism.
    RedrawnMap(std::shared_ptr<const features::Mechanism>, Index dimension, Index count, const sampling::Scheme&,
               const Stream&, std::uint64_t every);

    /// Valid until the next call.
    const SoftmaxMap& at(std::uint64_t step);

private:
    SoftmaxMap drawn(std::uint64_t draw) const;

    std::shared_ptr<const features::Mechanism> mechanism_;
    Index dimension_, count_;
    const sampling::Scheme& sampling_;
    Stream stream_;
    std::uint64_t every_, current_ = 0;
    SoftmaxMap map_;
};

}  // namespace rfbench::attention
