#include "rfbench/attention/redraw.hpp"

#include <stdexcept>

namespace rfbench::attention {

RedrawnMap::RedrawnMap(std::shared_ptr<const features::Mechanism> mechanism, Index dimension, Index count,
                       const sampling::Scheme& sampling, const Stream& stream, std::uint64_t every)
    : mechanism_(std::move(mechanism)),
      dimension_(dimension),
      count_(count),
      sampling_(sampling),
      stream_(stream),
      every_(every),
      map_(drawn(0)) {}

const SoftmaxMap& RedrawnMap::at(std::uint64_t step) {
    // A draw depends on its number alone: whoever begins at a later step has the same features there.
    const std::uint64_t draw = every_ == 0 ? 0 : step / every_;
    if (draw != current_) {
        map_ = drawn(draw);
        current_ = draw;
    }
    return map_;
}

SoftmaxMap RedrawnMap::drawn(std::uint64_t draw) const {
    if (!mechanism_)
        throw std::invalid_argument("attention: no mechanism to draw features of; a redrawn map needs one");
    return softmax_map(*mechanism_, dimension_, count_, sampling_, stream_.child(draw));
}

}  // namespace rfbench::attention
